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
  /** What makes the configuration, for the process that resumes the run; undefined: none can. */
  readonly values?: readonly SetValue[];
  /** Prompts from `--prompt`, a turn each. */
  readonly prompts?: readonly string[] | undefined;
  readonly promptsFile?: string | undefined;
  readonly record?: string | undefined;
  /** Without its secrets. */
  readonly maskRecord?: boolean | undefined;
  /** A file that tells at the end how the run went. */
  readonly summary?: string | undefined;
  /** Where telemetry goes, a URL; undefined: as the variables of OpenTelemetry say. */
  readonly otlp?: string | undefined;
  /** Turns that ctxb injects are passed on too. */
  readonly showInjected?: boolean | undefined;
  /** A run that was broken off is taken up; its prompts are the only ones. */
  readonly resumed?: ResumedRun;
  /** Aborted when the run is to end at once. */
  readonly stop?: AbortSignal;
  /** Work to be done before a hook of ours is answered. It may throw: claude goes on without the hook. */
  readonly beforeHook?: (hook: HookName) => void;
}

export interface ResumedRun {
  readonly runId: string;
  /** claude's session to resume; undefined: no session holds a message. */
  readonly sessionId: string | undefined;
  /** What has no answer: `waiting` where claude has not got it, else `owed`. */
  readonly prompts: readonly KeptPrompt[];
  /** What a fresh session is to begin with. */
  readonly document: { readonly path: string; readonly text: string } | undefined;
  /** The sum of what the run has cost, and the limits that the person has set. */
  readonly spent: SpentBefore;
  /** What each model had been used for. */
  readonly models: ModelUsage;
  readonly finished: boolean;
  /** A tool call without a result, in a few words. */
  readonly openTool: string | undefined;
}

/** The folder of a run's files, absolute. */
export function contextFolder({ config }: Pick<HeadlessRun, 'config'>, io: Io): string {
  return resolve(io.cwd, config.contextDir);
}

/** Where the costs of its project are counted. */
export function costPlace({ config }: Pick<HeadlessRun, 'config'>, { cwd, env }: Io): CostPlace {
  return { state: stateFolder(env), project: resolve(realPath(cwd), config.costDir ?? DEFAULTS.contextDir) };
}

/** Receives what happens in a session, for the person who watches it. */
export interface Watcher {
  notice(text: string): void;
  decision(decision: Decision): void;
  status(state: GovernorState): void;
  relay(line: string): void;
  /** The session is over: no more status follows. @param record the file that everything was written to, if any */
  ended(state: GovernorState, record?: string): void;
  /** Something is about to be written to stdout, which may be the same terminal. */
  clear(): void;
  /** Puts a question to the person. Resolves with what was typed; undefined: nothing was, or nobody is there. */
  ask(question: string, answer: () => Promise<string | undefined>): Promise<string | undefined>;
}

/** With several prompts, or a wait for limits, nobody is there to repeat a turn. */
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

/** claude's own ten tries, in milliseconds: what it does without being told. */
const USUAL_TRIES_MS = 180_000;

/**
 * claude itself waits for a usage limit to reset, where it is told to: then nothing has to be repeated, and subagents
 * wait too. Variables that the user has set stay.
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
 * claude's own stop for the cost limits, as its arguments. It acts at the call that crosses, also where ctxb's own
 * count is behind, or ctxb is killed; after it that process takes no further prompt, so that a last turn needs room above
 * the limit, and a person who may raise the limit can have none.
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

/** The variable in which claude's children find the id of the run they belong to: what it does is not to be done twice. */
export const RUN_VARIABLE = 'CTXB_RUN';
