import { spawn, spawnSync } from 'node:child_process';
import { access, constants } from 'node:fs/promises';
import type { Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { installedClaude } from '../../src/claude/find-claude.ts';
import { createScratchEnvironment, type ScratchEnvironment } from '../../src/standin/scratch-environment.ts';
import { createReferee, expectLawful } from './api-rules/referee.ts';
import type { Scenario } from './standin/scenario.ts';
import { type Standin, startStandin } from './standin/server.ts';

/**
 * The claude that tests may run: CTXB_TEST_CLAUDE, else the one pinned in package.json. Never one on PATH, whose
 * version nobody has chosen.
 */
export async function testClaude(): Promise<string> {
  const chosen = process.env.CTXB_TEST_CLAUDE || (await installedClaude(import.meta.url));
  if (chosen === undefined) {
    throw new Error('No claude to test with: run `npm install`, or set CTXB_TEST_CLAUDE to the path of one');
  }
  await access(chosen, constants.X_OK);
  return chosen;
}

/** A stand-in, an environment that points to it, and a claude to run there. */
export interface World {
  readonly claude: string;
  readonly standin: Standin;
  readonly scratch: ScratchEnvironment;
  dispose(): Promise<void>;
}

/** Compile cache that all tests share, because most of them start programs, each in its own home. */
export const NODE_COMPILE_CACHE = fileURLToPath(new URL('../../node_modules/.cache/ctxb', import.meta.url));

/** Starts a world for one test; `await using` or `dispose` ends it. */
export async function startWorld(scenario: Scenario): Promise<World & AsyncDisposable> {
  const claude = await testClaude();
  const referee = createReferee();
  const standin = await startStandin(scenario, referee);
  const path = process.env.PATH;
  const scratch = await createScratchEnvironment({ url: standin.url, ...(path === undefined ? {} : { path }) });
  // Most tests of compactions expect a summary. Tests of exact ones set this themselves.
  scratch.env.CTXB_COMPACTION_HOW = 'summary';
  scratch.env.NODE_COMPILE_CACHE = NODE_COMPILE_CACHE;
  const dispose = async () => {
    await standin.close();
    await scratch.dispose();
    expectLawful(referee);
  };
  return { claude, standin, scratch, dispose, [Symbol.asyncDispose]: dispose };
}

/** Options of a program. `stdin` is its whole input; without it, stdin is empty. */
export interface ProgramOptions {
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly stdin?: string | Uint8Array;
  /** Gives the program a process group of its own, as a shell does; `kill` then signals the whole group. */
  readonly group?: boolean;
  /** Kills the program when aborted; pass the test context's signal where a program could hang. */
  readonly signal?: AbortSignal;
}

export interface Finished {
  readonly stdout: Buffer;
  readonly stderr: string;
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A running program with an open stdin. */
export interface RunningProgram {
  readonly pid: number | undefined;
  readonly stdin: Writable;
  readonly finished: Promise<Finished>;
  /** Writes one value as a line of JSON. */
  send(value: unknown): void;
  /** Resolves with the next line of stdout, not yet returned by an earlier call, that parses and fits. */
  waitForLine(fits: (line: JsonLine) => boolean): Promise<JsonLine>;
  kill(signal?: NodeJS.Signals): void;
}

/** A parsed line of stream-json; tests look into it freely. */
export type JsonLine = Readonly<Record<string, unknown>>;

/** Runs a program to its end. */
export function runProgram(command: string, args: readonly string[], options: ProgramOptions): Promise<Finished> {
  const program = startProgram(command, args, options);
  program.stdin.end(options.stdin);
  return program.finished;
}

interface Left {
  readonly what: string;
  readonly since: number;
  readonly said: () => string;
}

const running = new Map<RunningProgram, Left>();

/** Maximum characters of the printed output. */
const TOLD = 2_000;
/** A program that runs longer is stuck, or the machine is. */
const LONG_MS = 60_000;
/** The kernel's own processes have this parent. */
const KERNEL = '2';

/** Prints the output of programs that have run for very long, for a test that timed out waiting for one. */
export function tellLeft(): void {
  const left = [...running].filter(([, { since }]) => performance.now() - since > LONG_MS);
  for (const [{ pid }, { what, since, said }] of left) {
    const seconds = Math.round((performance.now() - since) / 1_000);
    console.error(`Still running after ${seconds} s: ${pid} ${what}\n${said().slice(-TOLD)}`);
  }
  if (left.length === 0) return;
  const all = ['-o', 'pid,ppid,stat,etimes,time,args', '--forest', '--ppid', KERNEL, '-p', KERNEL, '--deselect'];
  console.error(String(spawnSync('ps', all).stdout));
}

/** Stops the programs of a failed test. A stopped ctxb also stops its claude. */
export function endLeft(): void {
  for (const program of running.keys()) program.kill('SIGTERM');
}

/** Starts a program and leaves its stdin open; `options.stdin` is not used. */
export function startProgram(command: string, args: readonly string[], options: ProgramOptions): RunningProgram {
  const { env, cwd, signal, group = false } = options;
  const child = spawn(command, args, { env, cwd, stdio: 'pipe', detached: group, ...(signal ? { signal } : {}) });
  const stdout: Buffer[] = [];
  const stderr: Buffer[] = [];
  const lines = createLineQueue();
  child.stdout.on('data', (chunk: Buffer) => {
    stdout.push(chunk);
    lines.add(chunk);
  });
  child.stderr.on('data', (chunk: Buffer) => stderr.push(chunk));
  // The program may have ended before it read all input; its exit code shows why.
  child.stdin.on('error', () => {});
  const finished = new Promise<Finished>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => {
      lines.close(Buffer.concat(stderr).toString());
      resolve({ stdout: Buffer.concat(stdout), stderr: Buffer.concat(stderr).toString(), code, signal });
    });
  });
  const program: RunningProgram = {
    pid: child.pid,
    stdin: child.stdin,
    finished,
    send: (value) => void child.stdin.write(`${JSON.stringify(value)}\n`),
    waitForLine: lines.waitFor,
    kill: (signal) => void (group && child.pid !== undefined ? process.kill(-child.pid, signal) : child.kill(signal)),
  };
  const said = () => [...stdout, ...stderr].join('');
  running.set(program, { what: [command, ...args].join(' '), since: performance.now(), said });
  child.on('close', () => running.delete(program));
  child.on('error', () => running.delete(program));
  return program;
}

/** A prompt as a line of stream-json input. */
export function promptLine(content: unknown, more: object = {}): object {
  return { type: 'user', message: { role: 'user', content }, parent_tool_use_id: null, session_id: '', ...more };
}

interface LineWaiter {
  readonly fits: (line: JsonLine) => boolean;
  readonly resolve: (line: JsonLine) => void;
  readonly reject: (error: Error) => void;
}

function createLineQueue() {
  let pending: string[] = [];
  const lines: JsonLine[] = [];
  let waiter: LineWaiter | undefined;
  let ended: string | undefined;
  const decoder = new TextDecoder();

  function settle(): void {
    const at = waiter ? lines.findIndex(waiter.fits) : -1;
    if (at >= 0) {
      const [line] = lines.splice(0, at + 1).slice(-1);
      if (line) waiter?.resolve(line);
      waiter = undefined;
    } else if (ended !== undefined) {
      waiter?.reject(new Error(`The program ended before such a line came. Its stderr: ${ended}`));
    }
  }
  return {
    add(chunk: Buffer): void {
      const [first = '', ...others] = decoder.decode(chunk, { stream: true }).split('\n');
      pending.push(first);
      for (const part of others) {
        lines.push(...parseLine(pending.join('')));
        pending = [part];
      }
      settle();
    },
    waitFor(fits: LineWaiter['fits']): Promise<JsonLine> {
      return new Promise((resolve, reject) => {
        waiter = { fits, resolve, reject };
        settle();
      });
    },
    close(stderr: string): void {
      ended = stderr;
      settle();
    },
  };
}

function parseLine(line: string): JsonLine[] {
  try {
    return [JSON.parse(line) as JsonLine];
  } catch {
    return [];
  }
}
