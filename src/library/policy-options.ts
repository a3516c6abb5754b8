import { requireValid } from '../config/config.ts';
import { resolveFile } from '../config/resolve-config.ts';
import type { CostPolicy, LimitsPolicy, Policy, ToolsPolicy, ZonesPolicy } from '../core/governor/policy.ts';
import { isFields, mapFields } from '../core/protocol/fields.ts';

/** A share of the window (`0.78`, `"78%"`), or tokens (a number above 100). */
export type Share = number | `${number}%`;

/** Every key is optional. */
type Options<T> = { readonly [K in keyof T]?: T[K] | undefined };

/** Like Options, for keys that accept a share of the window or tokens. */
type Shares<T> = { readonly [K in keyof T]?: Share | undefined };

/**
 * US dollars per million tokens of one model. Omitted cache prices follow the input price, as in the API: `cacheWrite`
 * is 1.25, `cacheWriteHour` 2 and `cacheRead` 0.1 times as high.
 */
export interface PriceOptions {
  readonly input: number;
  readonly output: number;
  readonly cacheWrite?: number | undefined;
  readonly cacheWriteHour?: number | undefined;
  readonly cacheRead?: number | undefined;
}

/**
 * The keys of a `.contextbudgetrc` that decisions depend on, with the defaults that README and
 * `contextbudgetrc.schema.json` name. Unknown keys and invalid values are refused, all in one error.
 */
export interface PolicyOptions {
  /** Size of the window in tokens, if you know it better than claude. Default: measured. */
  readonly window?: number | undefined;
  /** Defaults: `warn` 0.70, `compact` "economic" (as soon as it pays), `handoff` 0.85, `midTurn` 1. */
  readonly thresholds?:
    | (Shares<Omit<Policy['thresholds'], 'compact'>> & { readonly compact?: 'economic' | Share | undefined })
    | undefined;
  /** How to relieve the context at a turn boundary. Default `compact`. */
  readonly strategy?: Policy['strategy'] | undefined;
  readonly compaction?:
    | (Options<Omit<Policy['compaction'], 'moment' | 'target' | 'maxAttempts'>> &
        Shares<Pick<Policy['compaction'], 'target'>>)
    | undefined;
  readonly midTurn?: Options<Pick<Policy['midTurn'], 'enabled'>> | undefined;
  /** The subject of the work: `{task}` of `compaction.focus`. */
  readonly task?: string | undefined;
  /** The progress of the work: `{state}` of `compaction.focus`. */
  readonly state?: string | undefined;
  readonly memory?: Options<Omit<Policy['memory'], 'restoreTokens'>> | undefined;
  readonly zones?: Options<Pick<ZonesPolicy, 'onLargeTask' | 'tellAgent'>> | undefined;
  readonly handoff?: Options<Pick<Policy['handoff'], 'enabled'>> | undefined;
  readonly cost?:
    | (Options<Omit<CostPolicy, 'prices'>> & {
        /** Keyed by the beginning of a model id. */
        readonly prices?: Readonly<Record<string, PriceOptions>> | undefined;
      })
    | undefined;
  /** Durations (`"6h"`) or seconds. */
  readonly limits?: { readonly [K in keyof LimitsPolicy]?: number | string | undefined } | undefined;
  readonly agents?: Options<Policy['agents']> | undefined;
  readonly recovery?:
    | { readonly enabled?: boolean | undefined; readonly stallAfter?: number | string | undefined }
    | undefined;
  readonly tools?: (Options<Pick<ToolsPolicy, 'mode'>> & Shares<Pick<ToolsPolicy, 'perCall'>> & ByTool) | undefined;
  readonly tiers?: Shares<Policy['tiers']> | undefined;
}

/** Overrides of `perCall` by the tool's name, in which `*` matches any characters. */
type ByTool = { readonly [tool: Capitalize<string> | `mcp__${string}`]: Share | undefined };

/**
 * Completes the options with defaults.
 *
 * @throws CtxbError `config` with every finding, one per line
 */
export function resolvePolicy(options: PolicyOptions = {}): Policy {
  return requireValid(resolveFile({ path: 'policy', content: withoutUndefined(options) })).config;
}

/** An undefined value counts as omitted. */
export function withoutUndefined<T>(value: T): T {
  return isFields(value) ? (mapFields(value, withoutUndefined) as T) : value;
}
