import { contextOf, type Usage } from '../../protocol/usage.ts';
import { microUsdOf, type Price } from '../cost/prices.ts';
import { callOutput, type Gauge, predictedTokens, prefixOf, thoughtsPerCall } from '../gauge/gauge.ts';
import { callCost, readingCost, SUMMARY_TOKENS, summaryCost } from './call-cost.ts';
import type { Contents } from './content.ts';
import { CALL_TOKENS } from './economic-moment.ts';
import { type ReshownContents, reshownContents } from './working-set.ts';

/**
 * The baseline: the estimated cost of the same session with claude alone. It has its own context size: it grows by new
 * content only, and shrinks if claude or the API removes some. Calls that fetch again what a relief removed are not part
 * of it. The model writes a summary at claude's own level. `npm run outcome` compares it with runs of claude alone.
 */
export type Baseline = Readonly<typeof NEW_BASELINE>;

/** The last call. Its results show whether the baseline makes the call too. */
export interface OpenCall {
  readonly usage: Usage;
  readonly model: string | undefined;
  readonly price: Price;
  /** Growth of the baseline's context before the call, in tokens. */
  readonly growth: number;
  /**
   * Tokens that the call finds in the cache although the conversation has left it; undefined if the cache is complete.
   */
  readonly cachedTokens: number | undefined;
  /** Whether ctxb started the turn of the call, so that the baseline lacks it. */
  readonly isOwn: boolean;
}

export const NEW_BASELINE = {
  /** The baseline's context at its last call, in tokens. */
  context: 0,
  /** New input between the last call and the replacement of the context, in tokens. */
  carriedInput: 0,
  /** Whether the context was replaced since the last call. Then its size does not show the growth. */
  wasReplaced: false,
  /** Whether claude has compacted at its own level since the last call, so that the baseline has a summary there too. */
  isAtLevel: false,
  open: undefined as OpenCall | undefined,
  /** Costs of all calls except the open one, in micro-dollars: of the baseline and of the run. */
  microUsd: { baseline: 0, real: 0 },
  /**
   * The part of the baseline's cost for contents that it fetches again and the run does not, in micro-dollars. It is
   * uncertain, because claude might fetch others, or later.
   */
  uncertain: 0,
  /**
   * Number of failures that the baseline's last summary has removed, and the cost of repeating them, in micro-dollars.
   * ctxb reports this cost, but does not decide by it.
   */
  forgottenFailures: 0,
  retryCost: 0,
  /** The contents that claude shows again after the baseline's summary, if the last call followed one. */
  summary: undefined as ReshownContents | undefined,
  /** The turn of claude's last summary, the calls since it, and how many summaries in a row came that soon (`BREAKER`). */
  summaryTurn: -1,
  callsSinceSummary: 0,
  refills: 0,
  /** Whether claude alone would have left a prompt unanswered, so that ctxb reports no saving. */
  gaveUp: false,
};

/** claude ends a turn in which the window fills three times in a row, each time within two calls (2.1.332). */
const BREAKER = { refills: 3, calls: 2 };

/** Both costs in micro-dollars, including the open call. */
export function costsSoFar(baseline: Baseline, gauge: Gauge): Baseline['microUsd'] {
  return settleCall(baseline, callOutput(gauge), true).microUsd;
}

/** Adds a cost that is not a call of the main thread. @param both the part that the baseline pays too */
export function withCost(baseline: Baseline, real: number, both = 0): Baseline {
  const { microUsd } = baseline;
  return { ...baseline, microUsd: { baseline: microUsd.baseline + both, real: microUsd.real + real } };
}

/**
 * Updates the baseline after the context was replaced.
 * @param isOwn whether its own context is replaced too: by claude or the caller. Then the next call shows the context
 * of both.
 */
export function baselineAfterReplacing(
  baseline: Baseline,
  before: Gauge,
  { step }: Contents,
  isOwn: boolean,
): Baseline {
  if (isOwn)
    return { ...settleCall(baseline, callOutput(before), isCallOfBaseline(step)), context: 0, carriedInput: 0 };
  // In a resumed session, the baseline's first call reads the whole conversation.
  const known = baseline.open === undefined ? 0 : before.used;
  const carriedInput = baseline.carriedInput + (baseline.wasReplaced ? 0 : predictedTokens(before) - known);
  return { ...baseline, carriedInput, wasReplaced: true };
}

/** Counts a summary that claude alone begins too, in turn `turn`. */
export function countSummary(baseline: Baseline, turn: number): Baseline {
  const isSoon = baseline.summaryTurn === turn && baseline.callsSinceSummary <= BREAKER.calls;
  const refills = isSoon ? baseline.refills + 1 : 0;
  const gaveUp = baseline.gaveUp || refills >= BREAKER.refills;
  return { ...baseline, summaryTurn: turn, callsSinceSummary: 0, refills, gaveUp };
}

interface NewCall {
  readonly usage: Usage;
  readonly model: string | undefined;
  readonly price: Price;
  readonly turn: number;
  /** Tokens at which claude compacts without ctxb. */
  readonly level: number;
  readonly isOwn: boolean;
  /** Whether claude refuses prompts at that level. */
  readonly endsAtLevel: boolean;
  /** Whether the last call was so long ago that the cache may have expired. */
  readonly isIdle: boolean;
  /** Whether most calls so far found their context in the cache. */
  readonly isUsuallyCached: boolean;
  /** The gauge before the call. */
  readonly gauge: Gauge;
  readonly contents: Contents;
  /** Tokens that ctxb added to a context that was just replaced. */
  readonly given: number;
}

/** Updates the baseline after a measured call of the main thread. */
export function baselineAfterCall(before: Baseline, call: NewCall): Baseline {
  const {
    gauge,
    usage,
    contents: { step },
  } = call;
  const isFirst = before.open === undefined;
  // With a replaced context, claude renders the system prompt and the tools again, which only the run pays for.
  const mayBeRendered = before.wasReplaced && call.isUsuallyCached && previousPrice(before, call) === undefined;
  const isMissed = !mayBeRendered && isUncached(usage, before.wasReplaced ? undefined : gauge.used);
  const baseline = withExtraFetches(
    // The baseline does not run the subagents again.
    withCost(settleCall(before, callOutput(gauge), isCallOfBaseline(step)), step.refetchCost),
    call,
    isMissed && !isFirst && !call.isIdle,
  );
  const growthTokens = before.wasReplaced
    ? before.carriedInput + predictedTokens(gauge) - gauge.used
    : contextOf(usage) - gauge.used;
  const added = Math.max(0, growthTokens) * (1 - step.refetchedTokens / Math.max(1, step.size));
  // claude or the API may remove contents without a compaction, but never the system prompt and the tools.
  const removed = Math.min(0, Math.max(growthTokens, prefixOf(gauge) - baseline.context));
  // The call that fetches content stays in the context too.
  const fetched = step.baselineFetches.tokens + step.baselineFetches.calls * CALL_TOKENS;
  const fresh =
    isFirst && !before.wasReplaced
      ? contextOf(usage) - baseline.context - call.given
      : added + removed + step.cut + fetched;
  // The next call brings the content that a skipped call fetched.
  const openCall = isCallOfBaseline(step) ? undefined : before.open;
  const growth = (openCall?.growth ?? 0) + fresh;
  const isCold = isFirst || call.isIdle || isMissed;
  const cachedTokens = openCall?.cachedTokens ?? (isCold ? usage.cacheRead : undefined);
  const open = { usage, model: call.model, price: call.price, growth, cachedTokens, isOwn: call.isOwn };
  const next = { ...baseline, carriedInput: 0, wasReplaced: false, open, summary: undefined };
  return { ...withSummary(next, call, previousPrice(before, call)), isAtLevel: false };
}

/** The price of the previous model, if the call has another one. The new model finds nothing in the cache. */
function previousPrice({ open }: Baseline, { model }: NewCall): Price | undefined {
  return open === undefined || open.model === model ? undefined : open.price;
}

/** Whether the baseline makes the call that asked for the results of the step: some result is new to it. */
function isCallOfBaseline({ results, refetched }: Contents['step']): boolean {
  return results === 0 || refetched < results;
}

/**
 * Whether a call missed the cache.
 *
 * @param before tokens that the cache may contain. Undefined if the cache may contain only the system prompt and the
 * tools, whose size is unknown.
 */
function isUncached(usage: Usage, before: number | undefined): boolean {
  return before === undefined
    ? usage.cacheRead * MAX_CONTEXT_PER_PREFIX < contextOf(usage)
    : usage.cacheRead * 2 < before;
}

/** A context is at most this many times as large as the system prompt and the tools. */
const MAX_CONTEXT_PER_PREFIX = 20;

/**
 * Adds the calls that fetch contents again in the baseline, but not in the run.
 *
 * @param isCold whether these calls find an empty cache
 */
function withExtraFetches(baseline: Baseline, { contents, price, gauge }: NewCall, isCold: boolean): Baseline {
  const { calls, tokens } = contents.step.baselineFetches;
  const output = CALL_TOKENS + thoughtsPerCall(gauge);
  const cost = calls * readingCost(baseline.context + tokens / 2, output, price, isCold);
  const uncertain = baseline.uncertain + cost + readingCost(tokens, 0, price, true);
  return withCost({ ...baseline, uncertain }, 0, cost);
}

/**
 * Adds a summary if the baseline has reached claude's own level. The summary reads the whole context once more. If the
 * model has changed, the one before writes it, which still has the context in its cache.
 */
function withSummary(
  baseline: Baseline,
  { gauge, turn, level, endsAtLevel, contents, isIdle }: NewCall,
  previousPrice: Price | undefined,
): Baseline {
  const { open, context, isAtLevel } = baseline;
  if (open === undefined || (context + open.growth < level && !isAtLevel)) return baseline;
  const counted = countSummary(baseline, turn);
  const isCold = previousPrice === undefined ? open.cachedTokens !== undefined : isIdle;
  const reading = summaryCost(context, previousPrice ?? open.price, isCold);
  const prefix = prefixOf(gauge);
  const sizeAfter = prefix + SUMMARY_TOKENS + open.growth;
  const summary = reshownContents(contents, level - sizeAfter);
  const cached = previousPrice === undefined ? Math.round(prefix * CACHED_AFTER_SUMMARY) : 0;
  return {
    ...withCost(counted, 0, reading),
    gaveUp: counted.gaveUp || endsAtLevel,
    context: cached,
    // After a pause, the call for the summary has filled the cache.
    open: {
      ...open,
      growth: sizeAfter + summary.tokens - cached,
      cachedTokens: isIdle ? undefined : open.cachedTokens,
    },
    forgottenFailures: contents.failed.length,
    summary,
  };
}

/**
 * Share of the first call that is in the cache after a summary: the system prompt and the tools, without the text that
 * claude adds to the first message. The median of public sessions.
 */
const CACHED_AFTER_SUMMARY = 0.8;

/** Adds the cost of the open call. @param output output tokens of the open call */
function settleCall(baseline: Baseline, output: number, wasMade: boolean): Baseline {
  const { open, context } = baseline;
  if (open === undefined) return baseline;
  const { usage, price, growth, cachedTokens, isOwn } = open;
  const paid = withCost({ ...baseline, open: undefined }, microUsdOf(usage, price, output));
  if (isOwn || !wasMade) return paid;
  const cost = microUsdOf(baselineUsage(usage, context, growth, cachedTokens), price, output);
  const tried = baseline.forgottenFailures * RETRIED_SHARE;
  return {
    ...withCost(paid, 0, cost),
    context: context + growth,
    callsSinceSummary: baseline.callsSinceSummary + 1,
    forgottenFailures: baseline.forgottenFailures - tried,
    retryCost: baseline.retryCost + tried * callCost(context + growth, price),
  };
}

/** Share of the forgotten failures that a call repeats, fitted to `npm run outcome`. */
const RETRIED_SHARE = 1 / 40;

/** The usage of the call with the baseline's context. */
function baselineUsage(usage: Usage, context: number, growth: number, cachedTokens: number | undefined): Usage {
  const all = context + growth;
  if (usage.cacheCreation + usage.cacheRead === 0) return { ...usage, input: all };
  const read = Math.min(cachedTokens ?? context, all);
  const hour = usage.cacheCreationHour ? { cacheCreationHour: all - read } : {};
  return { ...usage, input: 0, cacheRead: read, cacheCreation: all - read, ...hour };
}
