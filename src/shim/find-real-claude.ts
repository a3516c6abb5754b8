import { open, realpath } from 'node:fs/promises';
import { basename } from 'node:path';
import { CtxbError } from '../errors.ts';
import { claudesOn, isExecutable } from '../standin/find-claude.ts';

/** Where to look for the claude that a shim stands for. */
export interface RealClaudeOptions {
  /** `CTXB_CLAUDE` wins over `PATH`. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The file that runs now, which is never the answer. */
  readonly self: string;
}

const REMEDY = 'install Claude Code, or set CTXB_CLAUDE to the path of its claude';

/** Scripts that start ctxb are short; what is read of a file to find that out, in bytes. */
const HEAD_BYTES = 4_096;

/**
 * The path of the claude that a shim stands for. Skipped on PATH: the shim itself, also behind links, and scripts that
 * name ctxb, which are wrappers around the shim or copies of it.
 *
 * @throws CtxbError `command-not-found`, with what to do
 */
export async function findRealClaude({ env, self }: RealClaudeOptions): Promise<string> {
  const own = await realpath(self);
  const name = env.CTXB_CLAUDE || 'claude';
  if (basename(name) !== name) return check(name, own);
  // As a shell has it: a word without a slash is looked for on PATH.
  for (const place of claudesOn(env.PATH, name)) {
    if ((await isExecutable(place)) && !(await isOurs(place, own))) return place;
  }
  throw new CtxbError('command-not-found', `there is no ${name} on PATH besides ctxb itself: ${REMEDY}`);
}

/** What the user has named is believed, unless it would start the shim for ever. */
async function check(chosen: string, own: string): Promise<string> {
  const fault = await faultOf(chosen, own);
  if (fault === undefined) return chosen;
  throw new CtxbError('command-not-found', `CTXB_CLAUDE is ${chosen}, ${fault}: ${REMEDY}`);
}

async function faultOf(chosen: string, own: string): Promise<string | undefined> {
  if (!(await isExecutable(chosen))) return 'where there is no program';
  return (await realpath(chosen)) === own ? 'which is ctxb itself' : undefined;
}

async function isOurs(place: string, own: string): Promise<boolean> {
  return (await realpath(place)) === own || namesCtxb(await headOf(place));
}

function namesCtxb(head: string): boolean {
  return head.startsWith('#!') && /\bctxb\b/i.test(head);
}

async function headOf(file: string): Promise<string> {
  await using handle = await open(file);
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(HEAD_BYTES));
  return buffer.toString('latin1', 0, bytesRead);
}
