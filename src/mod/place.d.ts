/** The folder that ctxb and the mod share; ctxb writes this module when it puts the mod there. */
export declare const PLACE: string;
