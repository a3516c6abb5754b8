import { constants } from 'node:fs';
import { open, realpath } from 'node:fs/promises';
import { basename, dirname, isAbsolute, resolve } from 'node:path';
import { CtxbError } from '../errors.ts';
import type { Io } from '../io.ts';
import { firstExecutable, isExecutable, placesOn } from './executables.ts';

export interface FindOptions {
  readonly given?: string | undefined;
  /** The file that runs now, which is never the answer. Default: the program that node was started with. */
  readonly self?: string;
}

type Where = Pick<Io, 'env' | 'cwd'>;

const REMEDY =
  'install Claude Code (npm install -g @anthropic-ai/claude-code), or set CTXB_CLAUDE to the path of its claude';

/**
 * The path of the claude that is meant: `--claude`, else `CTXB_CLAUDE`, else the first on PATH that is not ctxb in its
 * place. Skipped there are ctxb's own programs, also behind links, and scripts that name ctxb.
 *
 * @throws CtxbError `command-not-found`, with what to do
 */
export async function findClaude(where: Where, options: FindOptions = {}): Promise<string> {
  return (await lookForClaude(where, options)) ?? refuse('there is no claude on PATH besides ctxb itself');
}

/**
 * As {@link findClaude}; undefined when none is named and there is none on PATH.
 *
 * @throws CtxbError `command-not-found` when the one that is named cannot be run, or is ctxb itself
 */
export async function lookForClaude(
  where: Where,
  { given, self = process.argv[1] ?? '' }: FindOptions = {},
): Promise<string | undefined> {
  if (given !== undefined) return named(given, '--claude', where, self);
  const { CTXB_CLAUDE: chosen } = where.env;
  return chosen ? named(chosen, 'CTXB_CLAUDE', where, self) : onPath('claude', where, self);
}

async function onPath(name: string, { env }: Where, self: string): Promise<string | undefined> {
  for (const place of placesOn(env.PATH, name)) {
    if ((await isExecutable(place)) && !(await isCtxb(place, self)) && !(await namesCtxb(place))) return place;
  }
  return undefined;
}

/** What the user has named is believed, unless it would start ctxb for ever. */
async function named(name: string, by: string, where: Where, self: string): Promise<string> {
  // As a shell has it: a word without a slash is looked for on PATH.
  const isWord = basename(name) === name;
  const found = isWord ? await onPath(name, where, self) : await firstExecutable([absolute(name, where)]);
  if (found === undefined) refuse(`${by}: ${name} is no program that can be run`);
  if (await isCtxb(found, self)) refuse(`${by}: ${name} is ctxb itself`);
  return found;
}

/** The current folder may be gone: it is asked for only where it is needed. */
function absolute(path: string, where: Where): string {
  return isAbsolute(path) ? path : resolve(where.cwd, path);
}

function refuse(what: string): never {
  throw new CtxbError('command-not-found', `${what}: ${REMEDY}`);
}

/** Scripts that start ctxb are short; what is read of a file to find that out, in bytes. */
const HEAD_BYTES = 4_096;

/**
 * Whether a file is a program of the ctxb that runs now, also behind links.
 *
 * @param self the file that runs now; ctxb's programs stand beside each other
 */
async function isCtxb(file: string, self: string): Promise<boolean> {
  const [real, own] = await Promise.all([realpath(file), realpath(self)]);
  return real === own || (dirname(real) === dirname(own) && (await namesCtxb(real)));
}

/** Whether a file is a script that names ctxb: a wrapper around it, or a copy of it. */
async function namesCtxb(file: string): Promise<boolean> {
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
