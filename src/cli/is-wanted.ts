import { createInterface } from 'node:readline/promises';
import { CtxbError } from '../errors.ts';
import type { Io } from '../io.ts';

/**
 * Asks the person at the terminal. Every answer but a clear yes is a no.
 *
 * @param otherwise the answer where nobody can be asked
 * @throws CtxbError `usage` where nobody can
 */
export async function isWanted(question: string, otherwise: string, { stdin, stdout, stderr }: Io): Promise<boolean> {
  if (stdin.isTTY !== true || stdout.isTTY !== true) {
    throw new CtxbError('usage', `${otherwise}: say --yes, as there is nobody to ask here`);
  }
  const reader = createInterface({ input: stdin, output: stderr });
  const closed = new Promise<string>((resolve) => reader.once('close', () => resolve('')));
  try {
    return /^y(es)?$/i.test((await Promise.race([reader.question(`${question} [y/N] `), closed])).trim());
  } finally {
    reader.close();
  }
}
