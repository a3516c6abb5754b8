import { Readable } from 'node:stream';
import type { Io } from '../io.ts';

/**
 * stdin where it is among the files, else a stream without a byte: Node makes a pipe that it opens non-blocking, and
 * then reads of it fail in other programs that share it, as `while read` does around a command.
 *
 * @param files `-` is stdin
 */
export function openStdin(files: readonly string[], io: Pick<Io, 'stdin'>): Io['stdin'] {
  return files.includes('-') ? io.stdin : Readable.from([]);
}
