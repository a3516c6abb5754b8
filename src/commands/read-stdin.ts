import { text } from 'node:stream/consumers';
import type { Io } from '../io.ts';

/** All of stdin as text; nothing where a person would have to type it. */
export function readStdin(stdin: Io['stdin']): Promise<string> {
  return stdin.isTTY ? Promise.resolve('') : text(stdin);
}
