import { toUsd } from '../core/governor/cost/cost.ts';
import { microUsdOf, type Price, type Prices, priceAt, priceFor } from '../core/governor/cost/prices.ts';
import { lifetimeOf, writePrice } from '../core/governor/cost/prompt-cache.ts';
import { inTokens, nativeLevel, type Policy } from '../core/governor/policy.ts';
import { UNPRICED } from '../core/governor/relief/accounts.ts';
import { CALL_TOKENS, momentNow, USUALLY_MISSED } from '../core/governor/relief/economic-moment.ts';
import { TOO_SOON, USUALLY_KEPT } from '../core/governor/relief/outlook.ts';
import { contextOf, type Usage } from '../core/protocol/usage.ts';
import { sumUsd } from './copies.ts';
import type { CallSeen } from './items-seen.ts';
import type { SessionSummary } from './summary.ts';

/** What the calls of the main thread come to. */
export interface Figures {
  /** Calls whose context is above these shares of the window. */
  readonly above: { readonly half: number; readonly seventy: number; readonly eightyFive: number };
  /** The largest context; over several sessions that of all. */
  readonly peak: number;
  /** Sum of their contexts, in tokens, and what of it the cache had. */
  readonly read: number;
  readonly cacheRead: number;
  /** At list prices; null where none of the models has a price. */
  readonly usd: number | null;
  /** Compactions and handoffs. */
  readonly reliefs: number;
}

/** A session as it was, and as ctxb would have had it. */
export interface SessionWhatIf {
  readonly actual: Figures;
  readonly ctxb: Figures;
  /** Calls of the main thread, and those at which the growth is estimated, as the context was replaced before them. */
  readonly calls: number;
  readonly estimated: number;
  /** The context of each call with ctxb, where the series was asked for. */
  readonly curve?: readonly number[];
}

/** The same over all sessions that have calls. */
export interface WhatIfTotals extends Omit<SessionWhatIf, 'curve'> {
  readonly sessions: number;
  /** Sessions that ctxb would have made dearer, and the most by which it would have one. */
  readonly dearer: { readonly sessions: number; readonly mostUsd: number };
}

/**
 * Goes through recorded sessions as if ctxb had compacted them exactly, as soon as that pays. Sessions without calls, or of
 * an unknown window, stay as they are.
 *
 * @param sessions with their series
 */
export function withCtxb(sessions: readonly SessionSummary[], policy: Policy): SessionSummary[] {
  return sessions.map((session) => {
    const window = policy.window ?? session.window.tokens;
    const steps = stepsOf(session);
    if (window === null || steps.length === 0) return session;
    const priceOf = priceList(policy.cost.prices, session.claudeCodeVersion);
    const [actual, ctxb] = [createTally(window, priceOf), createTally(window, priceOf)];
    for (const { call, summaries, reliefs } of steps) {
      for (const summary of summaries) actual.add(summary);
      actual.called(recorded(call), reliefs);
    }
    const curve = simulate(steps, { policy, window, priceOf }, ctxb);
    const estimated = steps.filter(({ change }) => change === 'replaced').length;
    return {
      ...session,
      whatIf: { actual: actual.figures(), ctxb: ctxb.figures(), calls: steps.length, estimated, curve },
    };
  });
}

/** undefined where no session was tried. */
export function whatIfTotals(sessions: readonly SessionSummary[]): WhatIfTotals | undefined {
  const tried = sessions.flatMap(({ whatIf }) => whatIf ?? []);
  if (tried.length === 0) return undefined;
  const dearer = tried.map(({ actual, ctxb }) => (ctxb.usd ?? 0) - (actual.usd ?? 0)).filter((usd) => usd > 0);
  return {
    sessions: tried.length,
    dearer: { sessions: dearer.length, mostUsd: Math.max(0, ...dearer) },
    actual: tried.map(({ actual }) => actual).reduce(added),
    ctxb: tried.map(({ ctxb }) => ctxb).reduce(added),
    calls: tried.reduce((sum, { calls }) => sum + calls, 0),
    estimated: tried.reduce((sum, { estimated }) => sum + estimated, 0),
  };
}

function added(a: Figures, b: Figures): Figures {
  return {
    above: {
      half: a.above.half + b.above.half,
      seventy: a.above.seventy + b.above.seventy,
      eightyFive: a.above.eightyFive + b.above.eightyFive,
    },
    peak: Math.max(a.peak, b.peak),
    read: a.read + b.read,
    cacheRead: a.cacheRead + b.cacheRead,
    usd: sumUsd([a.usd, b.usd]),
    reliefs: a.reliefs + b.reliefs,
  };
}

type PriceOf = (model: string | null) => Price | undefined;

/** Looks each model up once. */
function priceList(prices: Prices, version: string | null): PriceOf {
  const known = new Map<string | null, Price | undefined>();
  return (model) => {
    if (!known.has(model)) known.set(model, priceFor(model ?? '', prices, version));
    return known.get(model);
  };
}

/** A call as it is paid for. */
type Billed = Usage & Pick<CallSeen, 'model' | 'terms'>;

type Tally = ReturnType<typeof createTally>;

function createTally(window: number, priceOf: PriceOf) {
  const above = { half: 0, seventy: 0, eightyFive: 0 };
  const sums = { peak: 0, read: 0, cacheRead: 0, reliefs: 0 };
  let microUsd: number | undefined;

  /** A call that adds nothing to the context: it writes a summary, or fetches again what a relief took away. */
  function add(usage: Billed): void {
    const price = priceOf(usage.model);
    sums.read += contextOf(usage);
    sums.cacheRead += usage.cacheRead;
    if (price !== undefined) microUsd = (microUsd ?? 0) + microUsdOf(usage, price);
  }

  return {
    add,
    called(usage: Billed, reliefs: number): void {
      add(usage);
      const context = contextOf(usage);
      if (context > window * 0.5) above.half++;
      if (context > window * 0.7) above.seventy++;
      if (context > window * 0.85) above.eightyFive++;
      sums.peak = Math.max(sums.peak, context);
      sums.reliefs += reliefs;
    },
    figures: (): Figures => ({ ...sums, above, usd: microUsd === undefined ? null : toUsd(microUsd) }),
  };
}

/** A drop by more than this share of the context, without a compaction, is a fresh context. */
const FRESH_SHARE = 0.5;

/** What a summary has, in tokens, where the recording does not say: the median of 14 in published sessions. */
const SUMMARY_TOKENS = 2_581;

type Step = ReturnType<typeof stepsOf>[number];

/** The calls of the main thread, and how each came to its context. */
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
      /** The calls that wrote summaries or documents, which recordings do not have. */
      summaries: relieved.filter((how) => how !== 'exact').map(() => summaryCall(call, previous)),
      /** Tokens; negative where something was taken out without a compaction. */
      growth: change === 'replaced' ? addedTokens(call) : call.context - before,
      /** Share of the context before that the cache still had; undefined where that cannot be told. */
      warm: change === 'grown' && before > 0 ? call.cacheRead / before : undefined,
    };
  });
}

/** It reads all that there was. */
function summaryCall({ model, added }: CallSeen, previous: CallSeen | undefined): Billed {
  const { context = 0, output: cacheCreation = 0 } = previous ?? {};
  return { model, input: 0, cacheCreation, cacheRead: context, output: added.summary || SUMMARY_TOKENS };
}

/**
 * - `first`: nothing is known of what was before.
 * - `grown`: by `growth`.
 * - `fresh`: the caller began a new context (`/clear`).
 * - `replaced`: somebody relieved it; `growth` is what came in besides, estimated.
 */
function changeOf(call: CallSeen, previous: CallSeen | undefined, reliefs: number) {
  if (previous === undefined) return 'first';
  if (reliefs > 0) return 'replaced';
  return call.context < previous.context * FRESH_SHARE ? 'fresh' : 'grown';
}

/** What the lines show that came in, besides the summary itself. */
function addedTokens({ added }: CallSeen): number {
  return Object.entries(added).reduce((sum, [source, tokens]) => sum + (source === 'summary' ? 0 : tokens), 0);
}

interface Helm {
  readonly policy: Policy;
  readonly window: number;
  readonly priceOf: PriceOf;
}

/** With less of the context before it in the cache, a call's cache had expired. */
const COLD_SHARE = 0.5;

/** The context of each call, were exact compactions made as soon as they pay. As many calls are expected as there were. */
function simulate(steps: readonly Step[], helm: Helm, tally: Tally): readonly number[] {
  const fresh = steps.reduce((least, { call }) => Math.min(least, call.context), Number.POSITIVE_INFINITY);
  const seen = { calls: 0, grown: 0, since: 0 };
  let before = 0;
  return steps.map((step) => {
    const full = before + (step.previous?.output ?? 0);
    const grown = grownContext(step, before);
    const isDue = !isNew(step) && full >= dueAt(step, full, { ...helm, fresh, seen });
    const context = isDue ? Math.min(fresh + USUALLY_KEPT + USUALLY_MISSED.tokens, grown) : grown;
    const cache = isDue ? fresh : Math.round(before * (step.warm ?? 1));
    if (isDue) refetched(step, context).forEach(tally.add);
    tally.called(billed(step, context, cache), Number(isDue));
    if (seen.calls > 0 && !isDue) seen.grown += Math.max(0, context - before);
    seen.calls++;
    seen.since = isDue ? 1 : seen.since + 1;
    before = context;
    return context;
  });
}

/** A context of the caller's own. */
function isNew({ change }: Step): boolean {
  return change === 'first' || change === 'fresh';
}

interface Seen {
  readonly fresh: number;
  readonly seen: { readonly calls: number; readonly grown: number; readonly since: number };
}

/** The context, in tokens, from which the next call is compacted before. */
function dueAt(
  { call, previous, warm }: Step,
  full: number,
  { policy, window, priceOf, fresh, seen }: Helm & Seen,
): number {
  if (!policy.compaction.enabled) return Number.POSITIVE_INFINITY;
  const [compact, native] = [inTokens(policy.thresholds.compact, window), nativeLevel(policy, window)];
  const latest = call.turn !== previous?.turn && full >= compact ? compact : native;
  if (seen.since <= TOO_SOON) return latest;
  const { moment } = policy.compaction;
  if (moment !== 'economic') return Math.min(latest, inTokens(moment, window));
  const price = priceOf(call.model);
  const rates = price ? priceAt(price, full, call.terms?.fast) : UNPRICED;
  const outlook = {
    ...{ full, landing: fresh + USUALLY_KEPT, prefix: fresh, ceiling: compact, how: 'exact' as const },
    ...{ answer: 0, kept: 0, missed: USUALLY_MISSED, calls: seen.calls },
    growth: seen.grown / Math.max(1, seen.calls - 1),
    rates: {
      write: writePrice({ lifetimeMs: lifetimeOf(call) }, rates),
      cacheRead: rates.cacheRead,
      output: rates.output,
    },
  };
  return Math.min(latest, momentNow(outlook, warm !== undefined && warm < COLD_SHARE));
}

/** What is taken out of a context without a compaction leaves no less than there was left of the recorded one. */
function grownContext(step: Step, before: number): number {
  const { call, growth } = step;
  if (isNew(step)) return call.context;
  return growth < 0 ? Math.max(before + growth, Math.min(before, call.context)) : before + growth;
}

function recorded({
  model,
  input,
  cacheCreation,
  cacheCreationHour,
  cacheRead,
  billedOutput,
  terms,
}: CallSeen): Billed {
  const hour = cacheCreationHour === undefined ? {} : { cacheCreationHour };
  return { model, input, cacheCreation, ...hour, cacheRead, output: billedOutput, ...(terms && { terms }) };
}

/** A call of the main thread with another context. @param cache what the cache has of it */
function billed(step: Step, context: number, cache: number): Billed {
  const { call } = step;
  const base = recorded(call);
  if (isNew(step)) return base;
  const cacheRead = Math.min(context, cache);
  const rest = context - cacheRead;
  const input = call.cacheCreation === 0 ? rest : Math.min(call.input, rest);
  // As much is kept for an hour as it was in the recorded call, in proportion.
  const share = call.cacheCreation > 0 ? (call.cacheCreationHour ?? 0) / call.cacheCreation : 0;
  const cacheCreation = rest - input;
  return { ...base, input, cacheCreation, cacheCreationHour: Math.round(cacheCreation * share), cacheRead };
}

/** The calls that fetch again what a relief took away; what they bring is in its landing. */
function refetched({ call: { model } }: Step, context: number): Billed[] {
  const call = { model, input: 0, cacheRead: context, cacheCreation: 0, output: CALL_TOKENS };
  return Array.from({ length: USUALLY_MISSED.calls }, () => call);
}
