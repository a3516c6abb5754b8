import { availableParallelism } from 'node:os';
import { type Check, Contradiction } from './check.ts';
import { type Place, withStage } from './stage/stage.ts';

/**
 * - `holds`
 * - `fails`: claude did something else; `seen` says what.
 * - `untried`: nothing is known; `seen` says why.
 */
export interface Outcome {
  readonly check: Check;
  readonly status: 'holds' | 'fails' | 'untried';
  readonly seen: string | undefined;
}

export interface Limits {
  /** For all checks together. One check has a third of it. */
  readonly timeoutMs: number;
  /** Aborted when the user wants an end. */
  readonly stop: AbortSignal;
}

/** More than this at once only wait for the processors. */
const MOST_AT_ONCE = 8;

/** Holds the facts against a claude. The first check goes alone: where it fails, no other can be tried. */
export async function runChecks(checks: readonly Check[], place: Place, limits: Limits): Promise<readonly Outcome[]> {
  const over = AbortSignal.any([limits.stop, AbortSignal.timeout(limits.timeoutMs)]);
  const run = (check: Check) => runCheck(check, place, over, limits.timeoutMs / 3);
  const [first, ...others] = checks;
  if (first === undefined) return [];
  const opening = await run(first);
  if (opening.status !== 'holds') return [opening, ...others.map((check) => untried(check, `without ${first.name}`))];
  return [opening, ...(await atOnce(others, Math.min(MOST_AT_ONCE, 2 * availableParallelism()), run))];
}

async function runCheck(check: Check, place: Place, over: AbortSignal, patienceMs: number): Promise<Outcome> {
  if (over.aborted) return untried(check, TIME_IS_UP);
  const patience = AbortSignal.any([over, AbortSignal.timeout(patienceMs)]);
  try {
    await withStage(check.scenario, place, patience, check.play);
    return { check, status: 'holds', seen: undefined };
  } catch (error) {
    if (over.aborted) return untried(check, TIME_IS_UP);
    if (!(error instanceof Contradiction)) throw error;
    return { check, status: 'fails', seen: error.message };
  }
}

const TIME_IS_UP = 'the time was up';

function untried(check: Check, seen: string): Outcome {
  return { check, status: 'untried', seen };
}

/** The results in the order of the items, with so many of them under way at a time. */
async function atOnce<T, R>(items: readonly T[], count: number, work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  const next = items.entries();
  const worker = async () => {
    for (const [index, item] of next) results[index] = await work(item);
  };
  await Promise.all(Array.from({ length: count }, worker));
  return results;
}
