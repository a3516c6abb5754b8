import { fstatSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { Readable } from 'node:stream';
import type { Command } from 'commander';
import { CtxbError } from '../errors.ts';
import type { Io } from '../io.ts';
import { onOneLine, printableJson } from '../report/printable.ts';
import { type Style, styleFor } from '../report/style.ts';

export interface CommonFlags {
  readonly json?: true;
  readonly contextDir?: string;
}

export interface CommandModule {
  readonly define: Define;
  /** Printed after the options: what else to know, and examples. */
  readonly HELP?: string;
}

/** Adds arguments and options to a command, and connects it with the function that it calls. */
export type Define = (command: Command, connect: Connect) => void;

/** Makes a command call a function with its arguments, its options and the `Io`. The result is the exit code. */
export type Connect = (command: Command, work: (...given: never[]) => Promise<number> | number) => void;

/** Prints a result as JSON or as text. @param text gets the width of the terminal; undefined if stdout is not one */
export async function printResult<T>(
  value: T,
  { json }: CommonFlags,
  { stdout, env }: Io,
  text: (value: T, style: Style, columns: number | undefined) => string,
): Promise<void> {
  stdout.write(json ? `${printableJson(value, 2)}\n` : text(value, await styleFor(stdout, env), stdout.columns));
}

/**
 * stdin if it is among the files (`-`), else an empty stream. Node makes an opened pipe non-blocking, and then reads
 * fail in other programs that share it, such as `while read` around a command.
 */
export function openStdin(files: readonly string[], io: Pick<Io, 'stdin'>): Io['stdin'] {
  return files.includes('-') ? io.stdin : Readable.from([]);
}

/** Whether stdin may contain data. False for a terminal, and for a device such as /dev/null, which cron and CI use. */
export function isPiped({ stdin }: Pick<Io, 'stdin'>): boolean {
  // Node replaces an unreadable stdin with a stream that is not open yet.
  if (stdin.isTTY === true || stdin.fd === null) return false;
  return stdin.fd === undefined || !fstatSync(stdin.fd).isCharacterDevice();
}

/** Whether a name on the command line is a file or stdin, rather than the name of a session. */
export function isRecording(name: string, { cwd }: Io): boolean {
  return name === '-' || statSync(resolve(cwd, name), { throwIfNoEntry: false })?.isFile() === true;
}

/** Returns a parser for an option's value. @param parse returns undefined for an invalid value */
export function parseOption<T>(option: string, expected: string, parse: (text: string) => T | undefined) {
  return (text: string): T => {
    const value = parse(text);
    if (value !== undefined) return value;
    throw new CtxbError('usage', `${option}: expected ${expected}, found "${onOneLine(text)}"`);
  };
}

/** Like parseOption(), for a number of up to six digits, because a longer timeout would fire immediately. */
export function wholeNumber(option: string, expected: string, min: number): (text: string) => number {
  return parseOption(option, expected, (text) =>
    /^\d{1,6}$/.test(text) && Number(text) >= min ? Number(text) : undefined,
  );
}
