import { resolve } from 'node:path';
import type { Config } from '../config/config.ts';
import type { SetValue } from '../config/resolve-config.ts';
import type { HookName } from '../governor/actions.ts';
import type { SpentBefore } from '../governor/input.ts';
import type { Io } from '../io.ts';
import type { HeadlessInvocation } from './claude-arguments.ts';

/** A headless claude under ctxb. */
export interface HeadlessRun {
  readonly program: string;
  readonly invocation: HeadlessInvocation;
  readonly config: Config;
  /** What makes the configuration, for whoever takes the run up; undefined: nobody can. */
  readonly values?: readonly SetValue[];
  /** Prompts from `--prompt`, a turn each. */
  readonly prompts: readonly string[] | undefined;
  readonly promptsFile: string | undefined;
  /** File for the record. */
  readonly record: string | undefined;
  /** Where telemetry goes, a URL; undefined: where the variables of OpenTelemetry say, if they do. */
  readonly otlp?: string | undefined;
  /** A run that was broken off is taken up; its prompts are the only ones. */
  readonly resumed?: ResumedRun;
  /** Aborted when the run is to end at once. */
  readonly stop?: AbortSignal;
  /** Work to be done before a hook of ours is answered. It may throw or be late: claude does not wait for it. */
  readonly beforeHook?: (hook: HookName) => void | Promise<void>;
}

/** What is known of a run that was broken off. */
export interface ResumedRun {
  readonly runId: string;
  /** claude's session to go on with; undefined: nothing was said in any. */
  readonly sessionId: string | undefined;
  /** Prompts that claude has not got, a line each. */
  readonly lines: readonly string[];
  /** `uuid`s of prompts that claude has got, and whose answer the caller has not. */
  readonly answers: readonly string[];
  /** What a fresh session is to begin with. */
  readonly document: { readonly path: string; readonly text: string } | undefined;
  /** The sum of what the run has cost, and the limits that the person has set. */
  readonly spent: SpentBefore;
  /** The last turn came to its end. */
  readonly finished: boolean;
  /** A tool call without a result, in a few words. */
  readonly openTool: string | undefined;
}

/** The folder of a run's files, absolute. */
export function contextFolder({ config }: HeadlessRun, io: Io): string {
  return resolve(io.cwd, config.contextDir);
}
