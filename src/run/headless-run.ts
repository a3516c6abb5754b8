import { resolve } from 'node:path';
import type { HeadlessInvocation } from '../claude/claude-arguments.ts';
import type { Config } from '../config/config.ts';
import { DEFAULTS } from '../config/defaults.ts';
import type { SetValue } from '../config/resolve-config.ts';
import { asksPerson, withHeadroom } from '../core/governor/cost/cost-limit.ts';
import type { Decision } from '../core/governor/decisions.ts';
import type { HookName } from '../core/governor/effects.ts';
import type { CostPolicy } from '../core/governor/policy.ts';
import type { GovernorState } from '../core/governor/state.ts';
import type { Environment, Io } from '../io.ts';
import { realPath } from '../store/files/plain-file.ts';
import { stateFolder } from '../store/folders/user-folders.ts';
import type { CostPlace } from '../store/ledgers/cost-ledger.ts';
import type { ResumedRun } from './resume/resume-run.ts';

export interface HeadlessRun {
  readonly program: string;
  readonly invocation: HeadlessInvocation;
  readonly config: Config;
  /** The configured values, stored for the process that resumes the run; undefined: the run cannot be resumed. */
  readonly values?: readonly SetValue[];
  readonly prompts?: readonly string[] | undefined;
  readonly promptsFile?: string | undefined;
  readonly record?: string | undefined;
  readonly maskRecord?: boolean | undefined;
  readonly summary?: string | undefined;
  /** The URL of the telemetry receiver; undefined: OpenTelemetry's environment variables decide. */
  readonly otlp?: string | undefined;
  readonly showInjected?: boolean | undefined;
  /** An interrupted run that this one resumes. Its prompts are then the only ones. */
  readonly resumed?: ResumedRun;
  readonly stop?: AbortSignal;
  /** May throw: claude then continues without the hook. */
  readonly beforeHook?: (hook: HookName) => void;
}

export function contextFolder({ config }: HeadlessRun, io: Io): string {
  return resolve(io.cwd, config.contextDir);
}

export function costPlace({ config }: HeadlessRun, { cwd, env }: Io): CostPlace {
  return { state: stateFolder(env), project: resolve(realPath(cwd), config.costDir ?? DEFAULTS.contextDir) };
}

export interface Watcher {
  notice(text: string): void;
  decision(decision: Decision): void;
  status(state: GovernorState): void;
  relay(line: string): void;
  /** The session has ended, and no further status follows. @param end as in `RunEnd` */
  ended(state: GovernorState, end: { readonly record: string | undefined; readonly isResumable: boolean }): void;
  /** Called before a write to stdout, which may be the same terminal. */
  clear(): void;
  /** Asks the user like `AskPerson`; undefined also if nobody can be asked. */
  ask(question: string, answer: () => Promise<string | undefined>): Promise<string | undefined>;
}

/** Seconds to repeat a turn. With several prompts, or a wait for limits, no user may be there to repeat it. */
const OUTAGE_SECONDS = 600;

/** Seconds during which a failed turn is repeated while the API does not respond. */
export function outageSeconds({ config, prompts, promptsFile, resumed }: HeadlessRun): number {
  const { wait, outageWait } = config.limits;
  const count = (resumed?.prompts ?? prompts ?? []).length;
  return outageWait ?? (count > 1 || promptsFile !== undefined || wait > 0 ? OUTAGE_SECONDS : 0);
}

/** Usual duration of claude's own ten tries. */
const USUAL_TRIES_MS = 180_000;

/**
 * Variables that make claude wait until a usage limit resets. Then ctxb need not repeat a turn, and subagents wait too.
 * Variables of the user stay.
 */
export function waitVariables(headless: HeadlessRun, { env }: Io): Environment {
  const { observe, limits } = headless.config;
  const { wait } = limits;
  if (wait === 0 || observe || env.CLAUDE_CODE_RETRY_WATCHDOG !== undefined) return {};
  const outageMs = outageSeconds(headless) * 1000;
  return {
    CLAUDE_CODE_RETRY_WATCHDOG: '1',
    CLAUDE_CODE_RETRY_WATCHDOG_MAX_USAGE_LIMIT_WAIT_MS: String(wait * 1000),
    CLAUDE_CODE_RETRY_WATCHDOG_MAX_WAIT_MS: String(outageMs || USUAL_TRIES_MS),
  };
}

/** Whether a user can be asked: stdin is a terminal, and not read for prompts. */
export function isAttended({ inputFormat }: HeadlessInvocation, { stdin, stderr }: Io): boolean {
  return inputFormat === 'text' && stdin.isTTY === true && stderr.isTTY === true;
}

/**
 * Arguments with which claude enforces the cost limits itself. It stops at the call that crosses the limit, even if
 * ctxb's count lags or ctxb is killed. That process then accepts no further prompt. So the limit has room for a last
 * turn, and claude gets no limit if a user may raise it.
 *
 * @param spent US dollars that the run, and all runs of the project, have cost before this process
 * @param own the caller's own limit of claude, and what earlier processes have spent of it; of two limits, claude takes
 * the last one
 */
export function budgetArguments(
  { limitUsd, projectLimitUsd, onLimit }: CostPolicy,
  attended: boolean,
  spent: { readonly run: number; readonly project: number },
  own = { limit: Number.NaN, spent: 0 },
): string[] {
  const roomOf = (limit: number | undefined, before: number) =>
    limit === undefined ? [] : [(onLimit === 'stop' ? limit : withHeadroom(limit)) - before];
  const ours = [...roomOf(limitUsd, spent.run), ...roomOf(projectLimitUsd, spent.project)];
  const callers = Number.isNaN(own.limit) ? [] : [own.limit - own.spent];
  const rooms = [...(asksPerson(onLimit, attended) ? [] : ours), ...callers];
  // claude rejects a budget of 0.
  const room = Math.max(Math.min(...rooms), 0.0001);
  return rooms.length === 0 || room >= own.limit ? [] : ['--max-budget-usd', room.toFixed(6)];
}

/** The variable that tells claude's children the id of their run, so that they do not repeat its work. */
export const RUN_VARIABLE = 'CTXB_RUN';
