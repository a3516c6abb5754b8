import { availableParallelism } from 'node:os';
import { timeoutSignal } from '../run/signals.ts';
import { type Check, Contradiction, type Scene, type SceneRecord } from './check.ts';
import { type TestedClaude, withStage } from './stage.ts';

/**
 * - `holds`
 * - `fails`: claude behaved differently; `seen` describes how.
 * - `unknown`: not tried, or timed out; `seen` explains why.
 */
export interface Outcome extends Verdict {
  readonly check: Check;
}

interface Verdict {
  readonly status: 'holds' | 'fails' | 'unknown';
  readonly seen: string | undefined;
}

export interface Limits {
  /** Milliseconds for all checks together; a single scene may take a third. Undefined: two minutes for each scene. */
  readonly timeoutMs: number | undefined;
  readonly stop: AbortSignal;
  readonly onChecked?: (facts: number) => void;
}

const USUAL_MS = 120_000;

export function sceneTimeoutMs({ timeoutMs }: Limits): number {
  return timeoutMs === undefined ? USUAL_MS : Math.ceil(timeoutMs / 3);
}

/** Maximum number of scenes at the same time. More would only wait for the processors. */
const MAX_PARALLEL = 8;

/** Checks the facts with a claude. The scene of the first check runs alone: if it fails, no other can run. */
export async function runChecks(
  checks: readonly Check[],
  place: TestedClaude,
  limits: Limits,
): Promise<readonly Outcome[]> {
  const [first] = checks;
  if (first === undefined) return [];
  const { timeoutMs, stop } = limits;
  const over = timeoutMs === undefined ? stop : timeoutSignal(timeoutMs, stop);
  const played = new Map<Scene, SceneRecord | Verdict>();
  const outcomeOf = (check: Check): Outcome => {
    const seen = played.get(check.scene) ?? unknownVerdict(`not tried without ${first.name}`);
    return { check, ...('status' in seen ? seen : judge(check, seen)) };
  };
  const play = async (scene: Scene) => {
    played.set(scene, await playScene(scene, place, sceneTimeoutMs(limits), over));
    limits.onChecked?.(checks.filter((check) => check.scene === scene).length);
  };
  await play(first.scene);
  if (outcomeOf(first).status === 'holds') {
    const next = new Set(checks.map(({ scene }) => scene)).values();
    const worker = async () => {
      for (const scene of next) if (scene !== first.scene) await play(scene);
    };
    await Promise.all(Array.from({ length: Math.min(MAX_PARALLEL, 2 * availableParallelism()) }, worker));
  }
  return checks.map(outcomeOf);
}

/** Plays a scene once. Resolves with a verdict on all its checks if it did not finish. */
async function playScene({ scenario, hooks, play }: Scene, place: TestedClaude, ms: number, over: AbortSignal) {
  const more = `give a slow machine more time with --timeout ${Math.ceil((6 * ms) / 1000)}`;
  if (over.aborted) return unknownVerdict(`not tried, the time was up: ${more}`);
  const timeout = timeoutSignal(ms, over);
  return withStage(scenario, place, timeout, async (stage): Promise<SceneRecord | Verdict> => {
    try {
      await play(await stage.start([], hooks), stage);
    } catch (error) {
      if (!(error instanceof Contradiction)) throw error;
      if (!timeout.aborted) return { status: 'fails', seen: error.message };
      // An event that was not seen may only be late.
      return unknownVerdict(`${error.message}, waited for ${Math.ceil(ms / 1000)} s: ${more}`);
    }
    const requests = stage.standin.requests.map(({ kind, body }) => ({
      kind,
      messages: JSON.stringify(body.messages),
    }));
    return { ...stage.heard, requests };
  });
}

function judge({ expect }: Check, seen: SceneRecord): Verdict {
  const failed = expect(seen).find(([holds]) => !holds);
  return failed === undefined ? { status: 'holds', seen: undefined } : { status: 'fails', seen: failed[1] };
}

function unknownVerdict(seen: string): Verdict {
  return { status: 'unknown', seen };
}
