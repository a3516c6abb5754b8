import { resolve } from 'node:path';
import type { HeadlessInvocation } from '../claude/claude-arguments.ts';
import type { Config } from '../config/config.ts';
import { DEFAULTS } from '../config/defaults.ts';
import type { SetValue } from '../config/resolve-config.ts';
import { asksPerson, withHeadroom } from '../core/governor/cost/cost-limit.ts';
import type { Decision } from '../core/governor/decisions.ts';
import type { HookName } from '../core/governor/effects.ts';
import type { SpentBefore } from '../core/governor/input.ts';
import type { CostPolicy } from '../core/governor/policy.ts';
import type { GovernorState } from '../core/governor/state.ts';
import type { Io } from '../io.ts';
import { realPath } from '../store/files/plain-file.ts';
import { stateFolder } from '../store/folders/user-folders.ts';
import type { CostPlace } from '../store/ledgers/cost-ledger.ts';
import type { KeptPrompt } from './kept-prompts.ts';
import type { ModelUsage } from './output/whole-results.ts';

export interface HeadlessRun {
  readonly program: string;
  readonly invocation: HeadlessInvocation;
  readonly config: Config;
  /** The values that make the configuration, for the process that resumes the run; undefined: it cannot be resumed. */
  readonly values?: readonly SetValue[];
  /** Prompts from `--prompt`, a turn each. */
  readonly prompts?: readonly string[] | undefined;
  readonly promptsFile?: string | undefined;
  readonly record?: string | undefined;
  /** Without its secrets. */
  readonly maskRecord?: boolean | undefined;
  /** A file for the figures of the run, written at its end. */
  readonly summary?: string | undefined;
  /** The URL of the telemetry receiver; undefined: as set by the variables of OpenTelemetry. */
  readonly otlp?: string | undefined;
  /** Turns that ctxb injects are passed on too. */
  readonly showInjected?: boolean | undefined;
  /** A run that was broken off is taken up; its prompts are the only ones. */
  readonly resumed?: ResumedRun;
  /** Aborted when the run is to end at once. */
  readonly stop?: AbortSignal;
  /** Runs before one of our hooks is answered. It may throw: claude continues without the hook. */
  readonly beforeHook?: (hook: HookName) => void;
}

export interface ResumedRun {
  readonly runId: string;
  /** claude's session to resume; undefined: no session has a message. */
  readonly sessionId: string | undefined;
  /** Prompts without an answer: `waiting` if claude has not got them, else `owed`. */
  readonly prompts: readonly KeptPrompt[];
  /** The document that a fresh session begins with. */
  readonly document: { readonly path: string; readonly text: string } | undefined;
  /** The sum of what the run has cost, and the limits that the person has set. */
  readonly spent: SpentBefore;
  /** Usage of each model so far. */
  readonly models: ModelUsage;
  readonly finished: boolean;
  /** A tool call without a result, in a few words. */
  readonly openTool: string | undefined;
}

/** The folder of a run's files, absolute. */
export function contextFolder({ config }: Pick<HeadlessRun, 'config'>, io: Io): string {
  return resolve(io.cwd, config.contextDir);
}

/** The folder in which the costs of its project are counted. */
export function costPlace({ config }: Pick<HeadlessRun, 'config'>, { cwd, env }: Io): CostPlace {
  return { state: stateFolder(env), project: resolve(realPath(cwd), config.costDir ?? DEFAULTS.contextDir) };
}

/** Receives what happens in a session, for the person who watches it. */
export interface Watcher {
  notice(text: string): void;
  decision(decision: Decision): void;
  status(state: GovernorState): void;
  relay(line: string): void;
  /** The session is over: no further status follows. @param record the file that everything was written to, if any */
  ended(state: GovernorState, record?: string): void;
  /** Called before a write to stdout, which may be the same terminal. */
  clear(): void;
  /** Asks the person a question. Resolves with the typed text; undefined without an answer or a person. */
  ask(question: string, answer: () => Promise<string | undefined>): Promise<string | undefined>;
}

/** With several prompts, or a wait for limits, no one is there to repeat a turn. */
const OUTAGE_SECONDS = 600;

/** How long a turn is repeated while the API does not answer. */
export function outageSeconds({
  config,
  prompts,
  promptsFile,
  resumed,
}: Pick<HeadlessRun, 'config' | 'prompts' | 'promptsFile' | 'resumed'>): number {
  const { wait, outageWait } = config.limits;
  const count = (resumed?.prompts ?? prompts ?? []).length;
  return outageWait ?? (count > 1 || promptsFile !== undefined || wait > 0 ? OUTAGE_SECONDS : 0);
}

/** The time of claude's own ten tries, in milliseconds. */
const USUAL_TRIES_MS = 180_000;

/**
 * claude itself can wait for a usage limit to reset: then nothing has to be repeated, and subagents wait too. Variables
 * that the user has set stay.
 */
export function waitVariables({ config, ...headless }: HeadlessRun, { env }: Pick<Io, 'env'>): Io['env'] {
  const { wait } = config.limits;
  if (wait === 0 || config.observe || env.CLAUDE_CODE_RETRY_WATCHDOG !== undefined) return {};
  const outageMs = outageSeconds({ config, ...headless }) * 1000;
  return {
    CLAUDE_CODE_RETRY_WATCHDOG: '1',
    CLAUDE_CODE_RETRY_WATCHDOG_MAX_USAGE_LIMIT_WAIT_MS: String(wait * 1000),
    CLAUDE_CODE_RETRY_WATCHDOG_MAX_WAIT_MS: String(outageMs || USUAL_TRIES_MS),
  };
}

/** A person can be asked where stdin is a terminal that is not read for prompts. */
export function isAttended({ invocation }: Pick<HeadlessRun, 'invocation'>, { stdin, stderr }: Io): boolean {
  return invocation.inputFormat === 'text' && stdin.isTTY === true && stderr.isTTY === true;
}

/**
 * claude's own stop for the cost limits, as its arguments. It acts at the call that crosses the limit, even if ctxb's
 * own count is behind or ctxb is killed. After it, that process takes no further prompt. So a last turn needs room
 * above the limit, and claude gets no stop if a person may raise the limit.
 *
 * @param spent US dollars: what the run, and all runs of the project, have cost before this process
 */
export function budgetArguments(
  { limitUsd, projectLimitUsd, onLimit }: CostPolicy,
  attended: boolean,
  spent: { readonly run: number; readonly project: number },
): string[] {
  if (asksPerson(onLimit, attended)) return [];
  const roomOf = (limit: number | undefined, before: number) =>
    limit === undefined ? [] : [(onLimit === 'stop' ? limit : withHeadroom(limit)) - before];
  const rooms = [...roomOf(limitUsd, spent.run), ...roomOf(projectLimitUsd, spent.project)];
  // claude refuses a budget of nothing.
  return rooms.length === 0 ? [] : ['--max-budget-usd', Math.max(Math.min(...rooms), 0.0001).toFixed(6)];
}

/** The variable in which claude's children find the id of their run, so that they do not repeat its work. */
export const RUN_VARIABLE = 'CTXB_RUN';
