import { availableParallelism } from 'node:os';
import { timeoutSignal } from '../run/signals.ts';
import { type Check, Contradiction, type Scene } from './check.ts';
import { type Place, withStage } from './stage.ts';

/**
 * - `holds`
 * - `fails`: claude behaved differently; `seen` describes how.
 * - `unknown`: not tried, or timed out; `seen` explains why.
 */
export interface Outcome {
  readonly check: Check;
  readonly status: 'holds' | 'fails' | 'unknown';
  readonly seen: string | undefined;
}

export interface Limits {
  /** Milliseconds for all checks together; a single scene may take a third. Undefined: two minutes for each scene. */
  readonly timeoutMs: number | undefined;
  readonly stop: AbortSignal;
  readonly onLooked?: (facts: number) => void;
}

const USUAL_MS = 120_000;

export function sceneTimeoutMs({ timeoutMs }: Limits): number {
  return timeoutMs === undefined ? USUAL_MS : Math.ceil(timeoutMs / 3);
}

/** More scenes at the same time would only wait for the processors. */
const MAX_PARALLEL = 8;

/** Checks the facts with a claude. The scene of the first check runs alone: if it fails, no other can run. */
export async function runChecks(checks: readonly Check[], place: Place, limits: Limits): Promise<readonly Outcome[]> {
  const { timeoutMs, stop } = limits;
  const over = timeoutMs === undefined ? stop : timeoutSignal(timeoutMs, stop);
  const outcomes = new Map<Check, Outcome>();
  const play = async (scene: Scene) => {
    const facts = checks.filter((check) => check.scene === scene);
    const judge = await playScene(scene, place, sceneTimeoutMs(limits), over);
    for (const check of facts) outcomes.set(check, await judge(check));
    limits.onLooked?.(facts.length);
  };
  const [first] = checks;
  if (first === undefined) return [];
  await play(first.scene);
  if (outcomes.get(first)?.status === 'holds') {
    const others = new Set(checks.map(({ scene }) => scene));
    others.delete(first.scene);
    const next = others.values();
    const worker = async () => {
      for (const scene of next) await play(scene);
    };
    await Promise.all(Array.from({ length: Math.min(MAX_PARALLEL, 2 * availableParallelism()) }, worker));
  }
  return checks.map((check) => outcomes.get(check) ?? unknownOutcome(check, `not tried without ${first.name}`));
}

/** Plays a scene once. Resolves with a function that judges a check that needs it. */
async function playScene(scene: Scene, place: Place, ms: number, over: AbortSignal) {
  const more = `give a slow machine more time with --timeout ${Math.ceil((6 * ms) / 1000)}`;
  if (over.aborted) return async (check: Check) => unknownOutcome(check, `not tried, the time was up: ${more}`);
  const timeout = timeoutSignal(ms, over);
  const played = withStage(scene.scenario, place, timeout, scene.play);
  await Promise.allSettled([played]);
  return async (check: Check): Promise<Outcome> => {
    try {
      check.look(await played);
      return { check, status: 'holds', seen: undefined };
    } catch (error) {
      if (!(error instanceof Contradiction)) throw error;
      if (!timeout.aborted) return { check, status: 'fails', seen: error.message };
      // After a timeout, a missing observation may only be late.
      return unknownOutcome(check, `${error.message}, waited for ${Math.ceil(ms / 1000)} s: ${more}`);
    }
  };
}

function unknownOutcome(check: Check, seen: string): Outcome {
  return { check, status: 'unknown', seen };
}
