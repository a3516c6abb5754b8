import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { main } from '../../src/cli/main.ts';
import type { Io } from '../../src/io.ts';
import { type Finished, NODE_COMPILE_CACHE, type RunningProgram, runProgram, startProgram } from '../support/claude.ts';
import { CTXB, readLines, untilClosing } from '../support/ctxb.ts';

/** Arguments for the output of a program that reads the stream. */
export const STREAM = ['--output-format', 'stream-json', '--verbose'];

/** A work folder of its own, and an environment built from nothing. */
export interface Place extends AsyncDisposable {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** A path in the work folder. */
  path(name: string): string;
  /** Writes a file into the work folder. Resolves with its path. */
  file(name: string, content: string | Uint8Array): Promise<string>;
}

export async function createPlace(): Promise<Place> {
  const cwd = await mkdtemp(join(tmpdir(), 'ctxb-cli-'));
  const state = await mkdtemp(join(tmpdir(), 'ctxb-state-'));
  const path = (name: string) => join(cwd, name);
  return {
    cwd,
    env: { PATH: process.env.PATH ?? '', HOME: cwd, XDG_STATE_HOME: state, NODE_COMPILE_CACHE },
    path,
    async file(name, content) {
      await writeFile(path(name), content);
      return path(name);
    },
    async [Symbol.asyncDispose]() {
      for (const folder of [cwd, state]) await rm(folder, { recursive: true, force: true });
    },
  };
}

/** The path of a program in `fixtures/programs` that plays a claude. */
export function fake(name: string): string {
  return fileURLToPath(new URL(`../../fixtures/programs/${name}.mjs`, import.meta.url));
}

/** `ctxb run FLAGS -- FAKE ARGUMENTS` */
export interface FakeRun {
  /** A program of `fixtures/programs`, by name. */
  readonly fake: string;
  readonly flags?: readonly string[];
  readonly claude?: readonly string[];
  /** All of stdin; without it, stdin is at its end from the start. */
  readonly stdin?: string | Uint8Array;
  readonly env?: Readonly<Record<string, string>>;
}

/** Its stderr is without the line of figures at the end, which `test/cli/stderr.test.ts` looks at. */
export async function runFake(place: Place, run: FakeRun): Promise<Finished> {
  const { stdin } = run;
  return untilClosing(
    await ctxb(place, fakeArguments(run), { env: run.env ?? {}, ...(stdin === undefined ? {} : { stdin }) }),
  );
}

/** The same with stdin left open. */
export function startFake(place: Place, run: FakeRun): RunningProgram {
  const { cwd, env } = place;
  const program = startProgram(process.execPath, [CTXB, ...fakeArguments(run)], { env: { ...env, ...run.env }, cwd });
  return { ...program, finished: program.finished.then(untilClosing) };
}

export function fakeArguments({ fake: name, flags = [], claude = [] }: FakeRun): string[] {
  return ['run', ...flags, '--', fake(name), ...claude];
}

/** Commands that start nothing, and take nothing from the process. */
const IN_PROCESS = new Set([
  'cleanup',
  'compact',
  'completion',
  'config',
  'handoff',
  'health',
  'help',
  'note',
  'recall',
  'receipts',
  'runs',
  'scratch',
  'stop',
]);

type Where = Pick<Place, 'cwd' | 'env'>;

interface More {
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string | Uint8Array;
}

/** Any command of ctxb, to its end. */
export function ctxb(place: Where, args: readonly string[], more: More = {}): Promise<Finished> {
  if (IN_PROCESS.has(args[0] ?? '')) return ctxbHere(place, args, more);
  const { cwd, env } = place;
  const { stdin } = more;
  const options = { env: { ...env, ...more.env }, cwd, ...(stdin === undefined ? {} : { stdin }) };
  return runProgram(process.execPath, [CTXB, ...args], options);
}

/**
 * `main` does here what the program does, 20 times faster. For calls that start no process and name no relative path:
 * the folder of this process is not the place.
 */
export async function ctxbHere({ cwd, env }: Where, args: readonly string[], more: More = {}): Promise<Finished> {
  const [stdout, stderr] = [collect(), collect()];
  const stdin = Readable.from([Buffer.from(more.stdin ?? '')]);
  const world: Io = { env: { ...env, ...more.env }, cwd, stdin, stdout: stdout.stream, stderr: stderr.stream };
  const code = await main(args, world);
  return { stdout: stdout.all(), stderr: stderr.all().toString(), code, signal: null };
}

function collect() {
  const chunks: Buffer[] = [];
  const stream = new Writable({
    write(chunk: Buffer, _, done) {
      chunks.push(chunk);
      done();
    },
  });
  return { stream, all: () => Buffer.concat(chunks) };
}

/** The stdin of the program, if PLAY_INPUT named `input` in the work folder. */
export async function inputOf(place: Place): Promise<string> {
  return readFile(place.path('input'), 'utf8');
}

/** The same as lines, each parsed. */
export function inputLines(place: Place): Record<string, unknown>[] {
  return readLines(place.path('input'));
}

export function journalOf(place: Place): Record<string, unknown>[] {
  return readLines(place.path('.context/journal.ndjson'));
}

/** A short name of a line: `init`, `answer one`, `result answer one`, `status compacting`. */
export function gist(line: Record<string, unknown>): string {
  const { type, subtype, status, compact_result: outcome } = line;
  if (type === 'assistant' || type === 'user') return textOf(line);
  if (type === 'result') return `result ${line.result}`.trim();
  if (type === 'system') return subtype === 'status' ? `status ${status ?? outcome}` : String(subtype);
  return String(type);
}

function textOf(line: Record<string, unknown>): string {
  const { content } = line.message as { content: string | { text: string }[] };
  return typeof content === 'string' ? content : content.map(({ text }) => text).join(' ');
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
