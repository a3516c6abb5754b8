import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { Io } from '../io.ts';

/** All of stdin as text; nothing where a person would have to type it. */
export function readStdin(stdin: Io['stdin']): Promise<string> {
  return stdin.isTTY ? Promise.resolve('') : text(stdin);
}

/**
 * stdin where it is among the files, else a stream without a byte: Node makes a pipe that it opens non-blocking, and
 * then reads of it fail in other programs that share it, as `while read` does around a command.
 *
 * @param files `-` is stdin
 */
export function openStdin(files: readonly string[], io: Pick<Io, 'stdin'>): Io['stdin'] {
  return files.includes('-') ? io.stdin : Readable.from([]);
}

/** Whether a name on the command line is a file, or stdin, and not the name of a session. */
export function isRecording(name: string, { cwd }: Io): boolean {
  return name === '-' || statSync(resolve(cwd, name), { throwIfNoEntry: false })?.isFile() === true;
}
