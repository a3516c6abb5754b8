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
  /**
   * Milliseconds for all checks together; a single one may take a third. Undefined: a limit measured on this machine.
   */
  readonly timeoutMs: number | undefined;
  /** Aborted when the user interrupts. */
  readonly stop: AbortSignal;
  /** Called with the number of facts that were just checked. */
  readonly onLooked?: (facts: number) => void;
}

/** Milliseconds for a scene until the speed of the machine is known. */
const UNMEASURED_MS = 120_000;
/**
 * Minimum milliseconds for a scene, and a factor on the duration of the first one: the others are longer, and share the
 * processors.
 */
const MIN_MS = 20_000;
const TIMES_THE_FIRST = 8;

/** Milliseconds that a scene may take before the speed of the machine is known. */
export function sceneTimeoutMs({ timeoutMs }: Limits): number {
  return timeoutMs === undefined ? UNMEASURED_MS : Math.ceil(timeoutMs / 3);
}

/** More scenes at the same time would only wait for the processors. */
const MAX_PARALLEL = 8;

/** Checks the facts with a claude. The scene of the first check runs alone: if it fails, no other can run. */
export async function runChecks(checks: readonly Check[], place: Place, limits: Limits): Promise<readonly Outcome[]> {
  const { timeoutMs, stop } = limits;
  const signal = timeoutMs === undefined ? stop : timeoutSignal(timeoutMs, stop);
  const outcomes = new Map<Check, Outcome>();
  const play = async (scene: Scene, ms: number) => {
    const facts = checks.filter((check) => check.scene === scene);
    for (const outcome of await judgeScene(scene, facts, { place, over: signal, patienceMs: ms })) {
      outcomes.set(outcome.check, outcome);
    }
    limits.onLooked?.(facts.length);
  };
  const [first] = checks;
  if (first === undefined) return [];
  const started = performance.now();
  await play(first.scene, sceneTimeoutMs(limits));
  if (outcomes.get(first)?.status === 'holds') {
    const atOnce = Math.min(MAX_PARALLEL, 2 * availableParallelism());
    const measured = Math.max(MIN_MS, TIMES_THE_FIRST * atOnce * (performance.now() - started));
    const ms = timeoutMs === undefined ? measured : sceneTimeoutMs(limits);
    const others = new Set(checks.map(({ scene }) => scene));
    others.delete(first.scene);
    const next = others.values();
    const worker = async () => {
      for (const scene of next) await play(scene, ms);
    };
    await Promise.all(Array.from({ length: atOnce }, worker));
  }
  return checks.map((check) => outcomes.get(check) ?? unknownOutcome(check, `not tried without ${first.name}`));
}

interface Circumstances {
  readonly place: Place;
  readonly over: AbortSignal;
  readonly patienceMs: number;
}

/** Plays a scene once, and judges all checks that need it. */
async function judgeScene(scene: Scene, checks: readonly Check[], { place, over, patienceMs }: Circumstances) {
  const more = `give a slow machine more time with --timeout ${Math.ceil((6 * patienceMs) / 1000)}`;
  if (over.aborted) return checks.map((check) => unknownOutcome(check, `not tried, the time was up: ${more}`));
  const timeout = timeoutSignal(patienceMs, over);
  const judge = (check: Check, look: () => void): Outcome => {
    try {
      look();
      return { check, status: 'holds', seen: undefined };
    } catch (error) {
      if (!(error instanceof Contradiction)) throw error;
      if (!timeout.aborted) return { check, status: 'fails', seen: error.message };
      // After a timeout, a missing observation may only be late.
      return unknownOutcome(check, `${error.message}, waited for ${Math.ceil(patienceMs / 1000)} s: ${more}`);
    }
  };
  try {
    return await withStage(scene.scenario, place, timeout, async (stage) => {
      const seen = await scene.play(stage);
      return checks.map((check) => judge(check, () => check.look(seen)));
    });
  } catch (error) {
    // A failed scene decides all of its checks.
    return checks.map((check) =>
      judge(check, () => {
        throw error;
      }),
    );
  }
}

function unknownOutcome(check: Check, seen: string): Outcome {
  return { check, status: 'unknown', seen };
}
