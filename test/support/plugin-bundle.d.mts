export declare const TARGET: string;
export declare function pluginBundle(): Promise<{ readonly text: string; readonly inputs: string[] }>;
