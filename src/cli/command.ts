import type { Command } from 'commander';
import type { Io } from '../io.ts';
import { printableJson } from '../report/shown.ts';
import { type Style, styleFor } from '../report/style.ts';

/** Options that many commands have. */
export interface CommonFlags {
  readonly json?: true;
  readonly contextDir?: string;
}

/** Adds arguments, options and examples to a command, and connects it with the function that it calls. */
export type Define = (command: Command, connect: Connect) => void;

/** Makes a command call a function with its arguments, its options and the world. The result is the exit code. */
export type Connect = (command: Command, work: (...given: never[]) => Promise<number> | number) => void;

/**
 * Prints a result as JSON with `--json`, else as text.
 *
 * @param text gets the width of the terminal; undefined if stdout is not one
 */
export async function printResult(
  value: unknown,
  { json }: CommonFlags,
  { stdout, env }: Io,
  text: (style: Style, columns: number | undefined) => string,
): Promise<void> {
  stdout.write(json ? `${printableJson(value, 2)}\n` : text(await styleFor(stdout, env), stdout.columns));
}
