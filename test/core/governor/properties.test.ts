import { describe, expect, it } from 'vitest';
import { fateFaults } from '../../support/model/fate-faults.ts';
import { endFaults, faultsOf, NOTHING_YET, replayFaults } from '../../support/model/properties.ts';
import { play, playRelief, playTakenUp, playTrouble } from '../../support/model/streams.ts';
import { ignoredFaults, toolFaults, type Unanswered } from '../../support/model/tool-faults.ts';
import { sized } from '../../support/size.ts';

/** Streams that are played, from seed 1 on. A longer search: `CTXB_STREAMS=20000`; one alone: `CTXB_SEED=17`. */
const STREAMS = Number(process.env.CTXB_STREAMS ?? sized(25, 600));
const ONLY = Number(process.env.CTXB_SEED ?? 0);
const GROUP = 5;

/**
 * Beyond the first ones: a new process whose first compaction is interrupted; a fresh context that was taken to be as
 * full as the one before it; an interrupt for the cost of a turn that has ended by then, which hits the next one.
 */
const FOUND = [2186, 1579, 2455, 2828, 5140, 5655, 5853];

/**
 * The same with most of what comes from outside during reliefs: a process that does not come up in the place of one that
 * died; a turn that is stopped for costs which claude then reports as lower; a `/clear` whose result comes too late; a timer
 * of the prompt before.
 */
const FOUND_IN_RELIEFS = [33, 110, 681, 856, 1232];

/**
 * Where claude hangs, or waits for the API: what was said into a turn that ctxb then stops; a caller who interrupts once the
 * run is over; a prompt of a failed turn, begun anew in a fresh session behind one that was answered; prompts that a process
 * which dies at once was to be given again.
 */
const FOUND_IN_TROUBLE = [72, 92, 332, 718, 2351, 4084, 4390];

/** What does not hold in the stream of this seed; empty: all does. */
function faultsIn(seed: number, playing = play): string[] {
  const seen = { ...NOTHING_YET };
  const unanswered: Unanswered = new Map();
  const faults: string[] = [];
  try {
    const { run, judged } = playing(seed, (one) => faults.push(...faultsOf(one, seen), ...toolFaults(one, unanswered)));
    faults.push(...endFaults(run), ...ignoredFaults(run, judged), ...replayFaults(judged));
  } catch (error) {
    faults.push(`threw ${error}`);
  }
  return faults.map((fault) => `seed ${seed}: ${fault}`);
}

/** The same of a run that another ctxb has taken up. */
function faultsTakenUp(seed: number): string[] {
  const faults: string[] = [];
  try {
    const { run, judged } = playTakenUp(seed, (one) => faults.push(...fateFaults(one)));
    faults.push(...endFaults(run), ...(judged.length > 0 ? replayFaults(judged) : []));
  } catch (error) {
    faults.push(`threw ${error}`);
  }
  return faults.map((fault) => `seed ${seed}: ${fault}`);
}

describe('any inputs in any order', () => {
  const groups =
    ONLY > 0 ? [ONLY] : Array.from({ length: Math.ceil(STREAMS / GROUP) }, (_, group) => group * GROUP + 1);

  it.each(groups)(
    'no prompt is lost, one protocol runs at a time, and a replay judges the same: from seed %i',
    (first) => {
      const seeds = Array.from({ length: ONLY > 0 ? 1 : GROUP }, (_, at) => first + at);
      expect(seeds.flatMap((seed) => faultsIn(seed))).toEqual([]);
      expect(seeds.flatMap((seed) => faultsIn(seed, playRelief))).toEqual([]);
      expect(seeds.flatMap((seed) => faultsIn(seed, playTrouble))).toEqual([]);
      expect(seeds.flatMap(faultsTakenUp)).toEqual([]);
    },
  );

  it.each(FOUND_IN_RELIEFS)('the same in a relief in which it once did not hold: seed %i', (seed) => {
    expect(faultsIn(seed, playRelief)).toEqual([]);
  });

  it.each(FOUND_IN_TROUBLE)(
    'the same with an API and a claude that do not answer, where it once did not: seed %i',
    (seed) => {
      expect(faultsIn(seed, playTrouble)).toEqual([]);
    },
  );

  it.each(FOUND)('the same in a stream in which it once did not hold: seed %i', (seed) => {
    expect(faultsIn(seed)).toEqual([]);
  });
});
