/** The effective configuration: every key resolved, every number in one form. Keys are described in `schema.ts`. */
export interface Config {
  /** Tokens; `undefined` means that the window is measured. */
  readonly window: number | undefined;
  /** Each a fraction of the window (0 < x <= 1) or tokens (> 1): see `thresholdTokens`. */
  readonly thresholds: { readonly warn: number; readonly compact: number; readonly midTurn: number };
  readonly compaction: {
    readonly enabled: boolean;
    readonly when: 'next-prompt' | 'boundary';
    /** In the form of a threshold. */
    readonly target: number;
    readonly timeoutSeconds: number;
    readonly maxAttempts: number;
    readonly focus: string;
  };
  readonly midTurn: { readonly enabled: boolean };
  readonly task: string | undefined;
  readonly state: string | undefined;
  readonly observe: boolean;
  readonly quiet: boolean;
  readonly showInjected: boolean;
  readonly statusLine: 'auto' | 'always' | 'never';
  /** Relative to the working folder, or absolute. */
  readonly contextDir: string;
  readonly hooks: { readonly watchdogSeconds: number };
}

/** A key as findings, flags and sources name it: `window`, `thresholds.warn`. */
export type KeyPath = {
  [K in keyof Config]: Config[K] extends object ? `${K}.${keyof Config[K] & string}` : K;
}[keyof Config];

/** Where a value comes from. `where` is the file's path or the variable's name. */
export interface Origin {
  readonly source: 'flag' | 'env' | 'file' | 'default';
  readonly where?: string;
}

/** Something in the configuration that is refused. */
export interface Finding {
  /** The key's path, or the file's or variable's name when no key could be made out. */
  readonly key: string;
  /** One line that starts with `key` and says what was expected, what was found and what to do. */
  readonly message: string;
}
