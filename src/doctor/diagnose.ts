import { startChild } from '../claude/child.ts';
import { NEWEST_CLAUDE, OLDEST_CLAUDE } from '../claude/supported-versions.ts';
import { timeoutSignal } from '../run/signals.ts';
import type { Check, Remark } from './check.ts';
import { type Limits, type Outcome, patienceMs, runChecks } from './run-checks.ts';
import { orNothing } from './stage/scene.ts';
import { type Place, type Stage, withStage } from './stage/stage.ts';
import type { Surroundings } from './surroundings/look-around.ts';
import { askFreshContext, type FreshContext, judgeThresholds } from './thresholds.ts';

/** What was found out about a claude. */
export interface Diagnosis {
  readonly version: string | undefined;
  /** Undefined: it did not tell. */
  readonly fresh: FreshContext | undefined;
  /** On its version, and on the thresholds beside what it tells. */
  readonly remarks: readonly Remark[];
  /** One for each check. */
  readonly outcomes: readonly Outcome[];
}

/**
 * Examines a claude, offline: a stand-in on this machine plays the API, and everything is written in temporary folders,
 * which are removed.
 */
export async function diagnose(
  checks: readonly Check[],
  place: Place,
  around: Surroundings,
  limits: Limits,
): Promise<Diagnosis> {
  const patience = timeoutSignal(patienceMs(limits), limits.stop);
  const [version, fresh] = await withStage({ calls: [] }, place, patience, (stage) =>
    Promise.all([askVersion(place.claude, stage), orNothing(askFreshContext(stage, around.model))]),
  );
  const remarks = [judgeVersion(version), ...thresholdsOf(around, fresh)];
  return { version, fresh, remarks, outcomes: await runChecks(checks, place, limits) };
}

function thresholdsOf({ resolved, isTriggerTaken }: Surroundings, fresh: FreshContext | undefined): Remark[] {
  if (fresh !== undefined) return judgeThresholds(resolved.config, fresh, isTriggerTaken);
  const text = 'claude did not tell its window: they cannot be checked';
  return [{ status: 'warning', subject: 'thresholds', text, todo: 'set window in the configuration' }];
}

/** Versions that the protocol was measured with. */
const MEASURED: readonly string[] = [OLDEST_CLAUDE, NEWEST_CLAUDE];

/** The version that a claude says it is; undefined: it says something else. */
async function askVersion(claude: string, { scratch, patience }: Stage): Promise<string | undefined> {
  const child = await startChild({ command: claude, args: ['--version'], cwd: scratch.cwd, env: scratch.env });
  const stop = () => child.kill('SIGKILL');
  patience.addEventListener('abort', stop);
  let said = '';
  child.stdout.on('data', (chunk: Buffer) => {
    if (said.length < 1_000) said += chunk;
  });
  child.stderr.resume();
  child.stdin.end();
  await child.ended;
  patience.removeEventListener('abort', stop);
  return /^(\d+\.\d+\.\d+\S*)/.exec(said)?.[1];
}

/** What is known of a version before anything is tried with it. */
export function judgeVersion(version: string | undefined): Remark {
  const subject = 'version';
  if (version === undefined) {
    const todo = 'see whether it is Claude Code, and whether it starts';
    return { status: 'warning', subject, text: 'it does not tell its version', todo };
  }
  if (Number.parseInt(version, 10) < 2) {
    const text = `${version} does not move its trigger, tell its window, or take changed tools: ctxb does without them`;
    return { status: 'warning', subject, text, todo: 'npm install -g @anthropic-ai/claude-code' };
  }
  if (MEASURED.includes(version)) return { status: 'good', subject, text: `${version}, which ctxb was measured with` };
  const text = `${version} is not one of the versions that ctxb was measured with (${MEASURED.join(', ')}): see the facts`;
  return { status: 'good', subject, text };
}
