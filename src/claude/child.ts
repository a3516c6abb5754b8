import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync } from 'node:fs';
import { constants, devNull } from 'node:os';
import { PassThrough, type Readable, type Writable } from 'node:stream';
import { CtxbError, orElse } from '../errors.ts';
import type { CwdAndEnv, Environment } from '../io.ts';

/** Signals by which a user, or the program that started ctxb, asks it to end. */
export const ENDING_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const;

/** Signals that a terminal sends to its foreground processes at a key press. */
const KEYBOARD_SIGNALS: ReadonlySet<NodeJS.Signals> = new Set(['SIGINT', 'SIGQUIT']);

/** Both ends of three pipes, and of the pipe that reports whether the program was executed. */
const DESCRIPTORS = 8;

export interface ChildEnd {
  readonly code: number | undefined;
  readonly signal: NodeJS.Signals | undefined;
}

/** A running claude, in a process group of its own so that a terminal's Ctrl-C reaches ctxb first. */
export type Child = Awaited<ReturnType<typeof startChild>>;

interface ChildOptions extends CwdAndEnv {
  readonly command: string;
  readonly args: readonly string[];
}

/**
 * Starts claude. @throws CtxbError `command-not-found` when the program is not found, `command-failed` when it cannot
 * be started; Error `EMFILE` when there are too many open files
 */
export async function startChild(options: ChildOptions) {
  const child = await start(options);
  const [stdin, stdout, stderr] = child.stdio as [Writable, Readable, Readable, null, null];
  const pid = child.pid as number;
  // claude may exit at any time; `ended` reports that, and later input is dropped.
  stdin.on('error', () => {});
  return {
    pid,
    stdin,
    // Readers attach a moment later, and Node discards unread data when the process ends.
    stdout: stdout.pipe(new PassThrough()) as Readable,
    stderr: stderr.pipe(new PassThrough()) as Readable,
    ended: new Promise<ChildEnd>((resolve) => {
      child.on('close', (code, signal) => resolve({ code: code ?? undefined, signal: signal ?? undefined }));
    }),
    /** Signals the whole group. Does nothing if the group has ended. */
    kill: (signal: NodeJS.Signals) => void orElse(() => process.kill(-pid, signal), false),
  };
}

/** Node throws some start errors synchronously, and emits others a moment later. */
async function start({ command, args, cwd, env }: ChildOptions): Promise<ChildProcess> {
  requireDescriptors();
  try {
    const child = spawn(command, args, { cwd, env, detached: true });
    if (child.pid === undefined) throw (await once(child, 'error'))[0];
    return child;
  } catch (error) {
    throw startError(command, error as NodeJS.ErrnoException);
  }
}

/** The exit code that a shell reports for a process ended by a signal. */
export function signalExitCode(signal: NodeJS.Signals): number {
  return 128 + (constants.signals[signal] ?? 0);
}

/**
 * Runs a claude that is not headless (`--help`, `mcp`, `update` …), or that refuses its arguments, in place of ctxb:
 * same terminal, same process group. Signals that would end ctxb are passed on; those of the terminal reach claude
 * directly.
 *
 * @param input all of claude's stdin, if it was read already; default: ctxb's stdin
 * @returns its exit code
 * @throws CtxbError as {@link startChild}
 */
export async function runUntouched(
  program: string,
  args: readonly string[],
  { cwd, env }: CwdAndEnv,
  input?: string,
): Promise<number> {
  const { isatty } = await import('node:tty');
  let subprocess: { kill(signal: NodeJS.Signals): boolean } | undefined;
  const passOn = (signal: NodeJS.Signals) => {
    if (!KEYBOARD_SIGNALS.has(signal) || ![0, 1, 2].some(isatty)) subprocess?.kill(signal);
  };
  requireDescriptors();
  // Listen before the start: a signal in between would end only ctxb.
  for (const signal of ENDING_SIGNALS) process.on(signal, passOn);
  // Loading takes 40 ms of processor time, which must not delay a headless claude's first answer.
  const { execa } = await import('execa');
  const stdin = input === undefined ? ({ stdin: 'inherit' } as const) : { input };
  const how = {
    cwd,
    env,
    extendEnv: false,
    buffer: false,
    reject: false,
    stdout: 'inherit',
    stderr: 'inherit',
  } as const;
  const running = execa(program, args, { ...how, ...stdin });
  subprocess = running;
  const result = await running;
  for (const signal of ENDING_SIGNALS) process.off(signal, passOn);
  if (result.signal !== undefined) return signalExitCode(result.signal as NodeJS.Signals);
  if (result.exitCode === undefined) throw startError(program, result);
  return result.exitCode;
}

/**
 * Throws if the process has too few file descriptors. Node would start a child without pipes, and emit the error before
 * anyone listens.
 */
function requireDescriptors(): void {
  const open: number[] = [];
  try {
    while (open.length < DESCRIPTORS) open.push(openSync(devNull, 'r'));
  } finally {
    for (const fd of open) closeSync(fd);
  }
}

interface StartFault {
  readonly code?: string | undefined;
  readonly message?: string | undefined;
}

function startError(command: string, { code = '', message }: StartFault): CtxbError {
  if (code === 'ENOENT' && !(command.includes('/') && existsSync(command))) {
    return new CtxbError('command-not-found', `${command}: command not found: ${startHint(command)}`);
  }
  const remedy = REMEDIES[code];
  const why = `${code || message}${remedy === undefined ? '' : ` (${remedy})`}`;
  return new CtxbError('command-failed', `${command} cannot be started: ${why}`);
}

function startHint(command: string): string {
  if (command.startsWith('-')) return 'options of ctxb come before --';
  if (command.includes(' ')) return 'did you mean: ctxb run -- claude -p "…"';
  return command === 'claude' ? INSTALL : 'check its name, or give its path';
}

const INSTALL = 'install Claude Code (npm install -g @anthropic-ai/claude-code), or give its path';

const REMEDIES: Readonly<Record<string, string>> = {
  ENOENT: 'the interpreter in its first line is missing',
  EACCES: 'it is not a program, or you may not execute it: check the path and chmod +x',
  E2BIG: 'its arguments are too long: give the prompt on stdin or with --prompts',
  EAGAIN: 'there are too many processes: end some, or raise ulimit -u',
  EMFILE: 'there are too many open files: raise ulimit -n',
  ENOMEM: 'there is not enough memory: end something else',
};

/**
 * Holds the process id of the ctxb that started a claude. All descendants of that claude inherit the variable, but only
 * the claude itself has that ctxb as its parent. So a shim can tell it from a claude that the agent starts.
 */
const PARENT_VARIABLE = 'CTXB_PARENT';

export function forOwnChild(env: Environment): Environment {
  return { ...env, [PARENT_VARIABLE]: String(process.pid) };
}

/** Whether a ctxb started this process instead of claude. */
export function isOwnChild(env: Environment): boolean {
  return env[PARENT_VARIABLE] === String(process.ppid);
}
