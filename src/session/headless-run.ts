import { resolve } from 'node:path';
import type { Config } from '../config/config.ts';
import type { HookName } from '../governor/actions.ts';
import type { Io } from '../io.ts';
import type { HeadlessInvocation } from './claude-arguments.ts';

/** A headless claude under ctxb. */
export interface HeadlessRun {
  readonly program: string;
  readonly invocation: HeadlessInvocation;
  readonly config: Config;
  /** Prompts from `--prompt`, a turn each. */
  readonly prompts: readonly string[] | undefined;
  readonly promptsFile: string | undefined;
  /** File for the record. */
  readonly record: string | undefined;
  /** Work to be done before a hook of ours is answered. It may throw or be late: claude does not wait for it. */
  readonly beforeHook?: (hook: HookName) => void | Promise<void>;
}

/** The folder of a run's files, absolute. */
export function contextFolder({ config }: HeadlessRun, io: Io): string {
  return resolve(io.cwd, config.contextDir);
}
