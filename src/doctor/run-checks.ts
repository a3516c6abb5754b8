import { availableParallelism } from 'node:os';
import { timeoutSignal } from '../session/timeout-signal.ts';
import type { Check } from './check.ts';
import { Contradiction } from './contradiction.ts';
import type { Scene } from './stage/scene.ts';
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
  /** Told of so many facts when they were looked at. */
  readonly onLooked?: (facts: number) => void;
}

/** What one scene may take. */
export function patienceMs({ timeoutMs }: Limits): number {
  return Math.ceil(timeoutMs / 3);
}

/** More than this at once only wait for the processors. */
const MOST_AT_ONCE = 8;

/** Holds the facts against a claude. The first one's scene goes alone: where it fails, no other can be tried. */
export async function runChecks(checks: readonly Check[], place: Place, limits: Limits): Promise<readonly Outcome[]> {
  const over = timeoutSignal(limits.timeoutMs, limits.stop);
  const play = async (scene: Scene) => {
    const facts = checks.filter((check) => check.scene === scene);
    const outcomes = await lookAt(scene, facts, { place, over, patienceMs: patienceMs(limits) });
    limits.onLooked?.(facts.length);
    return outcomes;
  };
  const [first, ...scenes] = new Set(checks.map(({ scene }) => scene));
  if (first === undefined) return [];
  const opening = await play(first);
  const works = opening[0]?.status === 'holds';
  const atOnce = Math.min(MOST_AT_ONCE, 2 * availableParallelism());
  const others = works ? (await inParallel(scenes, atOnce, play)).flat() : [];
  const outcomes = new Map([...opening, ...others].map((outcome) => [outcome.check, outcome]));
  return checks.map((check) => outcomes.get(check) ?? untried(check, `without ${checks[0]?.name}`));
}

interface Circumstances {
  readonly place: Place;
  readonly over: AbortSignal;
  readonly patienceMs: number;
}

/** Plays a scene once for all facts that are looked at in it. */
async function lookAt(scene: Scene, checks: readonly Check[], { place, over, patienceMs }: Circumstances) {
  if (over.aborted) return checks.map((check) => untried(check, TIME_IS_UP));
  const patience = timeoutSignal(patienceMs, over);
  try {
    return await withStage(scene.scenario, place, patience, async (stage) => {
      const seen = await scene.play(stage);
      return checks.map((check) => judge(check, () => check.look(seen)));
    });
  } catch (error) {
    if (over.aborted) return checks.map((check) => untried(check, TIME_IS_UP));
    // A scene that is not played to its end shows none of its facts.
    return checks.map((check) => judge(check, () => rethrow(error)));
  }
}

function judge(check: Check, look: () => void): Outcome {
  try {
    look();
    return { check, status: 'holds', seen: undefined };
  } catch (error) {
    if (!(error instanceof Contradiction)) throw error;
    return { check, status: 'fails', seen: error.message };
  }
}

function rethrow(error: unknown): never {
  throw error;
}

const TIME_IS_UP = 'the time was up';

function untried(check: Check, seen: string): Outcome {
  return { check, status: 'untried', seen };
}

/** The results in the order of the items, with so many of them under way at a time. */
async function inParallel<T, R>(items: readonly T[], count: number, work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  const next = items.entries();
  const worker = async () => {
    for (const [index, item] of next) results[index] = await work(item);
  };
  await Promise.all(Array.from({ length: count }, worker));
  return results;
}
