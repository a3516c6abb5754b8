import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { optionArguments } from '../claude/claude-arguments.ts';
import { NEWEST_CLAUDE, OLDEST_CLAUDE } from '../claude/supported-versions.ts';
import { type Config, valueAt } from '../config/config.ts';
import type { KeyPath } from '../config/keys.ts';
import { handoffLevel, inTokens, NATIVE_RESERVE_TOKENS, restingTrigger } from '../core/governor/policy.ts';
import { countOf, textOf } from '../core/protocol/fields.ts';
import { isAtLeast } from '../core/protocol/version.ts';
import { tokens } from '../report/figures.ts';
import { timeoutSignal } from '../run/signals.ts';
import { type Check, Contradiction, type SetupFinding, setupFinding } from './check.ts';
import { type Limits, runChecks, sceneTimeoutMs } from './run-checks.ts';
import { type Stage, type TestedClaude, withStage } from './stage.ts';
import type { Surroundings } from './surroundings.ts';

export type Diagnosis = Awaited<ReturnType<typeof diagnose>>;

/**
 * Examines a claude offline. A stand-in on this machine replaces the API, and all files are in temporary folders, which
 * are removed afterwards. Values that claude does not report are undefined.
 */
export async function diagnose(checks: readonly Check[], place: TestedClaude, around: Surroundings, limits: Limits) {
  const timeout = timeoutSignal(sceneTimeoutMs(limits), limits.stop);
  const [version, fresh] = await withStage({ calls: [] }, place, timeout, (stage) =>
    Promise.all([askVersion(place.claude, stage), askFreshContext(stage, around.model).catch(undefinedIfContradicted)]),
  );
  const remarks = [judgeVersion(version), ...judgeThresholds(around.resolved.config, fresh, around.isTriggerTaken)];
  return { version, fresh, remarks, outcomes: await runChecks(checks, place, limits) };
}

/** The versions with which the protocol was measured. */
const MEASURED_VERSIONS: readonly string[] = [OLDEST_CLAUDE, NEWEST_CLAUDE];

/** The version that claude reports; undefined for any other output. */
async function askVersion(claude: string, { scratch, timeout }: Stage) {
  const asked = promisify(execFile)(claude, ['--version'], {
    cwd: scratch.cwd,
    env: scratch.env,
    signal: timeout,
    killSignal: 'SIGKILL',
  });
  asked.child.stdin?.end();
  const { stdout } = await asked.catch(() => ({ stdout: '' }));
  return /^(\d+\.\d+\.\d+\S*)/.exec(stdout)?.[1];
}

export function judgeVersion(version: string | undefined): SetupFinding {
  const subject = 'version';
  if (version === undefined) {
    const todo = 'check that it is Claude Code, and that it starts';
    return setupFinding('warning', subject, 'it does not report its version', todo);
  }
  if (!isAtLeast(version, OLDEST_CLAUDE)) {
    const text = `${version} is not supported: ctxb only measures it, and neither compacts nor hands over`;
    const todo = `install ${OLDEST_CLAUDE} or newer: npm install -g @anthropic-ai/claude-code`;
    return setupFinding('warning', subject, text, todo);
  }
  if (MEASURED_VERSIONS.includes(version))
    return setupFinding('good', subject, `${version}, which ctxb was measured with`);
  const text = `${version} is not one of the versions that ctxb was measured with (${MEASURED_VERSIONS.join(', ')}): ctxb doctor tries the facts`;
  return setupFinding('warning', subject, text);
}

type FreshContext = NonNullable<Awaited<ReturnType<typeof askFreshContext>>>;

/** The window of claude's model and the size of a fresh context in tokens; undefined if it does not report them. */
async function askFreshContext(stage: Stage, model: string | undefined) {
  const claude = await stage.start(optionArguments('--model', model));
  // The full answer, and not its summary: the API would count the parts of a summary, and the stand-in only estimates
  // them.
  const { ok, response } = await claude.ask('get_context_usage', {});
  const window = countOf(response.rawMaxTokens);
  if (!ok || window === undefined || window === 0) return undefined;
  /** Estimated tokens of a fresh context: system prompt and tools, without the user's own files and servers. */
  const prefix = countOf(response.totalTokens) ?? 0;
  return { model: textOf(response.model), window, prefix };
}

function undefinedIfContradicted(error: unknown): undefined {
  if (!(error instanceof Contradiction)) throw error;
}

/**
 * Levels that must be above a fresh context. The first call would cross lower ones, and no compaction could reach a
 * lower target.
 */
const LEVEL_KEYS: readonly KeyPath[] = [
  'thresholds.warn',
  'thresholds.compact',
  'thresholds.handoff',
  'thresholds.midTurn',
  'compaction.target',
];

/**
 * Checks that the configured levels can be reached before claude's own trigger, and are not crossed immediately.
 *
 * @param isTaken whether the user has placed claude's trigger, or disabled it
 */
export function judgeThresholds(config: Config, fresh: FreshContext | undefined, isTaken: boolean): SetupFinding[] {
  if (fresh === undefined) {
    const text = 'claude did not tell its window: they cannot be checked';
    return [setupFinding('warning', 'thresholds', text, 'set window in the configuration')];
  }
  const window = config.window ?? fresh.window;
  const placed = isTaken || config.observe ? undefined : restingTrigger(config, window)?.at;
  // If claude keeps its own trigger, a configured window does not move it.
  const trigger = placed ?? fresh.window - NATIVE_RESERVE_TOKENS;
  const remarks = [
    ...neverCrossed(config, window, isTaken ? undefined : trigger),
    ...alreadyCrossed(config, window, fresh.prefix),
  ];
  if (remarks.length > 0) return remarks;
  const own = isTaken ? '' : `; claude itself compacts at ${tokens(trigger)}`;
  const text = `ctxb ${relief(config, window)} of ${tokens(window)} tokens${own}; a fresh context has about ${tokens(fresh.prefix)}`;
  return [setupFinding('good', 'thresholds', text)];
}

function relief(config: Config, window: number): string {
  const when = config.compaction.moment === 'economic' ? 'as soon as it pays, or at' : 'at';
  if (config.compaction.enabled) return `compacts ${when} ${tokens(inTokens(config.thresholds.compact, window))}`;
  return `hands over at ${tokens(handoffLevel(config, window))}`;
}

function neverCrossed(config: Config, window: number, trigger: number | undefined): SetupFinding[] {
  const level = inTokens(config.thresholds.compact, window);
  if (!config.compaction.enabled || trigger === undefined || level < trigger) return [];
  const text = `${tokens(level)} tokens are never reached: claude compacts by itself at ${tokens(trigger)} of ${tokens(window)}`;
  return [setupFinding('warning', 'thresholds.compact', text, `lower it below ${tokens(trigger)}`)];
}

function alreadyCrossed(config: Config, window: number, prefix: number): SetupFinding[] {
  const sizeOf = (key: KeyPath) =>
    key === 'thresholds.handoff' ? handoffLevel(config, window) : inTokens(Number(valueAt(config, key)), window);
  const fresh = `a fresh context has about ${tokens(prefix)}`;
  return LEVEL_KEYS.filter((key) => sizeOf(key) <= prefix).map((key) => {
    const text =
      key === 'compaction.target'
        ? `no compaction can land below it: ${fresh}, so each leads to a handoff`
        : `${tokens(sizeOf(key))} tokens are crossed by the first call: ${fresh}`;
    return setupFinding('warning', key, text, `raise it above ${tokens(prefix)}`);
  });
}
