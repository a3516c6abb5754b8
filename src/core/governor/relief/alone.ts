import { contextOf, type Usage } from '../../protocol/usage.ts';
import { microUsdOf, type Price } from '../cost/prices.ts';
import { callOutput, type Gauge, predictedTokens } from '../gauge/gauge.ts';
import type { Contents } from './content.ts';
import { CALL_TOKENS } from './economic-moment.ts';
import { reshownContents, type ShownContents } from './working-set.ts';

/**
 * Two accounts of the main thread's calls: their real cost, and the cost with claude alone. The context of claude alone
 * grows only by new content: not by content that is fetched again because a relief removed it, nor by the call that
 * fetches it. Its summaries come at claude's own level. An estimate; `npm run outcome` compares it with claude alone.
 */
export type Alone = Readonly<typeof NEW_ALONE>;

/** The last call, until its results show whether claude alone would have made it. */
export interface OpenCall {
  readonly usage: Usage;
  readonly price: Price;
  /** Growth of claude alone's context before the call, in tokens. */
  readonly growth: number;
  /** Tokens still in the cache if it had lost the conversation; undefined if the cache was complete. */
  readonly cold: number | undefined;
  /** Whether the call is in an injected turn, which claude alone does not make. */
  readonly isOwn: boolean;
}

export const NEW_ALONE = {
  /** Context of the last call that claude alone would have made, in tokens. */
  context: 0,
  /** New input between the last call and the replacement of the context, in tokens. */
  carried: 0,
  /** Whether the context was replaced since the last call, so that its growth is unknown. */
  replaced: false,
  open: undefined as OpenCall | undefined,
  /** Cost of all calls except the open one, in micro-dollars. */
  microUsd: { alone: 0, real: 0 },
  /** Part of it for fetching contents that the run still had, in micro-dollars: less certain than the rest. */
  owed: 0,
  /**
   * Failures that the last summary of claude alone made it forget, and the cost of trying those again, in micro-dollars:
   * reported, but no decision depends on it.
   */
  forgotten: 0,
  lost: 0,
  /** Set if claude alone would have summarised before the last call: the contents that it would show again. */
  summary: undefined as ShownContents | undefined,
};

/** Both accounts in micro-dollars, including the open call. */
export function accountsOf(alone: Alone, gauge: Gauge): Alone['microUsd'] {
  return settleCall(alone, callOutput(gauge), true).microUsd;
}

/** Adds a cost besides that of the main thread's calls. @param both its part that claude alone pays too */
export function withCost(alone: Alone, real: number, both = 0): Alone {
  const { microUsd } = alone;
  return { ...alone, microUsd: { alone: microUsd.alone + both, real: microUsd.real + real } };
}

/**
 * Handles a replaced context. `isOwn`: by claude or the caller, so it would have been replaced without ctxb too, and
 * the next call shows the context of both.
 */
export function aloneAfterReplacing(alone: Alone, before: Gauge, { step }: Contents, isOwn: boolean): Alone {
  if (isOwn) return { ...settleCall(alone, callOutput(before), wasMade(step)), context: 0, carried: 0 };
  const carried = alone.carried + (alone.replaced ? 0 : predictedTokens(before) - before.used);
  return { ...alone, carried, replaced: true };
}

interface NewCall {
  readonly usage: Usage;
  readonly price: Price;
  /** Tokens at which claude alone compacts. */
  readonly level: number;
  readonly isOwn: boolean;
  /** Whether the cache may have expired since the last call. */
  readonly isIdle: boolean;
  /** The gauge before the call. */
  readonly gauge: Gauge;
  readonly contents: Contents;
  /** Tokens that only the run has, in a context that was just replaced. */
  readonly given: number;
}

/** Handles a measured call of the main thread. */
export function aloneAfterCall(before: Alone, call: NewCall): Alone {
  const {
    gauge,
    usage,
    contents: { step },
  } = call;
  const isFirst = before.open === undefined;
  const isMissed = isUncached(usage, before.replaced ? undefined : gauge.used);
  const alone = withOwed(
    // Claude alone does not run the subagents again.
    withCost(settleCall(before, callOutput(gauge), wasMade(step)), step.cost),
    call,
    isMissed && !isFirst && !call.isIdle,
  );
  const growthTokens = before.replaced
    ? before.carried + predictedTokens(gauge) - gauge.used
    : contextOf(usage) - gauge.used;
  // A call that fetches content stays in the context too.
  const owed = step.owed.tokens + step.owed.calls * CALL_TOKENS;
  const fresh = isFirst
    ? contextOf(usage) - alone.context - call.given
    : Math.max(0, growthTokens) * (1 - step.tokens / Math.max(1, step.size)) + step.cut + owed;
  // Content that a skipped call fetched counts for the next call.
  const openCall = wasMade(step) ? undefined : before.open;
  const growth = (openCall?.growth ?? 0) + fresh;
  const isCold = isFirst || call.isIdle || isMissed;
  const cold = openCall?.cold ?? (isCold ? usage.cacheRead : undefined);
  const open = { usage, price: call.price, growth, cold, isOwn: call.isOwn };
  return withSummary({ ...alone, carried: 0, replaced: false, open, summary: undefined }, call);
}

/** Whether claude alone would have made the call that asked for the step's results. */
function wasMade({ results, again }: Contents['step']): boolean {
  return results === 0 || again < results;
}

/**
 * @param before tokens that the cache may contain; undefined if these are the system prompt and the tools, of unknown
 * size
 */
function isUncached(usage: Usage, before: number | undefined): boolean {
  return before === undefined ? usage.cacheRead * MIN_PREFIX < contextOf(usage) : usage.cacheRead * 2 < before;
}

/** The system prompt and the tools take more than a twentieth of a context. */
const MIN_PREFIX = 20;

/**
 * Adds the calls with which claude alone fetches contents that the run still had.
 *
 * @param isCold whether the calls find the cache empty
 */
function withOwed(alone: Alone, { contents, price }: NewCall, isCold: boolean): Alone {
  const { calls, tokens } = contents.step.owed;
  const cost = calls * readingCost(alone.context + tokens / 2, CALL_TOKENS, price, isCold);
  const owed = alone.owed + cost + readingCost(tokens, 0, price, true);
  return withCost({ ...alone, owed }, 0, cost);
}

/** Adds a summary of claude alone's at its own level: it reads the whole context once more. */
function withSummary(alone: Alone, { gauge: { first = 0 }, level, contents, isIdle }: NewCall): Alone {
  const { open, context } = alone;
  if (open === undefined || context + open.growth < level) return alone;
  const reading = summaryCost(context, open.price, open.cold !== undefined);
  const landing = first + SUMMARY_TOKENS + open.growth;
  const summary = reshownContents(contents, level - landing);
  const cached = Math.round(first * CACHED_SHARE);
  return {
    ...withCost(alone, 0, reading),
    context: cached,
    // After a pause, the summary has filled the cache.
    open: { ...open, growth: landing + summary.tokens - cached, cold: isIdle ? undefined : open.cold },
    forgotten: contents.failed.length,
    summary,
  };
}

/**
 * Share of the first call that claude finds in the cache after a summary: the system prompt and the tools, but not what
 * it adds to the first message. The median of public sessions.
 */
const CACHED_SHARE = 0.8;

/**
 * Length of a summary in tokens: the median of public recordings, without thoughts, because few are visible. After a
 * summary, claude keeps the system prompt, the tools, the summary and the current step.
 */
export const SUMMARY_TOKENS = 2_250;

/** Tokens of claude's request for a summary (2.1.332). */
const REQUEST_TOKENS = 1_600;

/** Cost of a summary, in micro-dollars. @param context tokens that claude summarises @param isCold whether the cache has expired */
export function summaryCost(context: number, price: Price, isCold: boolean): number {
  return readingCost(context, SUMMARY_TOKENS, price, isCold) + readingCost(REQUEST_TOKENS, 0, price, true);
}

/** @param output output tokens of the open call */
function settleCall(alone: Alone, output: number, wasMade: boolean): Alone {
  const { open, context } = alone;
  if (open === undefined) return alone;
  const { usage, price, growth, cold, isOwn } = open;
  const paid = withCost({ ...alone, open: undefined }, microUsdOf(usage, price, output));
  if (isOwn || !wasMade) return paid;
  const cost = microUsdOf(usageAlone(usage, context, growth, cold), price, output);
  const tried = alone.forgotten * TRIED_SHARE;
  return {
    ...withCost(paid, 0, cost),
    context: context + growth,
    forgotten: alone.forgotten - tried,
    lost: alone.lost + tried * callCost(context + growth, price),
  };
}

/** Share of the forgotten failures that each call tries again; close to `npm run outcome`. */
const TRIED_SHARE = 1 / 40;

/** The usage of the same call with the context of claude alone. */
function usageAlone(usage: Usage, context: number, growth: number, cold: number | undefined): Usage {
  const all = context + growth;
  if (usage.cacheCreation + usage.cacheRead === 0) return { ...usage, input: all };
  const read = cold === undefined ? context : Math.min(cold, all);
  const hour = usage.cacheCreationHour ? { cacheCreationHour: all - read } : {};
  return { ...usage, input: 0, cacheRead: read, cacheCreation: all - read, ...hour };
}

/** Cost of a call that only fetches content, in micro-dollars. @param context tokens that the call reads */
export function callCost(context: number, price: Price): number {
  return readingCost(context, CALL_TOKENS, price, false);
}

/** @param isCold whether the cache is empty */
function readingCost(tokens: number, output: number, price: Price, isCold: boolean): number {
  const all = Math.round(tokens);
  const [cacheRead, cacheCreation] = isCold ? [0, all] : [all, 0];
  return microUsdOf({ input: 0, cacheCreation, cacheRead, output }, price);
}
