import { priceAt } from '../core/governor/cost/prices.ts';
import { lifetimeOf, writePrice } from '../core/governor/cost/prompt-cache.ts';
import { inTokens, nativeLevel, type Policy } from '../core/governor/policy.ts';
import { BOUND, UNPRICED } from '../core/governor/relief/accounts.ts';
import { CALL_TOKENS, momentNow, reliefCost, USUALLY_MISSED } from '../core/governor/relief/economic-moment.ts';
import { TOO_SOON, USUALLY_KEPT } from '../core/governor/relief/outlook.ts';
import type { CallSeen } from './items-seen.ts';
import { createSight, LAST_STEPS } from './sight.ts';
import type { SessionSummary } from './summary.ts';
import {
  addFigures,
  type BilledCall,
  createTally,
  type Figures,
  type PriceOf,
  priceList,
  type Tally,
} from './tally.ts';

/** A session as recorded, and as estimated with ctxb. */
export interface SessionWhatIf {
  readonly actual: Figures;
  readonly ctxb: Figures;
  /** Number of main-thread calls; `estimated` of them follow a replaced context, so their growth is an estimate. */
  readonly calls: number;
  readonly estimated: number;
  /** Number of results fetched again with ctxb, each by a call of its own. */
  readonly fetched: number;
  /** The context of each call with ctxb, if the series was requested. */
  readonly curve?: readonly number[];
}

/** Totals over all sessions with calls. */
export interface WhatIfTotals extends Omit<SessionWhatIf, 'curve'> {
  readonly sessions: number;
  /** Number of sessions that would have cost more with ctxb, and the largest increase in US dollars. */
  readonly dearer: { readonly sessions: number; readonly mostUsd: number };
}

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
    const priceOf = priceList(policy.cost.prices, session.claudeCodeVersion);
    const [actual, ctxb] = [createTally(priceOf), createTally(priceOf)];
    const curve = simulate(steps, { policy, window, priceOf, actual, ctxb });
    const estimated = steps.filter(({ change }) => change === 'replaced').length;
    return {
      ...session,
      whatIf: {
        actual: actual.figures(),
        ctxb: ctxb.figures(),
        fetched: ctxb.fetched(),
        calls: steps.length,
        estimated,
        curve,
      },
    };
  });
}

/** undefined if no session was simulated. */
export function whatIfTotals(sessions: readonly SessionSummary[]): WhatIfTotals | undefined {
  const tried = sessions.flatMap(({ whatIf }) => whatIf ?? []);
  if (tried.length === 0) return undefined;
  const dearer = tried.map(({ actual, ctxb }) => (ctxb.usd ?? 0) - (actual.usd ?? 0)).filter((usd) => usd > 0);
  return {
    sessions: tried.length,
    dearer: { sessions: dearer.length, mostUsd: Math.max(0, ...dearer) },
    actual: tried.map(({ actual }) => actual).reduce(addFigures),
    ctxb: tried.map(({ ctxb }) => ctxb).reduce(addFigures),
    calls: tried.reduce((sum, { calls }) => sum + calls, 0),
    fetched: tried.reduce((sum, { fetched }) => sum + fetched, 0),
    estimated: tried.reduce((sum, { estimated }) => sum + estimated, 0),
  };
}

/** A drop by more than this share of the context, without a compaction, is a new context. */
const FRESH_SHARE = 0.5;

/** Tokens of a summary if the recording does not contain it: the median of 14 summaries in published sessions. */
const SUMMARY_TOKENS = 2_581;

type Step = ReturnType<typeof stepsOf>[number];

/** The calls of the main thread, and how the context of each differs from the previous one. */
function stepsOf({ series = [], compactions, actions }: SessionSummary) {
  const handoffs = actions.flatMap(({ kind, at }) => (kind === 'handed-over' ? [{ call: at.call, how: kind }] : []));
  const reliefs = new Map<number, string[]>();
  for (const { call, how } of [...compactions, ...handoffs]) reliefs.set(call, [...(reliefs.get(call) ?? []), how]);
  return series.map((call, at) => {
    const previous = series[at - 1];
    const relieved = reliefs.get(at) ?? [];
    const before = previous?.context ?? 0;
    const change = changeOf(call, previous, relieved.length);
    return {
      call,
      previous,
      change,
      reliefs: relieved.length,
      /** The calls that wrote summaries or handoff documents, which recordings do not contain. */
      summaries: relieved.filter((how) => how !== 'exact').map(() => summaryCall(call, previous)),
      /** Growth in tokens; negative if content was removed without a compaction. */
      growth: change === 'replaced' ? addedTokens(call) : call.context - before,
      /** Share of the previous context that was still cached; undefined if unknown. */
      warm: change === 'grown' && before > 0 ? call.cacheRead / before : undefined,
    };
  });
}

/** A summary call reads the whole previous context. */
function summaryCall({ model, added }: CallSeen, previous: CallSeen | undefined): BilledCall {
  const { context = 0, output: cacheCreation = 0 } = previous ?? {};
  return { model, input: 0, cacheCreation, cacheRead: context, output: added.summary || SUMMARY_TOKENS };
}

/**
 * - `first`: the first call, without a previous context
 * - `grown`: the context changed by `growth`
 * - `fresh`: the caller started a new context (`/clear`)
 * - `replaced`: a compaction or handoff came before; `growth` is estimated from what was added besides
 */
function changeOf(call: CallSeen, previous: CallSeen | undefined, reliefs: number) {
  if (previous === undefined) return 'first';
  if (reliefs > 0) return 'replaced';
  return call.context < previous.context * FRESH_SHARE ? 'fresh' : 'grown';
}

/** Estimated tokens added before a call, without the summary. */
function addedTokens({ added }: CallSeen): number {
  return Object.entries(added).reduce((sum, [source, tokens]) => sum + (source === 'summary' ? 0 : tokens), 0);
}

interface Simulation {
  readonly policy: Policy;
  readonly window: number;
  readonly priceOf: PriceOf;
  readonly actual: Tally;
  readonly ctxb: Tally;
}

/** If the cache contains a smaller share of the previous context, it had expired. */
const COLD_SHARE = 0.5;

/** The context of each call with exact compactions as soon as they pay. Assumes the recorded number of calls. */
function simulate(steps: readonly Step[], simulation: Simulation): readonly number[] {
  const fresh = steps.reduce((min, { call }) => Math.min(min, call.context), Number.POSITIVE_INFINITY);
  let seen: SimulationSoFar['seen'] = { calls: 0, grown: 0, since: 0 };
  const sight = createSight(steps.map(({ call, growth }) => ({ number: call.number, growth })));
  let before = 0;
  return steps.map((step, at) => {
    const full = before + (step.previous?.output ?? 0);
    const inUse = sight.inUse(step.call.number);
    const isDue = !isNew(step) && full >= dueAt(step, full, { ...simulation, fresh, seen, kept: inUse.tokens });
    if (isNew(step)) sight.renew();
    if (isDue) sight.relieve(at, inUse.results);
    const fetched = sight.fetch(step.call);
    const max = isDue ? contextAfter(fresh + inUse.tokens, step) : Number.POSITIVE_INFINITY;
    const context = fetched.reduce((sum, tokens) => sum + tokens + CALL_TOKENS, grownContext(step, before, max));
    for (const _ of fetched) simulation.ctxb.fetch(step.call.model, context);
    simulation.ctxb.called(
      billedCall(step, context, isDue ? fresh : Math.round(before * (step.warm ?? 1))),
      Number(isDue),
    );
    addActual(step, simulation.actual);
    seen = seenAfter(seen, context - before, isDue);
    before = context;
    return context;
  });
}

function seenAfter(
  { calls, grown, since }: SimulationSoFar['seen'],
  growth: number,
  isDue: boolean,
): SimulationSoFar['seen'] {
  if (isDue) return { calls: calls + 1, grown, since: 1 };
  return { calls: calls + 1, grown: grown + (calls > 0 ? Math.max(0, growth) : 0), since: since + 1 };
}

function addActual({ call, summaries, reliefs }: Step, actual: Tally): void {
  summaries.forEach(actual.add);
  actual.called(recordedCall(call), reliefs);
}

/** Context after a compaction in tokens. It keeps whole what the model has yet to see. @param base what stays anyway */
function contextAfter(base: number, { growth }: Step): number {
  return base + USUALLY_KEPT + Math.max(0, growth - LAST_STEPS);
}

/** Whether the caller started a new context. */
function isNew({ change }: Step): boolean {
  return change === 'first' || change === 'fresh';
}

interface SimulationSoFar {
  readonly fresh: number;
  /** Tokens of the results in use. */
  readonly kept: number;
  readonly seen: { readonly calls: number; readonly grown: number; readonly since: number };
}

/** The context in tokens at which a compaction is due before the next call. */
function dueAt(
  { call, previous, warm }: Step,
  full: number,
  { policy, window, priceOf, fresh, kept, seen, actual, ctxb }: Simulation & SimulationSoFar,
): number {
  if (!policy.compaction.enabled) return Number.POSITIVE_INFINITY;
  const [compact, native] = [
    inTokens(policy.thresholds.compact, window),
    nativeLevel(policy, window, call.model ?? undefined),
  ];
  const latest = call.turn !== previous?.turn && full >= compact ? compact : native;
  if (seen.since <= TOO_SOON) return latest;
  const { moment } = policy.compaction;
  if (moment !== 'economic') return Math.min(latest, inTokens(moment, window));
  const price = priceOf(call.model);
  const rates = price ? priceAt(price, full, call.terms?.fast) : UNPRICED;
  const outlook = {
    full,
    landing: fresh + kept + USUALLY_KEPT,
    prefix: fresh,
    ceiling: compact,
    how: 'exact' as const,
    answer: 0,
    kept,
    missed: USUALLY_MISSED,
    calls: seen.calls,
    growth: seen.grown / Math.max(1, seen.calls - 1),
    rates: {
      write: writePrice({ lifetimeMs: lifetimeOf(call) }, rates),
      cacheRead: rates.cacheRead,
      output: rates.output,
    },
  };
  // Only an expiry is foreseeable; other cache losses are not.
  const isIdle = (call.t ?? 0) - (previous?.t ?? 0) > lifetimeOf(previous ?? call);
  const isCold = isIdle && warm !== undefined && warm < COLD_SHARE;
  // As in a run, the stake excludes what stays besides contents. With an expired cache, removed contents need not be
  // written again.
  const spared = isCold ? Math.max(0, full - fresh - kept) * (outlook.rates.write - rates.cacheRead) : 0;
  const stake = (reliefCost({ ...outlook, landing: fresh + kept }) - spared) / 1_000_000;
  const isBearable = stake <= actual.microUsd() * BOUND - ctxb.microUsd();
  return isBearable || price === undefined ? Math.min(latest, momentNow(outlook, isCold)) : latest;
}

/** The context after growth, at most `max`. A removal without a compaction leaves at least the recorded context. */
function grownContext(step: Step, before: number, max: number): number {
  const { call, growth } = step;
  if (isNew(step)) return call.context;
  return Math.min(max, growth < 0 ? Math.max(before + growth, Math.min(before, call.context)) : before + growth);
}

function recordedCall(call: CallSeen): BilledCall {
  return { ...call, output: call.billedOutput };
}

/** The call billed with another context. @param cache tokens of it that are cached */
function billedCall(step: Step, context: number, cache: number): BilledCall {
  const { call } = step;
  const base = recordedCall(call);
  if (isNew(step)) return base;
  const cacheRead = Math.min(context, cache);
  const rest = context - cacheRead;
  const input = call.cacheCreation === 0 ? rest : Math.min(call.input, rest);
  // Keep the recorded share of cache writes with a lifetime of an hour.
  const share = call.cacheCreation > 0 ? (call.cacheCreationHour ?? 0) / call.cacheCreation : 0;
  const cacheCreation = rest - input;
  return { ...base, input, cacheCreation, cacheCreationHour: Math.round(cacheCreation * share), cacheRead };
}
