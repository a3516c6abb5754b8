import type { Policy } from '../core/governor/policy.ts';

/** The effective configuration: every key resolved, every number in one form. Its keys are in `keys.ts`. */
export interface Config extends Policy {
  readonly observe: boolean;
  readonly quiet: boolean;
  readonly statusLine: 'auto' | 'always' | 'never';
  /** Relative to the working folder, or absolute. */
  readonly contextDir: string;
  /**
   * The folder by which a project's costs are known: `contextDir`, where no file says it that may have come with a
   * repository; undefined: the default one.
   */
  readonly costDir?: string;
  readonly flow: FlowGlobals;
}

/** Path of a value in the configuration: `window`, `thresholds.warn`. Those of `tools.byTool` are `ToolKey`s. */
export type ConfigPath = {
  [K in keyof Said]: Said[K] extends object ? `${K}.${Exclude<keyof Said[K] & string, 'byTool'>}` : K;
}[keyof Said];

/** Without derived values. */
type Said = Omit<Config, 'costDir'>;

export type ValueAt<P extends ConfigPath> = P extends `${infer G extends keyof Config}.${infer N}`
  ? Config[G][N & keyof Config[G]]
  : Config[P & keyof Config];

/**
 * The type of a key's value. For the compaction level: a level, or `economic`, which keeps the default level as the
 * last one.
 */
export type SettingAt<P extends ConfigPath> =
  | ValueAt<P>
  | (P extends 'thresholds.compact' ? Policy['compaction']['moment'] : never);

/** The override of one tool, which a file has in the group `tools`: `tools.Read`. */
export type ToolKey = `tools.${Capitalize<string> | `mcp__${string}`}`;

/** The source of a value. `where` is the file's path, the variable's name or the option. */
export interface Origin {
  /** `user`: the file in the home folder. `file`: any other, which may have come with a repository. */
  readonly source: 'flag' | 'env' | 'user' | 'file' | 'default';
  readonly where?: string;
}

export interface Finding {
  /** The key's path, or the file's or variable's name when no key could be made out. */
  readonly key: string;
  /** One line that starts with `key`, or the option that set it, and says what was expected, found, and what to do. */
  readonly message: string;
}

/** How names of tools begin; every other key of `tools` begins with a small letter. */
export const TOOL_NAME = /^(?:[A-Z]|mcp__)/;

/** Whether a key is the override of one tool, `tools.Read`. */
export function isToolKey(key: string): key is ToolKey {
  const [group, name = ''] = splitKey(key);
  return group === 'tools' && TOOL_NAME.test(name);
}

/** A key's group and its name in it, in which there may be dots; a key outside of groups is alone. */
export function splitKey(key: string): [group: string, name?: string] {
  const dot = key.indexOf('.');
  return dot < 0 ? [key] : [key.slice(0, dot), key.slice(dot + 1)];
}

/** The value of a key in a configuration; undefined if it is not set. */
export function valueAt(config: Config, key: ConfigPath | ToolKey): unknown {
  const [group, name] = splitKey(key);
  const level: unknown = isToolKey(key) ? config.tools.byTool : config[group as keyof Config];
  return name === undefined ? level : Object(level)[name];
}

/** The setting of a key; undefined if it is not set. */
export function settingAt(config: Config, key: ConfigPath | ToolKey): unknown {
  return key === 'thresholds.compact' ? config.compaction.moment : valueAt(config, key);
}

/** The higher rank wins. */
export const RANKS: Readonly<Record<Origin['source'], number>> = { default: 0, file: 1, user: 2, env: 3, flag: 4 };

/** How much a step's output counts when not all outputs fit. */
export type Priority = 'critical' | 'high' | 'medium' | 'low';

/**
 * In characters (code points): the size of a briefing, the share of the newest or a critical step's output, and that of
 * each other step.
 */
export interface Budgets {
  readonly contextBudgetChars: number;
  readonly historyRecentChars: number;
  readonly historyOlderChars: number;
}

/**
 * Overrides of one level (configuration, profile, flow, step). `contextBudgetTokens` replaces the characters: a share
 * of the window (≤ 1) or tokens (> 1). It scales the other two, unless they are set.
 */
export type BudgetChanges = Partial<Budgets> & {
  readonly preset?: 'lean' | 'balanced' | 'heavy';
  readonly contextBudgetTokens?: number;
};

/** The group `flow` of the configuration: defaults for all flows. */
export type FlowGlobals = BudgetChanges & {
  /** Like those of a flow, which override them. */
  readonly priorities: Readonly<Record<string, Priority>>;
  /** Whether flows that do not say it themselves have a curator. */
  readonly curator: boolean;
};
