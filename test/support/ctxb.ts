import { chmodSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Decision } from '../../src/core/governor/decisions.ts';
import { type Finished, type RunningProgram, runProgram, startProgram, type World } from './claude.ts';

/** The built program, as a user runs it. */
export const CTXB = fileURLToPath(new URL('../../dist/ctxb.cjs', import.meta.url));

/** The built program that replaces claude on PATH. */
export const SHIM = fileURLToPath(new URL('../../dist/ctxb-shim.cjs', import.meta.url));

/** Puts the built programs into a folder of programs, as an installation would. */
export function installCtxb(bin: string): void {
  symlinkSync(SHIM, join(bin, 'ctxb-shim'));
  writeFileSync(join(bin, 'ctxb'), `#!/bin/sh\nexec '${process.execPath}' '${CTXB}' "$@"\n`);
  chmodSync(join(bin, 'ctxb'), 0o755);
}

/** The default model, whose window has 1,000,000 tokens, and no questions about tools. */
export const DEFAULT_MODEL = ['--dangerously-skip-permissions'];
/** A model with a window of 200,000 tokens, and no questions about tools. */
export const SMALL_WINDOW = ['--model', 'claude-sonnet-4-6', '--dangerously-skip-permissions'];
/** The same with 1,000,000. */
export const LARGE_WINDOW = ['--model', 'claude-sonnet-4-6[1m]', '--dangerously-skip-permissions'];

/** Arguments that make claude speak the protocol in both directions. */
export const PROTOCOL = ['-p', '--input-format', 'stream-json', '--output-format', 'stream-json', '--verbose'];

export interface CtxbRun {
  readonly flags?: readonly string[];
  readonly claude: readonly string[];
  readonly stdin?: string | Uint8Array;
  readonly env?: Readonly<Record<string, string>>;
  /** In a process group of its own, as a shell starts it. */
  readonly group?: boolean;
}

/** `ctxb run FLAGS -- claude ARGUMENTS` in a world, to its end. */
export async function runCtxb(world: World, run: CtxbRun): Promise<ClosedRun> {
  const { stdin } = run;
  const finished = await runProgram(process.execPath, argumentsOf(world, run), {
    env: { ...world.scratch.env, ...run.env },
    cwd: world.scratch.cwd,
    ...(stdin === undefined ? {} : { stdin }),
  });
  return untilClosing(finished);
}

/** The same with stdin left open. */
export function startCtxb(world: World, run: CtxbRun): RunningProgram {
  return startProgram(process.execPath, argumentsOf(world, run), {
    env: { ...world.scratch.env, ...run.env },
    cwd: world.scratch.cwd,
    group: run.group ?? false,
  });
}

function argumentsOf(world: World, { flags = [], claude }: CtxbRun): string[] {
  return [CTXB, 'run', ...flags, '--', world.claude, ...claude];
}

/** Decisions in the journal of a world's work folder. */
export function journal(world: World): Decision[] {
  return journalLines(world).filter((entry) => 'gauge' in entry) as unknown as Decision[];
}

export function journalLines(world: World): Record<string, unknown>[] {
  return readLines(join(world.scratch.cwd, '.context', 'journal.ndjson'));
}

export function readLines(path: string): Record<string, unknown>[] {
  const lines = readFileSync(path, 'utf8').split('\n').filter(Boolean);
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}

/** Lines of stream-json output. */
export function outputLines({ stdout }: Finished): Record<string, unknown>[] {
  return stdout
    .toString()
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

/** `--prompt A --prompt B`. */
export function prompts(...texts: readonly string[]): string[] {
  return texts.flatMap((text) => ['--prompt', text]);
}

/** `4 turns, 48 calls in 7.2 s; …` */
const CLOSING = /ctxb: \d+ turns?, \d+ calls? in .*\n/;

/** `closing` is the line of figures at the end of a run, which stderr has no more. */
export interface ClosedRun extends Finished {
  readonly closing: string;
}

export function untilClosing(finished: Finished): ClosedRun {
  const [closing = ''] = CLOSING.exec(finished.stderr) ?? [];
  return { ...finished, stderr: finished.stderr.replace(CLOSING, ''), closing };
}
