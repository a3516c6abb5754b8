import type { Prices } from '../../governor/cost/prices.ts';
import { createBill } from './bill.ts';
import type { Pilot } from './pilot.ts';
import type { RecordedSteps, Step } from './steps.ts';
import { createTally } from './tally.ts';
import type { WhatIfRun } from './what-if.ts';

export interface SimulateOptions {
  /** Window that shares are of, in tokens. */
  readonly window: number;
  /** Prices that count before the built-in ones, those first that count before the others. */
  readonly prices: readonly Prices[];
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
      tally.relieved(step.call, relief.by, bill.relief(step, { before, read: step.beginsTurn ? full : grown, relief }));
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
