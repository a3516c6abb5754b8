import type { Policy } from '../core/governor/policy.ts';
import { findingsError } from '../errors.ts';

/** The effective configuration: every key resolved, with numbers in one unit. The keys are defined in `keys.ts`. */
export interface Config extends Policy {
  readonly observe: boolean;
  readonly quiet: boolean;
  readonly statusLine: 'auto' | 'always' | 'never';
  /** Path of the context folder: absolute, or relative to the working folder. */
  readonly contextDir: string;
  /** Identifies a project for its costs: `contextDir`, unless a file that may have come with a repository set it. */
  readonly costDir?: string;
  readonly flow: FlowGlobals;
}

/** Path of a value in the configuration: `window`, `thresholds.warn`. Paths in `tools.byTool` are `ToolKey`s. */
export type ConfigPath = {
  [K in Exclude<keyof Config, 'costDir'>]: Config[K] extends object
    ? `${K}.${Exclude<keyof Config[K] & string, 'byTool'>}`
    : K;
}[Exclude<keyof Config, 'costDir'>];

export type ValueAt<P extends ConfigPath> = P extends `${infer G extends keyof Config}.${infer N}`
  ? Config[G][N & keyof Config[G]]
  : Config[P & keyof Config];

/** The type of a key's value as it is set. With `economic`, the default compaction level stays the latest level. */
export type SettingAt<P extends ConfigPath> =
  | ValueAt<P>
  | (P extends 'thresholds.compact' ? Policy['compaction']['moment'] : never);

/** Key of the override for one tool, which a file sets in the group `tools`: `tools.Read`. */
export type ToolKey = `tools.${Capitalize<string> | `mcp__${string}`}`;

/** Where a value was set. `where` is the file's path, the variable's name or the option. */
export interface Origin {
  /** `user`: the file in the home folder. `file`: any other, which may have come with a repository. */
  readonly source: 'flag' | 'env' | 'user' | 'file' | 'default';
  readonly where?: string | undefined;
}

export interface Finding {
  /** The key's path; the name of the file or variable if no key was recognized. */
  readonly key: string;
  /**
   * One line that starts with `key`, or the option that set it, and names the expected value, the found value and a
   * remedy.
   */
  readonly message: string;
}

/** The configuration, if it has no findings. @throws CtxbError `config` with every finding, one per line */
export function requireValid<R extends { readonly findings: readonly Finding[] }>(resolved: R): R {
  if (resolved.findings.length > 0) throw findingsError('the configuration', resolved.findings);
  return resolved;
}

/** The beginning of a tool's name. All other keys of `tools` begin with a lower-case letter. */
export const TOOL_NAME = /^(?:[A-Z]|mcp__)/;

export function isToolKey(key: string): key is ToolKey {
  const [group, name = ''] = splitKey(key);
  return group === 'tools' && TOOL_NAME.test(name);
}

/** Splits a key into its group and its name, which may contain dots. A key without a group has no name. */
export function splitKey(key: string): [group: string, name?: string] {
  const dot = key.indexOf('.');
  return dot < 0 ? [key] : [key.slice(0, dot), key.slice(dot + 1)];
}

export function valueAt(config: Config, key: ConfigPath | ToolKey): unknown {
  const [group, name] = splitKey(key);
  const level: unknown = isToolKey(key) ? config.tools.byTool : config[group as keyof Config];
  return name === undefined ? level : Object(level)[name];
}

export function settingAt(config: Config, key: ConfigPath | ToolKey): unknown {
  return key === 'thresholds.compact' ? config.compaction.moment : valueAt(config, key);
}

/** Precedence of the sources: the higher rank wins. */
export const SOURCE_RANKS: Readonly<Record<Origin['source'], number>> = {
  default: 0,
  file: 1,
  user: 2,
  env: 3,
  flag: 4,
};

/** Importance of a step's output when not all outputs fit. */
export type Priority = 'critical' | 'high' | 'medium' | 'low';

/**
 * In code points: the size of a briefing, the share of the newest or a critical step's output, and the share of every
 * other output. The first one bounds the other two.
 */
export const BUDGET_FIELDS = ['contextBudgetChars', 'historyRecentChars', 'historyOlderChars'] as const;

export type BudgetField = (typeof BUDGET_FIELDS)[number];

export type Budgets = Readonly<Record<BudgetField, number>>;

/** Overrides at one level (configuration, profile, flow, step). */
export type BudgetChanges = Partial<Budgets> & {
  readonly preset?: 'lean' | 'balanced' | 'heavy';
};

export type FlowGlobals = BudgetChanges & {
  /** Default for flows that do not configure a curator. */
  readonly curator: boolean;
};
