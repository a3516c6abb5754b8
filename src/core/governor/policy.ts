import type { Prices } from './cost/prices.ts';

/**
 * The user's policy; docs/configuration.md explains the keys. Thresholds are fractions of the window (≤ 1) or tokens (>
 * 1).
 */
export interface Policy {
  /** Size of the window in tokens, where the user knows better than claude. */
  readonly window: number | undefined;
  readonly thresholds: {
    readonly warn: number;
    readonly compact: number;
    readonly handoff: number;
    readonly midTurn: number;
  };
  /** How the context is relieved at a turn boundary. `auto` compares what each way costs and frees. */
  readonly strategy: 'compact' | 'handoff' | 'auto';
  readonly compaction: {
    readonly enabled: boolean;
    /**
     * `exact`: what stays is chosen by ctxb, without a call; `summary`: the model writes one. `auto` and `exact` are
     * exact where the claude can; `exact` says so where it can't.
     */
    readonly how: 'auto' | 'exact' | 'summary';
    /** When an exact compaction comes: when it pays, or at a level. `thresholds` are the latest in either case. */
    readonly moment: 'economic' | number;
    /** `next-prompt`: only when a prompt waits. `boundary`: at the end of the turn, at once. */
    readonly when: 'next-prompt' | 'boundary';
    /** The size that a compaction should reach. Below it a crossed threshold counts as not crossed. */
    readonly target: number;
    readonly timeoutSeconds: number;
    /** Compactions in a row that failed or freed nothing before it is given up. */
    readonly maxAttempts: number;
    /** Template of the focus; `{task}` and `{state}` are filled in. */
    readonly focus: string;
  };
  /** Whether claude's own compaction trigger is placed at `thresholds.midTurn`. */
  readonly midTurn: {
    readonly enabled: boolean;
    /** Compactions in a row in one turn, each filled again within a few calls, at which the turn is ended. */
    readonly maxCompactions: number;
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
    /** Times in a row that a claude that died is started again. */
    readonly maxRestarts: number;
    /** Seconds without a line after which claude is taken to hang; undefined or 0: it is never. */
    readonly stallAfter: number | undefined;
  };
  readonly tools: ToolsPolicy;
  readonly tiers: Tiers;
}

/** Budgets for results of tools. Sizes are fractions of the window (≤ 1) or tokens (> 1). */
export interface ToolsPolicy {
  /** `enforce`: cuts results that are too large, and keeps them in files. `advise`: only tells the agent. */
  readonly mode: 'enforce' | 'advise' | 'off';
  /** For one result. */
  readonly perCall: number;
  /** Never less than this, in tokens, however full everything is. */
  readonly minTokens: number;
  /** Remaining tokens below which the agent is told, and told again. */
  readonly warnBelow: number;
  readonly criticalBelow: number;
  /** Budgets instead of `perCall`, by the tool's name; `*` stands for any characters. */
  readonly byTool: Readonly<Record<string, number>>;
}

/** The plan for the context: targets inside the measured window, fractions of it (≤ 1) or tokens (> 1). */
export interface Tiers {
  /** System prompt and tools. */
  readonly system: number;
  /** The past: a summary, or a document that was handed over. */
  readonly history: number;
  /** Results of tools. */
  readonly toolResults: number;
  /** The caller's input. */
  readonly user: number;
  /** Kept free for the answer. */
  readonly response: number;
  readonly total: number;
}

/**
 * Notices as the context grows. `warning` begins here; `critical` begins at `thresholds.warn` and `handoff` at the
 * level of the handoff.
 */
export interface ZonesPolicy {
  readonly monitor: number;
  readonly warning: number;
  /** Estimated tokens above which a prompt is too large a task for the zone. */
  readonly largeInWarning: number;
  readonly largeInCritical: number;
  /** For such a prompt: announce it, make room first, or refuse it. */
  readonly onLargeTask: 'announce' | 'relieve' | 'reject';
  /** Minutes in `critical` until the agent is asked again to come to a stopping point. */
  readonly repromptMinutes: number;
  /** Whether to tell the agent how full its context is. */
  readonly tellAgent: boolean;
}

/** Limits in US dollars; undefined: none. */
export interface CostPolicy {
  readonly limitUsd: number | undefined;
  /** For all runs that keep their files in the same context folder, in one `period`. */
  readonly projectLimitUsd: number | undefined;
  readonly period: 'day' | 'month';
  /** Share of a limit at which it is announced. */
  readonly warnAt: number;
  /**
   * At a limit: `ask` the person at the terminal, `wrap-up` with one last prompt, `stop` at once. `auto` asks on a
   * terminal and wraps up elsewhere.
   */
  readonly onLimit: 'auto' | 'ask' | 'wrap-up' | 'stop';
  /**
   * A prompt that comes after the prompt cache has expired is announced when that makes it dearer by this, in US
   * dollars.
   */
  readonly expiredCacheUsd: number | 'off';
  /** Prices that are counted with instead of the built-in ones. */
  readonly prices: Prices;
}

/** Time, usage limits of the account, and outages of the API. Times in seconds. */
export interface LimitsPolicy {
  /** How long the run may take; undefined or 0: as long as it likes. */
  readonly time?: number | undefined;
  /** How long a run waits at most for a limit to reset; 0: it ends. */
  readonly wait: number;
  /** How long a turn is repeated while the API does not answer; undefined: as long as suits the run. */
  readonly outageWait: number | undefined;
  /** Share of a limit at which it is announced. */
  readonly warnAt: number;
}

/** Limits for subagents; undefined: none. */
export interface AgentsPolicy {
  /** How many agents one run may start, those of agents and workflows included. */
  readonly max: number | undefined;
  /** Tokens that all calls of one agent may read and write, including the prompt cache. */
  readonly tokens: number | undefined;
  readonly costUsd: number | undefined;
}

/** Working memory: notes outside the context, and how much of them is handed back. */
export interface MemoryPolicy {
  readonly enabled: boolean;
  /** Tokens of evidence that are handed back after a compaction, and again once its summary is known. */
  readonly restoreTokens: number;
}

/**
 * A threshold in whole tokens.
 *
 * @param threshold a fraction of the window (≤ 1) or tokens (> 1)
 * @param window tokens; undefined: not known, and no context reaches a share of it
 */
export function inTokens(threshold: number, window: number | undefined): number {
  if (threshold > 1) return threshold;
  return window === undefined ? Number.POSITIVE_INFINITY : Math.round(threshold * window);
}

/**
 * Space that Claude Code keeps free below the window before it compacts by itself: 20,000 for the answer and 13,000 for
 * the summary (measured: with a window setting of N it compacts at N − 33,000).
 */
export const NATIVE_RESERVE_TOKENS = 33_000;

/** With Haiku claude compacts only when the API refuses a prompt, though it reports a level (2.1.332). */
function hasNoLevel(model = ''): boolean {
  return model.includes('haiku');
}

/** The level at which claude alone compacts, in tokens. */
export function claudesLevel(model: string | undefined, window = Number.POSITIVE_INFINITY): number {
  return hasNoLevel(model) ? window : window - NATIVE_RESERVE_TOKENS;
}

/** Space for the request for a handoff document, the answer, and one correction. */
const ASKING_TOKENS = 8_000;

/** The least window whose native trigger is known; a smaller one is a budget of the user's below claude's own. */
export const LEAST_NATIVE_WINDOW = 100_000;

/** The settings that determine claude's own trigger and the levels near it. */
export type TriggerPolicy = Pick<Policy, 'thresholds' | 'compaction' | 'midTurn'>;

/** The level at which claude compacts by itself: ctxb's place for its trigger, or claude's last one. */
export function nativeLevel(policy: TriggerPolicy, window: number, model?: string): number {
  const rest = leavesTrigger(policy, model) ? undefined : restingTrigger(policy, window);
  return rest?.at ?? claudesLevel(model, window);
}

/** Where no compaction pays, a model without a level gets none from ctxb either. */
export function leavesTrigger({ compaction }: TriggerPolicy, model: string | undefined): boolean {
  return compaction.moment === 'economic' && hasNoLevel(model);
}

/**
 * The level of a handoff when nothing else makes room: below claude's own trigger by the space for the request, which
 * would otherwise set off the compaction.
 */
export function handoffLevel(policy: TriggerPolicy, window: number | undefined): number {
  const level = inTokens(policy.thresholds.handoff, window);
  if (window === undefined || window < LEAST_NATIVE_WINDOW) return level;
  const least = policy.compaction.enabled ? inTokens(policy.thresholds.compact, window) : 0;
  return Math.min(level, Math.max(nativeLevel(policy, window) - ASKING_TOKENS, least));
}

/** Bounds of `CLAUDE_CODE_AUTO_COMPACT_WINDOW`, in tokens. */
const PLACEABLE = { least: 100_000, most: 1_000_000 };

/**
 * The base of `CLAUDE_AUTOCOMPACT_PCT_OVERRIDE` with the smallest window setting: the window without 20,000 for the
 * answer (measured with 2.1.330: with 50 it compacts at 40,000). It only lowers the trigger.
 */
const LEAST_SETTING_TOKENS = PLACEABLE.least - 20_000;

/** A place for claude's own trigger, in tokens, and the settings that put it there. */
export interface TriggerSetting {
  readonly at: number;
  /** For `CLAUDE_CODE_AUTO_COMPACT_WINDOW`. */
  readonly setting: number;
  /** For `CLAUDE_AUTOCOMPACT_PCT_OVERRIDE`; undefined: the window alone says it. */
  readonly percent?: number;
}

/**
 * The resting place of claude's own trigger for this policy; undefined: it is not placed, or claude would not accept
 * it. With compaction off it rests as late as possible.
 */
export function restingTrigger(policy: TriggerPolicy, window: number): TriggerSetting | undefined {
  const { compaction, midTurn, thresholds } = policy;
  if (!midTurn.enabled) return undefined;
  const wanted = compaction.enabled ? inTokens(thresholds.midTurn, window) : window;
  const at = Math.floor(Math.min(wanted, window - NATIVE_RESERVE_TOKENS));
  const setting = at + NATIVE_RESERVE_TOKENS;
  return setting < PLACEABLE.least || setting > PLACEABLE.most ? undefined : { at, setting };
}

/** The same for a place below the smallest window setting, if claude accepts it. */
export function lowTriggerSetting(wanted: number): TriggerSetting {
  if (!needsPercent(wanted)) return { at: Math.floor(wanted), setting: Math.floor(wanted) + NATIVE_RESERVE_TOKENS };
  const percent = Math.ceil((wanted * 1_000) / LEAST_SETTING_TOKENS) / 10;
  return { at: Math.floor((LEAST_SETTING_TOKENS * percent) / 100), setting: PLACEABLE.least, percent };
}

/** Whether the window alone cannot place the trigger there. */
export function needsPercent(tokens: number): boolean {
  return tokens + NATIVE_RESERVE_TOKENS < PLACEABLE.least;
}
