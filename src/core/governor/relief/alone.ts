import { contextOf, type Usage } from '../../protocol/usage.ts';
import { microUsdOf, type Price } from '../cost/prices.ts';
import { callOutput, type Gauge, predicted } from '../gauge/gauge.ts';
import type { Contents } from './contents.ts';
import { CALL_TOKENS, USUALLY_MISSED } from './economic-moment.ts';
import { type Shown, shownAgain } from './working-set.ts';

/**
 * The second account: what the calls of the main thread would have cost claude alone, beside what they did cost. Its
 * context grows by what is really new; what is fetched again because a relief took it away is not, nor is the call that
 * fetches it. Its summaries come at claude's own level. An estimate: `npm run outcome` holds it against claude alone.
 */
export type Alone = Readonly<typeof NEW_ALONE>;

/** The last call, until what follows shows whether claude alone would have made it. */
export interface OpenCall {
  readonly usage: Usage;
  readonly price: Price;
  /** By how much the context of claude alone grew before it, in tokens. */
  readonly growth: number;
  /** What the cache still had, in tokens, where it had nothing of the conversation; undefined: it had all. */
  readonly cold: number | undefined;
  /** ctxb's own turns are not made by claude alone. */
  readonly isOwn: boolean;
}

export const NEW_ALONE = {
  /** Of the last call that claude alone would have made, in tokens. */
  context: 0,
  /** What has come in since the last call when the context was replaced, in tokens. */
  carried: 0,
  /** The context was replaced since the last call, so its growth is unknown. */
  replaced: false,
  open: undefined as OpenCall | undefined,
  /** Micro-dollars of all calls but the open one. */
  microUsd: { alone: 0, real: 0 },
  /** What claude alone would have paid for what its summaries lose, in micro-dollars: told, but nothing is staked on it. */
  lost: 0,
  /** Before the last call claude alone would have had its context summed up. */
  summary: undefined as Shown | undefined,
};

/** Both accounts in micro-dollars, the open call included. */
export interface Accounts {
  readonly alone: number;
  readonly real: number;
}

export function accountsOf(alone: Alone, gauge: Gauge): Accounts {
  return settled(alone, callOutput(gauge), true).microUsd;
}

/** ctxb had a summary written, whose calls are not on the stream. */
export function aloneAfterSummary(alone: Alone, microUsd: number): Alone {
  return { ...alone, microUsd: { ...alone.microUsd, real: alone.microUsd.real + microUsd } };
}

/** What the run has saved beside claude alone; below 0 it has cost more. */
export function savedMicroUsd(alone: Alone, gauge: Gauge): number {
  const { alone: without, real } = accountsOf(alone, gauge);
  return without + alone.lost - real;
}

/** The context was replaced. `isOwn`: by claude or the caller, so that it would have been without ctxb. */
export function aloneAfterReplacing(alone: Alone, before: Gauge, landing: Gauge, isOwn: boolean): Alone {
  if (isOwn) return { ...alone, context: predicted(landing), carried: 0, replaced: true };
  const carried = alone.carried + (alone.replaced ? 0 : predicted(before) - before.used);
  return { ...alone, carried, replaced: true };
}

interface NewCall {
  readonly usage: Usage;
  readonly price: Price;
  /** Tokens at which claude alone compacts. */
  readonly level: number;
  readonly isOwn: boolean;
  /** The cache may have expired since the last call. */
  readonly isIdle: boolean;
  /** Just before the call. */
  readonly gauge: Gauge;
  readonly contents: Contents;
}

/** A call of the main thread was measured. */
export function aloneAfterCall(before: Alone, call: NewCall): Alone {
  const { gauge, contents, usage } = call;
  const { step } = contents;
  const wasMade = step.results === 0 || step.again < step.results;
  const isFirst = before.open === undefined;
  const isMissed = isUncached(usage, before.replaced ? undefined : gauge.used);
  const alone = withOwed(settled(before, callOutput(gauge), wasMade), call, isMissed && !isFirst && !call.isIdle);
  const grown = before.replaced ? before.carried + predicted(gauge) - gauge.used : contextOf(usage) - gauge.used;
  // A call that fetches something stays in the context too.
  const owed = step.owed.tokens + step.owed.calls * CALL_TOKENS;
  const fresh = isFirst
    ? contextOf(usage) - alone.context
    : Math.max(0, grown) * (1 - step.tokens / Math.max(1, step.size)) + owed;
  // What a call that was not made has found, the next one finds.
  const left = wasMade ? undefined : before.open;
  const growth = (left?.growth ?? 0) + fresh;
  const isCold = isFirst || call.isIdle || isMissed;
  const cold = left?.cold ?? (isCold ? usage.cacheRead : undefined);
  const open = { usage, price: call.price, growth, cold, isOwn: call.isOwn };
  return withSummary({ ...alone, carried: 0, replaced: false, open, summary: undefined }, call);
}

/** @param before what the cache may hold, in tokens; undefined: the system prompt and the tools, how large they may be */
function isUncached(usage: Usage, before: number | undefined): boolean {
  return before === undefined ? usage.cacheRead * LEAST_PREFIX < contextOf(usage) : usage.cacheRead * 2 < before;
}

/** System prompt and tools take more than this part of a context: one in 20 tokens. */
const LEAST_PREFIX = 20;

/**
 * Claude alone fetches contents that the run still held.
 *
 * @param isCold no call finds anything in the cache
 */
function withOwed(alone: Alone, { contents, price }: NewCall, isCold: boolean): Alone {
  const { calls, tokens } = contents.step.owed;
  const cost = readingCost(alone.context + tokens / 2, CALL_TOKENS, price, isCold);
  return { ...alone, microUsd: { ...alone.microUsd, alone: alone.microUsd.alone + calls * cost } };
}

/** At its own level claude has its context summed up, which reads all of it once more. */
function withSummary(alone: Alone, { gauge, level, contents }: NewCall): Alone {
  const { open, context, microUsd } = alone;
  const { first = 0 } = gauge;
  if (open === undefined || context + open.growth < level) return alone;
  const reading = readingCost(context, SUMMARY_TOKENS, open.price, open.cold !== undefined);
  const landing = first + SUMMARY_TOKENS + open.growth;
  const summary = shownAgain(contents, level - landing);
  const again = USUALLY_MISSED.calls * callCost(landing + summary.tokens, open.price);
  return {
    ...alone,
    context: first,
    open: { ...open, growth: landing + summary.tokens - first },
    microUsd: { ...microUsd, alone: microUsd.alone + reading + again },
    // What is known to fail is tried once more.
    lost: alone.lost + contents.failed.length * callCost((landing + level) / 2, open.price),
    summary,
  };
}

/**
 * What the model writes for a summary: the median of public recordings. Its thoughts are left out, as few can be seen.
 * Beside system prompt and tools, it leaves the summary and the step under way.
 */
const SUMMARY_TOKENS = 2_250;

/** @param output tokens of the open call */
function settled(alone: Alone, output: number, wasMade: boolean): Alone {
  const { open, context, microUsd } = alone;
  if (open === undefined) return alone;
  const { usage, price, growth, cold, isOwn } = open;
  const real = microUsd.real + microUsdOf(usage, price, output);
  if (isOwn || !wasMade) return { ...alone, open: undefined, microUsd: { ...microUsd, real } };
  const cost = microUsdOf(usageAlone(usage, context, growth, cold), price, output);
  return {
    ...alone,
    open: undefined,
    context: context + growth,
    microUsd: { alone: microUsd.alone + cost, real },
  };
}

/** The same call with the context of claude alone. */
function usageAlone(usage: Usage, context: number, growth: number, cold: number | undefined): Usage {
  const all = context + growth;
  if (usage.cacheCreation + usage.cacheRead === 0) return { ...usage, input: all };
  const read = cold === undefined ? context : Math.min(cold, all);
  const hour = usage.cacheCreationHour === undefined ? {} : { cacheCreationHour: all - read };
  return { ...usage, input: 0, cacheRead: read, cacheCreation: all - read, ...hour };
}

/** What a call costs that only fetches something, in micro-dollars. @param context what it reads, in tokens */
export function callCost(context: number, price: Price): number {
  return readingCost(context, CALL_TOKENS, price, false);
}

/** @param isCold the cache has nothing of it */
function readingCost(tokens: number, output: number, price: Price, isCold: boolean): number {
  const all = Math.round(tokens);
  const [cacheRead, cacheCreation] = isCold ? [0, all] : [all, 0];
  return microUsdOf({ input: 0, cacheCreation, cacheRead, output }, price);
}
