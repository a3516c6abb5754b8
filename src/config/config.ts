import type { Policy } from '../governor/policy.ts';
import type { FlowGlobals } from './flow-settings.ts';

/** The effective configuration: every key resolved, every number in one form. Keys are described in `schema.ts`. */
export interface Config extends Policy {
  readonly observe: boolean;
  readonly quiet: boolean;
  readonly showInjected: boolean;
  readonly statusLine: 'auto' | 'always' | 'never';
  /** Relative to the working folder, or absolute. */
  readonly contextDir: string;
  readonly hooks: { readonly watchdogSeconds: number };
  readonly flow: FlowGlobals;
}

/** A key as findings, flags and sources name it: `window`, `thresholds.warn`. Keys of `tools.byTool` are `ToolKey`s. */
export type KeyPath = {
  [K in keyof Config]: Config[K] extends object ? `${K}.${Exclude<keyof Config[K] & string, 'byTool'>}` : K;
}[keyof Config];

/** The override of one tool, which a file has in the group `tools`: `tools.Read`. */
export type ToolKey = `tools.${Capitalize<string> | `mcp__${string}`}`;

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
