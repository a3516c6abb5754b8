import { fstatSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { Readable } from 'node:stream';
import { CtxbError } from '../errors.ts';
import type { Io } from '../io.ts';
import { onOneLine } from '../report/shown.ts';

/**
 * stdin if it is among the files, else an empty stream. Node opens a pipe non-blocking, and then reads fail in other
 * programs that share it, as `while read` around a command does.
 *
 * @param files `-` is stdin
 */
export function openStdin(files: readonly string[], io: Pick<Io, 'stdin'>): Io['stdin'] {
  return files.includes('-') ? io.stdin : Readable.from([]);
}

/** Whether something may come on stdin: a terminal and a device such as /dev/null, which cron and CI give, have nothing. */
export function isPiped({ stdin }: Pick<Io, 'stdin'>): boolean {
  // Node replaces an unreadable stdin by a stream that is not open yet.
  if (stdin.isTTY === true || stdin.fd === null) return false;
  return stdin.fd === undefined || !fstatSync(stdin.fd).isCharacterDevice();
}

/** Whether a name on the command line is a file, or stdin, and not the name of a session. */
export function isRecording(name: string, { cwd }: Io): boolean {
  return name === '-' || statSync(resolve(cwd, name), { throwIfNoEntry: false })?.isFile() === true;
}

/** Parses the value of an option. @param parse gives undefined for one that is refused */
export function parsed<T>(option: string, expected: string, parse: (text: string) => T | undefined) {
  return (text: string): T => {
    const value = parse(text);
    if (value !== undefined) return value;
    throw new CtxbError('usage', `${option}: expected ${expected}, found "${onOneLine(text)}"`);
  };
}

/** The same for a number: of six digits at most, as a longer time-out would fire at once. */
export function wholeNumber(option: string, expected: string, least: number): (text: string) => number {
  return parsed(option, expected, (text) =>
    /^\d{1,6}$/.test(text) && Number(text) >= least ? Number(text) : undefined,
  );
}

/**
 * Asks the person at the terminal. Every answer but a clear yes is a no.
 *
 * @param otherwise the answer where nobody can be asked
 * @throws CtxbError `usage` where nobody can
 */
export async function isWanted(question: string, otherwise: string, { stdin, stdout, stderr }: Io): Promise<boolean> {
  if (stdin.isTTY !== true || stdout.isTTY !== true) {
    throw new CtxbError('usage', `${otherwise}: use --yes where nobody can answer`);
  }
  // Not as a terminal: what readline steers one with does not get through what a command prints on.
  const reader = createInterface({ input: stdin, output: stderr, terminal: false });
  const closed = new Promise<string>((resolve) => reader.once('close', () => resolve('')));
  try {
    return /^y(es)?$/i.test((await Promise.race([reader.question(`${question} [y/N] `), closed])).trim());
  } finally {
    reader.close();
  }
}
