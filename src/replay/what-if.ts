import { priceAt, priceFor } from '../core/governor/cost/prices.ts';
import { idleBeyondLife, lifetimeOf, writePrice } from '../core/governor/cost/prompt-cache.ts';
import { inTokens, isBounded, nativeLevel, type Policy } from '../core/governor/policy.ts';
import { slackIn, UNPRICED } from '../core/governor/relief/accounts.ts';
import { SUMMARY_TOKENS } from '../core/governor/relief/alone.ts';
import { CALL_TOKENS, stakeOf } from '../core/governor/relief/economic-moment.ts';
import { growthPerCall, momentIn, TOO_SOON, USUALLY_KEPT } from '../core/governor/relief/outlook.ts';
import { sumOf } from '../core/text/sum-of.ts';
import type { CallSeen } from './items-seen.ts';
import { createSight, LAST_STEPS } from './sight.ts';
import type { SessionSummary } from './summary.ts';
import { addFigures, type BilledCall, createTally, type PriceOf } from './tally.ts';

/** A session as recorded, and as estimated with ctxb. */
export interface SessionWhatIf extends Omit<ReturnType<typeof simulate>, 'curve'> {
  /** The context of each call with ctxb, if the series was requested. */
  readonly curve?: readonly number[];
}

/** Totals over all sessions with calls. */
export type WhatIfTotals = NonNullable<ReturnType<typeof whatIfTotals>>;

/**
 * Simulates recorded sessions as if ctxb had made exact compactions as soon as they pay. Returns sessions without
 * calls, or with an unknown window, unchanged.
 *
 * @param sessions with their series
 */
export function withCtxb(sessions: readonly SessionSummary[], policy: Policy): SessionSummary[] {
  return sessions.map((session) => {
    const window = policy.window ?? session.window.tokens;
    const steps = stepsOf(session);
    if (window === null || steps.length === 0) return session;
    const priceOf: PriceOf = (model) => priceFor(model, policy.cost.prices, session.claudeCodeVersion);
    return { ...session, whatIf: simulate(steps, { policy, window, priceOf }) };
  });
}

/** undefined if no session was simulated. */
export function whatIfTotals(sessions: readonly SessionSummary[]) {
  const tried = sessions.flatMap(({ whatIf }) => whatIf ?? []);
  if (tried.length === 0) return undefined;
  const dearer = tried.map(({ actual, ctxb }) => (ctxb.usd ?? 0) - (actual.usd ?? 0)).filter((usd) => usd > 0);
  return {
    sessions: tried.length,
    /** Number of sessions that would have cost more with ctxb, and the largest increase in US dollars. */
    dearer: { sessions: dearer.length, mostUsd: Math.max(0, ...dearer) },
    actual: tried.map(({ actual }) => actual).reduce(addFigures),
    ctxb: tried.map(({ ctxb }) => ctxb).reduce(addFigures),
    calls: sumOf(tried, ({ calls }) => calls),
    fetched: sumOf(tried, ({ fetched }) => fetched),
    estimated: sumOf(tried, ({ estimated }) => estimated),
  };
}

/** A drop by more than this share of the context, without a compaction, is a new context. */
const FRESH_SHARE = 0.5;

type Step = ReturnType<typeof stepsOf>[number];

/** The calls of the main thread, and how the context of each differs from the previous one. */
function stepsOf({ series = [], compactions, actions }: SessionSummary) {
  const handoffs = actions.flatMap(({ kind, at }) => (kind === 'handed-over' ? [{ call: at.call, how: kind }] : []));
  const reliefs = [...compactions, ...handoffs];
  return series.map((call, index) => {
    const previous = series[index - 1];
    const relieved = reliefs.filter((relief) => relief.call === index);
    const before = previous?.context ?? 0;
    const isReplaced = previous !== undefined && relieved.length > 0;
    const isNew = previous === undefined || (!isReplaced && call.context < before * FRESH_SHARE);
    return {
      call,
      previous,
      /** The caller started a new context: the first one, or by `/clear`. */
      isNew,
      /** A compaction or handoff came before, so `growth` is estimated from what was added besides. */
      isReplaced,
      reliefs: relieved.length,
      /** The calls that wrote summaries or handoff documents, which recordings do not contain. */
      summaries: relieved.filter(({ how }) => how !== 'exact').map(() => summaryCall(call, previous)),
      /** Growth in tokens; negative if content was removed without a compaction. */
      growth: isReplaced ? addedTokens(call) : call.context - before,
      /** Share of the previous context that was still cached; undefined if unknown. */
      warm: !isNew && !isReplaced && before > 0 ? call.cacheRead / before : undefined,
    };
  });
}

/** A summary call reads the whole previous context. */
function summaryCall({ model, added }: CallSeen, previous: CallSeen | undefined): BilledCall {
  const { context = 0, output: cacheCreation = 0 } = previous ?? {};
  return { model, input: 0, cacheCreation, cacheRead: context, output: added.summary || SUMMARY_TOKENS };
}

/** Estimated tokens added before a call, without the summary. */
function addedTokens({ added }: CallSeen): number {
  return sumOf(Object.entries(added), ([source, tokens]) => (source === 'summary' ? 0 : tokens));
}

interface Assumptions {
  readonly policy: Policy;
  readonly window: number;
  readonly priceOf: PriceOf;
}

/** Exact compactions as soon as they pay. Assumes the recorded number of calls. */
function simulate(steps: readonly Step[], { policy, window, priceOf }: Assumptions) {
  const [actual, ctxb] = [createTally(priceOf), createTally(priceOf)];
  const fresh = steps.reduce((min, { call }) => Math.min(min, call.context), Number.POSITIVE_INFINITY);
  const sight = createSight(steps.map(({ call, growth }) => ({ number: call.number, growth })));
  const compact = inTokens(policy.thresholds.compact, window);
  /** The context of the previous call, the growth so far, and the number of calls since the last compaction. */
  let [before, grown, since] = [0, 0, 0];

  /** Within the bound, a compaction waits for claude's own level; without it, the level of the user applies between turns. */
  function latestFor({ call, previous }: Step): number {
    const isAtLevel = !isBounded(policy) && call.turn !== previous?.turn;
    return Math.min(nativeLevel(policy, window, call.model ?? undefined), isAtLevel ? compact : window);
  }

  /** The context in tokens at which a compaction is due before a call. @param kept tokens of the results in use */
  function dueAt(step: Step, calls: number, full: number, kept: number): number {
    if (!policy.compaction.enabled) return Number.POSITIVE_INFINITY;
    const { call } = step;
    const latest = latestFor(step);
    if (since <= TOO_SOON) return latest;
    const price = priceOf(call.model);
    const rates = price?.cacheRead ? priceAt(price, full, call.terms) : UNPRICED;
    const outlook = {
      full,
      landing: fresh + kept + USUALLY_KEPT,
      prefix: fresh,
      ceiling: compact,
      how: 'exact' as const,
      answer: 0,
      kept,
      missed: { calls: 0, tokens: 0 },
      calls,
      growth: growthPerCall(grown, calls),
      rates: { ...rates, write: writePrice({ lifetimeMs: lifetimeOf(call) }, rates) },
    };
    const { stake } = stakeOf(outlook, { isCold: isCold(step) });
    const isBearable = stake <= slackIn(actual.microUsd(), ctxb.microUsd());
    const isFree = price === undefined || !isBounded(policy);
    return isBearable || isFree ? Math.min(latest, momentIn(policy, window, outlook, isCold(step))) : latest;
  }

  const curve = steps.map((step, index) => {
    const { call, isNew, growth, warm = 1 } = step;
    const full = before + (step.previous?.output ?? 0);
    const inUse = sight.inUse(call.number);
    const isDue = !isNew && full >= dueAt(step, index, full, inUse.tokens);
    if (isNew) sight.renew();
    if (isDue) sight.relieve(index, inUse.results);
    const fetched = sight.fetch(call);
    // A compaction keeps whole what the model has yet to see.
    const landing = fresh + inUse.tokens + USUALLY_KEPT + Math.max(0, growth - LAST_STEPS);
    const own = Math.min(grownContext(step, before), isDue ? landing : Number.POSITIVE_INFINITY);
    const context = fetched.reduce((sum, tokens) => sum + tokens + CALL_TOKENS, own);
    ctxb.fetch(call.model, context, fetched.length);
    ctxb.called(billedCall(step, context, isDue ? fresh : Math.round(before * warm)), Number(isDue));
    step.summaries.forEach(actual.add);
    actual.called(recordedCall(call), step.reliefs);
    if (!isDue && index > 0) grown += Math.max(0, context - before);
    since = isDue ? 1 : since + 1;
    before = context;
    return context;
  });
  return {
    actual: actual.figures(),
    ctxb: ctxb.figures(),
    /** Number of results fetched again with ctxb, each by a call of its own. */
    fetched: ctxb.fetched(),
    /** Number of main-thread calls; `estimated` of them follow a replaced context, so their growth is an estimate. */
    calls: steps.length,
    estimated: steps.filter(({ isReplaced }) => isReplaced).length,
    curve,
  };
}

/** Whether the cache has expired before a call. Other cache losses are not foreseeable. */
function isCold({ call, previous = call }: Step): boolean {
  return idleBeyondLife({ usedAt: previous.t ?? 0, lifetimeMs: lifetimeOf(previous) }, call.t ?? 0) !== undefined;
}

/** The context after growth. A removal without a compaction leaves at least the recorded context. */
function grownContext({ call, isNew, growth }: Step, before: number): number {
  if (isNew) return call.context;
  return growth < 0 ? Math.max(before + growth, Math.min(before, call.context)) : before + growth;
}

function recordedCall(call: CallSeen): BilledCall {
  return { ...call, output: call.billedOutput };
}

/** The call billed with another context. @param cache tokens of it that are cached */
function billedCall(step: Step, context: number, cache: number): BilledCall {
  const { call } = step;
  const base = recordedCall(call);
  if (step.isNew) return base;
  const cacheRead = Math.min(context, cache);
  const rest = context - cacheRead;
  const input = call.cacheCreation === 0 ? rest : Math.min(call.input, rest);
  // Keep the recorded share of cache writes with a lifetime of an hour.
  const share = call.cacheCreation > 0 ? (call.cacheCreationHour ?? 0) / call.cacheCreation : 0;
  const cacheCreation = rest - input;
  return { ...base, input, cacheCreation, cacheCreationHour: Math.round(cacheCreation * share), cacheRead };
}
