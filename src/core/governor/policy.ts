import { mapFields } from '../protocol/fields.ts';
import type { Prices } from './cost/prices.ts';

/**
 * The user's policy; docs/configuration.md explains the keys. Thresholds are fractions of the window (≤ 1) or tokens (>
 * 1).
 */
export interface Policy {
  /** Size of the window in tokens, if the user knows better than claude. */
  readonly window: number | undefined;
  readonly thresholds: {
    readonly warn: number;
    readonly compact: number;
    readonly handoff: number;
    readonly midTurn: number;
  };
  /** Way to relieve the context between turns. */
  readonly strategy: 'compact' | 'handoff';
  readonly compaction: {
    readonly enabled: boolean;
    /**
     * `exact`: ctxb chooses what stays, without a call. `summary`: the model writes a summary. `auto` and `exact`
     * compact exactly if claude can; `exact` reports if it cannot.
     */
    readonly how: 'auto' | 'exact' | 'summary';
    /**
     * When an exact compaction begins: when it pays, or at a level. `thresholds` are the latest moment in either case.
     */
    readonly moment: 'economic' | number;
    /** `next-prompt`: only if a prompt waits. `boundary`: at once at the end of the turn. */
    readonly when: 'next-prompt' | 'boundary';
    /** The size that a compaction should reach. Below it, crossed thresholds are reset. */
    readonly target: number;
    readonly timeoutSeconds: number;
    /** Compactions in a row without success before ctxb gives up. */
    readonly maxAttempts: number;
    /** Template of the focus; `{task}` and `{state}` are filled in. */
    readonly focus: string;
  };
  /** Whether claude's own compaction trigger is placed at `thresholds.midTurn`. */
  readonly midTurn: {
    readonly enabled: boolean;
  };
  readonly task: string | undefined;
  readonly state: string | undefined;
  readonly memory: MemoryPolicy;
  readonly zones: ZonesPolicy;
  readonly handoff: {
    readonly enabled: boolean;
    readonly timeoutSeconds: number;
  };
  readonly cost: CostPolicy;
  readonly agents: AgentsPolicy;
  readonly limits: LimitsPolicy;
  readonly recovery: {
    readonly enabled: boolean;
    /** Maximum number of consecutive restarts after crashes. */
    readonly maxRestarts: number;
    /** Seconds without a line after which claude counts as stalled; undefined or 0: never. */
    readonly stallAfter: number | undefined;
  };
  readonly tools: ToolsPolicy;
  /** The planned size of the whole context, a fraction of the window (≤ 1) or tokens (> 1). */
  readonly tiers: { readonly total: number };
}

/** Budgets for results of tools. Sizes are fractions of the window (≤ 1) or tokens (> 1). */
export interface ToolsPolicy {
  /** `enforce`: cuts results that are too large, and stores the whole in files. `advise`: only tells the agent. */
  readonly mode: 'enforce' | 'advise' | 'off';
  /** Budget of one result. */
  readonly perCall: number;
  /** Minimum budget in tokens, even in a full context. */
  readonly minTokens: number;
  /** Remaining tokens below which ctxb warns the agent, once at each level. */
  readonly warnBelow: number;
  readonly criticalBelow: number;
  /** Budgets instead of `perCall`, by the tool's name; `*` stands for any characters. */
  readonly byTool: Readonly<Record<string, number>>;
}

/**
 * Notices as the context grows. `monitor` and `warning` are the levels at which these zones begin; `critical` begins at
 * `thresholds.warn`, and `handoff` at the level of the handoff.
 */
export interface ZonesPolicy {
  readonly monitor: number;
  readonly warning: number;
  /** Reaction to a prompt that is too large for the zone: announce it, make room first, or refuse it. */
  readonly onLargeTask: 'announce' | 'relieve' | 'reject';
  /** Whether to tell the agent how full its context is. */
  readonly tellAgent: boolean;
}

/** Limits in US dollars; undefined: no limit. */
export interface CostPolicy {
  readonly limitUsd: number | undefined;
  /** Limit for all runs with the same context folder, in one `period`. */
  readonly projectLimitUsd: number | undefined;
  readonly period: 'day' | 'month';
  /**
   * At a limit: `ask` the user at the terminal, `wrap-up` with one last prompt, `stop` at once. `auto` asks on a
   * terminal and wraps up elsewhere.
   */
  readonly onLimit: 'auto' | 'ask' | 'wrap-up' | 'stop';
  /** Prices that replace the built-in ones. */
  readonly prices: Prices;
}

/** Time, usage limits of the account, and outages of the API. Times in seconds. */
export interface LimitsPolicy {
  /** Longest duration of the run; undefined or 0: no limit. */
  readonly time?: number | undefined;
  /** Longest wait for the reset of a limit; 0: the run ends. */
  readonly wait: number;
  /** How long to repeat a turn while the API does not answer; undefined: the default of the kind of run. */
  readonly outageWait: number | undefined;
}

/** Limits for subagents; undefined: no limit. */
export interface AgentsPolicy {
  /** Maximum number of subagents that one run may start, including those of subagents and workflows. */
  readonly max: number | undefined;
  /** Maximum tokens that all calls of one subagent may read and write, including the prompt cache. */
  readonly tokens: number | undefined;
  readonly costUsd: number | undefined;
}

/** Working memory: notes outside the context, and how much of them is handed back. */
export interface MemoryPolicy {
  readonly enabled: boolean;
  /** Tokens of evidence handed back after a compaction, and again once its summary is known. */
  readonly restoreTokens: number;
}

/**
 * A threshold in whole tokens.
 *
 * @param threshold a fraction of the window (≤ 1) or tokens (> 1)
 * @param window tokens; undefined if unknown, and then no context reaches a fraction of it
 */
export function inTokens(threshold: number, window: number | undefined): number {
  if (threshold > 1) return threshold;
  return window === undefined ? Number.POSITIVE_INFINITY : Math.round(threshold * window);
}

/** Percentages of the plan. The caller's input is only measured, and counts against the whole. */
const PLAN = {
  total: 100,
  /** System prompt and tools. */
  system: 8,
  /** Earlier work: a summary, or a handoff document. */
  history: 12,
  /** Results of tools; `tools.perCall` limits a single one. */
  toolResults: 40,
  /** Kept free for the answer. */
  response: 30,
};

export type Plan = Readonly<typeof PLAN>;

/** The plan for the context in tokens. @param total as in the policy */
export function planInTokens(total: number, window: number | undefined): Plan {
  const size = inTokens(total, window);
  return { ...PLAN, ...mapFields(PLAN, (percent) => Math.floor((percent * size) / 100)) };
}

/**
 * Tokens that Claude Code keeps free below the window before it compacts by itself: 20,000 for the answer and 13,000
 * for the summary (measured: with a window setting of N it compacts at N − 33,000).
 */
export const NATIVE_RESERVE_TOKENS = 33_000;

/**
 * Whether claude ignores its compaction level for this model. With Haiku it compacts only after the API refuses a
 * prompt, although it reports a level (2.1.332).
 */
function hasNoLevel(model = ''): boolean {
  return model.includes('haiku');
}

/** The level at which claude alone compacts, in tokens. */
export function claudesLevel(model: string | undefined, window = Number.POSITIVE_INFINITY): number {
  return hasNoLevel(model) ? window : window - NATIVE_RESERVE_TOKENS;
}

/** Tokens of the window that claude keeps free for the answer. */
const ANSWER_TOKENS = 20_000;

/** The level that `CLAUDE_AUTOCOMPACT_PCT_OVERRIDE` sets. The variable can only lower it. claude does not report it. */
export function levelOfPercent(percent: number, window: number): number {
  return Math.round(Math.min(((window - ANSWER_TOKENS) * percent) / 100, window - NATIVE_RESERVE_TOKENS));
}

/** Tokens for the request for a handoff document and the answer, with room to spare. */
const HANDOFF_REQUEST_TOKENS = 8_000;

/** Smallest window whose native trigger is known. A smaller one is a budget that the user set, below claude's own. */
export const MIN_NATIVE_WINDOW = 100_000;

/** The level at which claude compacts by itself, in tokens: where ctxb placed its trigger, or claude's own. */
export function nativeLevel(policy: Policy, window: number, model?: string): number {
  const rest = leavesTriggerUnplaced(policy, model) ? undefined : restingTrigger(policy, window);
  return rest?.at ?? claudesLevel(model, window);
}

/** Whether ctxb places the trigger only where compacting pays, because claude has no level for this model. */
export function leavesTriggerUnplaced({ compaction }: Policy, model: string | undefined): boolean {
  return compaction.moment === 'economic' && hasNoLevel(model);
}

/**
 * The level of a handoff if no other way makes room: below claude's own trigger by the space for the request. Without
 * that space, the request itself would start claude's compaction.
 */
export function handoffLevel(policy: Policy, window: number | undefined): number {
  const level = inTokens(policy.thresholds.handoff, window);
  if (window === undefined || window < MIN_NATIVE_WINDOW) return level;
  const compactLevel = policy.compaction.enabled ? inTokens(policy.thresholds.compact, window) : 0;
  return Math.min(level, Math.max(nativeLevel(policy, window) - HANDOFF_REQUEST_TOKENS, compactLevel));
}

/** Whether the bound of costs applies. A configured level or strategy `handoff` applies regardless of costs. */
export function isBounded({ compaction, strategy }: Policy): boolean {
  return compaction.moment === 'economic' && strategy !== 'handoff';
}

/** Bounds of `CLAUDE_CODE_AUTO_COMPACT_WINDOW`, in tokens. */
const MIN_SETTING = 100_000;
const MAX_SETTING = 1_000_000;

/**
 * The tokens of which `CLAUDE_AUTOCOMPACT_PCT_OVERRIDE` is a percentage at the smallest window setting (2.1.330 compacts
 * at 40,000 with 50).
 */
const PERCENT_BASE = MIN_SETTING - ANSWER_TOKENS;

/** A level for claude's own trigger, in tokens, and the settings that set it. */
export interface TriggerSetting {
  readonly at: number;
  /** For `CLAUDE_CODE_AUTO_COMPACT_WINDOW`. */
  readonly setting: number;
  /** For `CLAUDE_AUTOCOMPACT_PCT_OVERRIDE`; undefined if the window setting alone suffices. */
  readonly percent?: number;
}

/**
 * The default level of claude's own trigger for this policy; undefined if ctxb does not place it, or if the window
 * setting alone cannot. With compaction off, as late as possible.
 */
export function restingTrigger(policy: Policy, window: number): TriggerSetting | undefined {
  const wanted = policy.compaction.enabled ? inTokens(policy.thresholds.midTurn, window) : window;
  const place = triggerAt(Math.min(wanted, window - NATIVE_RESERVE_TOKENS));
  const isPlaceable = place.percent === undefined && place.setting <= MAX_SETTING;
  return policy.midTurn.enabled && isPlaceable ? place : undefined;
}

/** The settings for any wanted level, in tokens. */
export function triggerAt(wanted: number): TriggerSetting {
  const at = Math.floor(wanted);
  if (!needsPercent(at)) return { at, setting: at + NATIVE_RESERVE_TOKENS };
  const percent = Math.ceil((wanted * 1_000) / PERCENT_BASE) / 10;
  return { at: Math.floor((PERCENT_BASE * percent) / 100), setting: MIN_SETTING, percent };
}

/** Whether a level in tokens is too low for the window setting alone. */
export function needsPercent(tokens: number): boolean {
  return tokens + NATIVE_RESERVE_TOKENS < MIN_SETTING;
}
