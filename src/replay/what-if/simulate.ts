import { toUsd } from '../../core/governor/cost/cost.ts';
import { microUsdOf, type Price, type Prices, priceFor, priceOf } from '../../core/governor/cost/prices.ts';
import { CALL_TOKENS } from '../../core/governor/relief/economic-moment.ts';
import { contextOf, type Usage } from '../../core/protocol/usage.ts';
import type { CallSeen, ResultSeen } from '../items-seen.ts';
import type { SessionSummary } from '../summary.ts';
import type { Pilot, Relieved, Situation } from './pilot.ts';
import type { Figures, Reading, ReliefBy, WhatIfRun } from './what-if.ts';

export type PriceOf = (model: string | null) => Price | undefined;

/** Looks each model up once. @param lists prices that count before the built-in ones, the first before the others */
export function priceList(lists: readonly Prices[], version: string | null): PriceOf {
  const known = new Map<string | null, Price | undefined>();
  const find = (model: string) =>
    lists.map((prices) => priceOf(model, prices)).find((price) => price !== undefined) ?? priceFor(model, {}, version);
  return (model) => {
    if (!known.has(model)) known.set(model, find(model ?? ''));
    return known.get(model);
  };
}

/** A call as it is paid for. */
type Billed = Usage & { readonly model: string | null };

type Simulated = Omit<WhatIfRun, 'name' | 'trigger'> & { readonly curve: readonly number[] };

/** Goes through a recorded session as if the pilot had been at the helm. @param window that shares are of, in tokens */
export function simulate(
  { steps, caches }: RecordedSteps,
  pilot: Pilot,
  window: number,
  priceOfModel: PriceOf,
): Simulated {
  const tally = createTally(window, priceOfModel);
  const curve: number[] = [];
  let exhaustedAfter: number | null = null;
  for (const step of steps) {
    const before = curve.at(-1) ?? 0;
    const full = before + (step.previous?.output ?? 0);
    const cuts = pilot.cuts(step, full);
    const grown = grownContext(step, before, cuts);
    const reliefs = pilot.reliefs(step, { full, grown });
    const hit = cached(step, before, caches);
    for (const relief of reliefs) {
      tally.relieved(relief.by);
      if (relief.missed) missedCalls(step, relief, caches).forEach(tally.main.add);
      else tally.relief.add(reliefCall(step, relief, { full, grown, hit, caches }));
    }
    const { landing: context, prefix } = reliefs.at(-1) ?? { landing: grown, prefix: hit };
    if (context > pilot.most) exhaustedAfter ??= curve.length;
    tally.called(step, mainCall(step, context, reliefs.length === 0 || caches ? prefix : 0), cuts);
    pilot.called(step, context, reliefs);
    curve.push(context);
  }
  // No call followed these: nothing shows what they read.
  pilot.after.forEach(tally.relieved);
  return { ...tally.found(), last: curve.at(-1) ?? 0, exhaustedAfter, curve };
}

/** What is taken out of a context without a compaction leaves no less than there was left of the recorded one. */
function grownContext({ change, call, growth }: Step, before: number, cuts: readonly number[]): number {
  if (change === 'first' || change === 'fresh') return call.context;
  if (growth < 0) return Math.max(before + growth, Math.min(before, call.context));
  return before + Math.max(0, growth - sumOf(cuts));
}

/** The cache has what it had in the recording, in proportion: it was as cold after the same pauses. */
function cached({ warm }: Step, before: number, caches: boolean): number {
  return Math.round(before * (warm ?? (caches ? 1 : 0)));
}

/** A call of the main thread. @param cache what the cache has, where it goes on from the call before */
function mainCall(step: Step, context: number, cache: number): Billed {
  const { model, input, cacheCreation, cacheRead, billedOutput, terms } = step.call;
  const base = { model, output: billedOutput, ...(terms && { terms }) };
  if (step.change === 'first' || step.change === 'fresh') {
    return { ...base, input, ...written(cacheCreation, step), cacheRead };
  }
  const hit = Math.min(context, cache);
  const rest = context - hit;
  const plain = cacheCreation === 0 ? rest : Math.min(input, rest);
  return { ...base, input: plain, ...written(rest - plain, step), cacheRead: hit };
}

/** The call that writes a summary or a document: it reads all that there is. */
function reliefCall(
  step: Step,
  { output }: Relieved,
  { full, grown, hit, caches }: Situation & { readonly hit: number; readonly caches: boolean },
): Billed {
  const { model, terms } = step.call;
  const read = step.beginsTurn ? full : grown;
  const cacheRead = Math.min(read, hit);
  const rest = read - cacheRead;
  const parts = { input: caches ? 0 : rest, ...written(caches ? rest : 0, step), cacheRead, output };
  return { model, ...parts, ...(terms && { terms: { ...terms, webSearches: 0 } }) };
}

/** The calls that fetch again what a relief took away; what they bring is in its landing. */
function missedCalls({ call: { model } }: Step, { landing, missed }: Relieved, caches: boolean): readonly Billed[] {
  const read = caches ? { input: 0, cacheRead: landing } : { input: landing, cacheRead: 0 };
  const length = missed?.calls ?? 0;
  return Array.from({ length }, () => ({ model, ...read, cacheCreation: 0, output: CALL_TOKENS }));
}

/** As much of what is written to the cache is kept for an hour as it was in the recorded call, in proportion. */
function written(cacheCreation: number, { call }: Step): Pick<Usage, 'cacheCreation' | 'cacheCreationHour'> {
  const share = call.cacheCreation > 0 ? (call.cacheCreationHour ?? 0) / call.cacheCreation : 0;
  const hour = Math.round(cacheCreation * share);
  return { cacheCreation, ...(hour > 0 && { cacheCreationHour: hour }) };
}

function createTally(window: number, priceOfModel: PriceOf) {
  const [main, relief] = [createReading(priceOfModel), createReading(priceOfModel)];
  const above = { half: 0, seventy: 0, eightyFive: 0 };
  const reliefs: Record<ReliefBy, number> = { claude: 0, placed: 0, caller: 0, ctxb: 0, handoff: 0 };
  const cut = { results: 0, tokens: 0 };
  let [peak, peakCall] = [0, 0];

  function weigh(context: number, number: number): void {
    if (context > window * 0.5) above.half++;
    if (context > window * 0.7) above.seventy++;
    if (context > window * 0.85) above.eightyFive++;
    if (context > peak) [peak, peakCall] = [context, number];
  }

  return {
    main,
    relief,
    called({ call: { number } }: Step, usage: Billed, cuts: readonly number[]): void {
      main.add(usage);
      weigh(contextOf(usage), number);
      cut.results += cuts.length;
      cut.tokens += sumOf(cuts);
    },
    relieved(by: ReliefBy): void {
      reliefs[by]++;
    },
    found(): { readonly figures: Figures; readonly peakCall: number } {
      return { figures: { above, peak, main: main.found(), relief: relief.found(), reliefs, cut }, peakCall };
    },
  };
}

function createReading(priceOfModel: PriceOf) {
  const sums = { calls: 0, read: 0, cacheRead: 0 };
  let microUsd: number | undefined;
  return {
    add(usage: Billed): void {
      const price = priceOfModel(usage.model);
      sums.calls++;
      sums.read += contextOf(usage);
      sums.cacheRead += usage.cacheRead;
      if (price !== undefined) microUsd = (microUsd ?? 0) + microUsdOf(usage, price);
    },
    found: (): Reading => ({ ...sums, usd: microUsd === undefined ? null : toUsd(microUsd) }),
  };
}

function sumOf(figures: readonly number[]): number {
  return figures.reduce((sum, figure) => sum + figure, 0);
}

/** A drop by more than this share of the context, without a compaction, is a fresh context. */
const FRESH_SHARE = 0.5;

/** One main-thread call, and how it came to its context. */
export type Step = Readonly<ReturnType<typeof stepOf>>;

interface Relief {
  readonly by: ReliefBy;
  readonly isExact: boolean;
}

export type RecordedSteps = Readonly<ReturnType<typeof stepsOf>>;

/**
 * A recorded session as a simulation needs it.
 *
 * @param session with its series
 * @returns `after`: reliefs that no call followed; `caches`: prompts are cached at all
 */
export function stepsOf(session: SessionSummary) {
  const series = session.series ?? [];
  const reliefs = byCall(reliefsOf(session));
  const results = byCall((session.results ?? []).map((result) => [result.call, result]));
  const steps = series.map((call, at) =>
    stepOf(call, series[at - 1], { reliefs: reliefs(at), results: results(call.number) }),
  );
  const caches = series.some(({ cacheRead, cacheCreation }) => cacheRead + cacheCreation > 0);
  return { steps, after: series.length === 0 ? [] : reliefs(series.length), caches };
}

/** With the number of calls before. */
function reliefsOf({ compactions, actions }: SessionSummary): (readonly [number, Relief])[] {
  const handoffs = actions.filter(({ kind }) => kind === 'handed-over');
  return [
    ...compactions.map(({ call, by, how }) => [call, { by, isExact: how === 'exact' }] as const),
    ...handoffs.map(({ at }) => [at.call, { by: 'handoff', isExact: false }] as const),
  ];
}

function byCall<T>(items: readonly (readonly [number, T])[]): (call: number) => readonly T[] {
  const groups = new Map<number, T[]>();
  for (const [call, item] of items) groups.set(call, [...(groups.get(call) ?? []), item]);
  return (call) => groups.get(call) ?? [];
}

interface KnownOfStep {
  /** Who relieved it, in order, and whether a summary was written for that. */
  readonly reliefs: readonly Relief[];
  /** Results that came in for this call. */
  readonly results: readonly ResultSeen[];
}

/** @param previous the call before it; undefined for the first */
function stepOf(call: CallSeen, previous: CallSeen | undefined, known: KnownOfStep) {
  const change = changeOf(call, previous, known.reliefs);
  const before = previous?.context ?? 0;
  return {
    ...known,
    call,
    previous,
    change,
    /** Tokens. */
    growth: change === 'replaced' ? addedTokens(call) : call.context - before,
    beginsTurn: call.turn !== previous?.turn,
    /** Estimated tokens of what was said. */
    prompt: call.added.prompt ?? 0,
    /** Share of the context before that the cache still had; undefined where that cannot be told. */
    warm: change === 'grown' && before > 0 ? call.cacheRead / before : undefined,
  };
}

/**
 * - `first`: nothing is known of what was before.
 * - `grown`: by `growth`, which is below 0 where something was taken out without a compaction.
 * - `fresh`: the caller began a new context (`/clear`).
 * - `replaced`: somebody relieved it; `growth` is what came in besides, estimated.
 */
function changeOf(call: CallSeen, previous: CallSeen | undefined, reliefs: readonly Relief[]) {
  if (previous === undefined) return 'first';
  if (reliefs.length > 0) return 'replaced';
  return call.context < previous.context * FRESH_SHARE ? 'fresh' : 'grown';
}

/** What the lines show that came in, besides the summary itself. */
function addedTokens({ added }: CallSeen): number {
  return Object.entries(added).reduce((sum, [source, tokens]) => sum + (source === 'summary' ? 0 : tokens), 0);
}
