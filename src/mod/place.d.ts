/** The folder that ctxb and the mod share. ctxb writes this module when it copies the mod. */
export declare const PLACE: string;
