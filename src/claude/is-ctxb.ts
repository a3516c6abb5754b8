import { constants } from 'node:fs';
import { open, realpath } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Scripts that start ctxb are short; what is read of a file to find that out, in bytes. */
const HEAD_BYTES = 4_096;

/**
 * Whether a file is a program of the ctxb that runs now, also behind links.
 *
 * @param self the file that runs now; ctxb's programs stand beside each other
 */
export async function isCtxb(file: string, self: string): Promise<boolean> {
  const [real, own] = await Promise.all([realpath(file), realpath(self)]);
  return real === own || (dirname(real) === dirname(own) && (await namesCtxb(real)));
}

/** Whether a file is a script that names ctxb: a wrapper around it, or a copy of it. */
export async function namesCtxb(file: string): Promise<boolean> {
  const head = await headOf(file);
  return head.startsWith('#!') && /\bctxb\b/i.test(head);
}

/** Empty where it cannot be read: a script could not be run then either. */
async function headOf(file: string): Promise<string> {
  try {
    await using handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK);
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(HEAD_BYTES));
    return buffer.toString('latin1', 0, bytesRead);
  } catch {
    return '';
  }
}
