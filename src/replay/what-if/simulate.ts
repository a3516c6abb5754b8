import { toUsd } from '../../core/governor/cost/cost.ts';
import { microUsdOf, type Price, type Prices, priceFor, priceOf } from '../../core/governor/cost/prices.ts';
import { CALL_TOKENS, type Missed } from '../../core/governor/relief/economic-moment.ts';
import type { Usage } from '../../core/protocol/events.ts';
import { contextOf } from '../../core/protocol/usage.ts';
import type { CallSeen } from '../items-seen.ts';
import type { Pilot, Relieved } from './pilot.ts';
import type { RecordedSteps, Step } from './steps.ts';
import type { Figures, Reading, ReliefBy, WhatIfRun } from './what-if.ts';

export interface SimulateOptions {
  /** Window that shares are of, in tokens. */
  readonly window: number;
  /** Prices that count before the built-in ones, those first that count before the others. */
  readonly prices: readonly Prices[];
  /** Of the Claude Code that wrote the session. */
  readonly version: string | null;
}

type Simulated = Omit<WhatIfRun, 'name' | 'trigger'> & { readonly curve: readonly number[] };

/** Goes through a recorded session call by call, as if the pilot had been at the helm. */
export function simulate({ steps, caches }: RecordedSteps, pilot: Pilot, options: SimulateOptions): Simulated {
  const tally = createTally(options);
  const bill = createBill(caches);
  const curve: number[] = [];
  let exhaustedAfter: number | null = null;
  let context = 0;
  for (const step of steps) {
    const before = context;
    const full = before + (step.previous?.output ?? 0);
    const cuts = pilot.cuts(step, full);
    const grown = grownContext(step, before, cuts);
    const reliefs = pilot.reliefs(step, { full, grown });
    for (const relief of reliefs) {
      const read = step.beginsTurn ? full : grown;
      if (relief.missed) tally.chosen(step.call, relief.by, bill.missed({ ...relief, missed: relief.missed }));
      else tally.relieved(step.call, relief.by, bill.relief(step, { before, read, relief }));
    }
    context = reliefs.at(-1)?.landing ?? grown;
    if (context > pilot.most) exhaustedAfter ??= curve.length;
    tally.called(step.call, bill.call(step, { before, context, relief: reliefs.at(-1) }), cuts);
    pilot.called(step, context, reliefs);
    curve.push(context);
  }
  for (const by of pilot.after) tally.trailing(by);
  return { ...tally.found(), last: context, exhaustedAfter, curve };
}

/** What is taken out of a context without a compaction leaves no less than there was left of the recorded one. */
function grownContext({ change, call, growth }: Step, before: number, cuts: readonly number[]): number {
  if (change === 'first' || change === 'fresh') return call.context;
  if (growth < 0) return Math.max(before + growth, Math.min(before, call.context));
  const cut = cuts.reduce((sum, tokens) => sum + tokens, 0);
  return before + Math.max(0, growth - cut);
}

/** Adds up the figures of a run. */
interface Tally {
  called(call: CallSeen, usage: Usage, cuts: readonly number[]): void;
  relieved(call: CallSeen, by: ReliefBy, usage: Usage): void;
  /** One that no call was made for, and the calls that fetch again what it took away. */
  chosen(call: CallSeen, by: ReliefBy, again: readonly Usage[]): void;
  /** A relief that no call followed: nothing shows what it read. */
  trailing(by: ReliefBy): void;
  found(): { readonly figures: Figures; readonly peakCall: number };
}

function createTally({ window, prices, version }: SimulateOptions): Tally {
  const priceAt = priceList(prices, version);
  const main = createReading();
  const relief = createReading();
  const above = { half: 0, seventy: 0, eightyFive: 0 };
  const reliefs: Record<ReliefBy, number> = { claude: 0, placed: 0, caller: 0, ctxb: 0, handoff: 0 };
  const cut = { results: 0, tokens: 0 };
  const peak = { context: 0, call: 0 };

  function weigh(context: number, number: number): void {
    if (context > window * 0.5) above.half++;
    if (context > window * 0.7) above.seventy++;
    if (context > window * 0.85) above.eightyFive++;
    if (context > peak.context) Object.assign(peak, { context, call: number });
  }

  return {
    called({ model, number, terms }, usage, cuts) {
      main.add(terms ? { ...usage, terms } : usage, priceAt(model));
      weigh(contextOf(usage), number);
      cut.results += cuts.length;
      cut.tokens += cuts.reduce((sum, tokens) => sum + tokens, 0);
    },
    relieved({ model, terms }, by, usage) {
      relief.add(terms ? { ...usage, terms: { ...terms, webSearches: 0 } } : usage, priceAt(model));
      reliefs[by]++;
    },
    chosen({ model }, by, again) {
      for (const usage of again) main.add(usage, priceAt(model));
      reliefs[by]++;
    },
    trailing(by) {
      reliefs[by]++;
    },
    found: () => ({
      figures: { above, peak: peak.context, main: main.found(), relief: relief.found(), reliefs, cut },
      peakCall: peak.call,
    }),
  };
}

function createReading() {
  const sums = { calls: 0, read: 0, cacheRead: 0 };
  let microUsd: number | undefined;
  return {
    add(usage: Usage, price: Price | undefined): void {
      sums.calls++;
      sums.read += contextOf(usage);
      sums.cacheRead += usage.cacheRead;
      if (price !== undefined) microUsd = (microUsd ?? 0) + microUsdOf(usage, price);
    },
    found: (): Reading => ({ ...sums, usd: microUsd === undefined ? null : toUsd(microUsd) }),
  };
}

/** Looks each model up once. */
export function priceList(
  lists: readonly Prices[],
  version: SimulateOptions['version'],
): (model: string | null) => Price | undefined {
  const known = new Map<string | null, Price | undefined>();
  const find = (model: string) =>
    lists.map((prices) => priceOf(model, prices)).find((price) => price !== undefined) ?? priceFor(model, {}, version);
  return (model) => {
    if (!known.has(model)) known.set(model, find(model ?? ''));
    return known.get(model);
  };
}

/** Says in which parts a context is billed. */
interface Bill {
  /** A call of the main thread. */
  call(step: Step, moment: Moment & { readonly context: number; readonly relief: Relieved | undefined }): Usage;
  /** The call that writes a summary or a document: it reads all that there is. */
  relief(step: Step, moment: Moment & { readonly read: number; readonly relief: Relieved }): Usage;
  /** The calls that fetch again what a relief took away; what they bring is in its landing. */
  missed(relief: { readonly landing: number; readonly missed: Missed }): readonly Usage[];
}

interface Moment {
  /** Context of the call before, in tokens. */
  readonly before: number;
}

/** @param caches prompts are cached at all */
function createBill(caches: boolean): Bill {
  /** The cache has what it had in the recording, in proportion: it was as cold after the same pauses. */
  const cached = ({ warm }: Step, before: number) => Math.round(before * (warm ?? (caches ? 1 : 0)));

  return {
    call(step, { before, context, relief }) {
      const { input, cacheCreation, cacheRead, billedOutput: output } = step.call;
      if (step.change === 'first' || step.change === 'fresh') {
        return { input, ...written(cacheCreation, step), cacheRead, output };
      }
      const hit = Math.min(context, relief === undefined ? cached(step, before) : caches ? relief.prefix : 0);
      const rest = context - hit;
      const plain = cacheCreation === 0 ? rest : Math.min(input, rest);
      return { input: plain, ...written(rest - plain, step), cacheRead: hit, output };
    },
    relief(step, { before, read, relief }) {
      const hit = Math.min(read, cached(step, before));
      const rest = read - hit;
      return { input: caches ? 0 : rest, ...written(caches ? rest : 0, step), cacheRead: hit, output: relief.output };
    },
    missed({ landing, missed: { calls } }) {
      const read = caches ? { input: 0, cacheRead: landing } : { input: landing, cacheRead: 0 };
      return Array.from({ length: calls }, () => ({ ...read, cacheCreation: 0, output: CALL_TOKENS }));
    },
  };
}

/** As much of what is written to the cache is kept for an hour as it was in the recorded call, in proportion. */
function written(cacheCreation: number, { call }: Step): Pick<Usage, 'cacheCreation' | 'cacheCreationHour'> {
  const share = call.cacheCreation > 0 ? (call.cacheCreationHour ?? 0) / call.cacheCreation : 0;
  const hour = Math.round(cacheCreation * share);
  return { cacheCreation, ...(hour > 0 && { cacheCreationHour: hour }) };
}
