import { constants, existsSync, promises } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, delimiter, dirname, isAbsolute, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { CtxbError } from '../errors.ts';
import type { Environment, Io } from '../io.ts';

export interface FindOptions {
  readonly given?: string | undefined;
  /** The file that runs now, which is never the answer. Default: the program that node was started with. */
  readonly self?: string;
}

type Where = Pick<Io, 'env' | 'cwd'>;

const REMEDY = 'install Claude Code (npm install -g @anthropic-ai/claude-code), or set CTXB_CLAUDE to its path';

/**
 * The path of the claude that is meant: `--claude`, else `CTXB_CLAUDE`, else the first on PATH that is not ctxb in its
 * place. Skipped there are ctxb's own programs, also behind links, and scripts that name ctxb.
 *
 * @throws CtxbError `command-not-found`, with what to do
 */
export async function findClaude(where: Where, options: FindOptions = {}): Promise<string> {
  const { given, self = process.argv[1] ?? '' } = options;
  if (given !== undefined) return named(given, '--claude', where, self);
  const { CTXB_CLAUDE: chosen } = where.env;
  if (chosen) return named(chosen, 'CTXB_CLAUDE', where, self);
  return (await onPath('claude', where, self)) ?? refuse('no claude on PATH besides ctxb itself');
}

async function onPath(name: string, { env }: Where, self: string): Promise<string | undefined> {
  for (const place of placesOn(env.PATH, name)) {
    if ((await isExecutable(place)) && !(await isCtxb(place, self)) && !(await namesCtxb(place))) return place;
  }
  return undefined;
}

/** A named claude is accepted, unless it would start ctxb forever. */
async function named(name: string, by: string, where: Where, self: string): Promise<string> {
  // As in a shell: a word without a slash is searched on PATH.
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

async function isExecutable(file: string): Promise<boolean> {
  try {
    await promises.access(file, constants.X_OK);
    return (await promises.stat(file)).isFile();
  } catch {
    return false;
  }
}

async function firstExecutable(files: readonly string[]): Promise<string | undefined> {
  for (const file of files) if (await isExecutable(file)) return file;
  return undefined;
}

/** The agent's command for `ctxb recall`; undefined if a shell does not find ctxb. */
export function recallCommand(path: string | undefined): { readonly recall?: string } {
  return placesOn(path, 'ctxb').some((file) => existsSync(file)) ? { recall: '`ctxb recall WORDS`' } : {};
}

/** Possible paths of a program on a PATH, in its order. */
function placesOn(path: string | undefined, name: string): string[] {
  const names = process.platform === 'win32' ? [`${name}.exe`, `${name}.cmd`] : [name];
  const folders = (path ?? '').split(delimiter).filter((folder) => folder !== '');
  return folders.flatMap((folder) => names.map((name) => join(folder, name)));
}

/** Scripts that start ctxb are short; what is read of a file to find that out, in bytes. */
const HEAD_BYTES = 4_096;

/**
 * Whether a file is a program of the running ctxb, also behind links.
 *
 * @param self the file that runs now; ctxb's programs stand beside each other
 */
async function isCtxb(file: string, self: string): Promise<boolean> {
  const [real, own] = await Promise.all([promises.realpath(file), promises.realpath(self)]);
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
    await using handle = await promises.open(file, constants.O_RDONLY | constants.O_NONBLOCK);
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(HEAD_BYTES));
    return buffer.toString('latin1', 0, bytesRead);
  } catch {
    return '';
  }
}

/** The number of nested shims: an agent that starts claude is legitimate, a wrapper that starts its caller is not. */
const SHIMS = 'CTXB_SHIMS';
const MOST = 8;

/**
 * The environment for what a shim starts.
 *
 * @throws CtxbError `command-not-found` when shims have started each other so often that it can only be a circle
 */
export function nextShim(env: Environment): Environment {
  const count = Number(env[SHIMS] ?? 0) + 1;
  if (count <= MOST) return { ...env, [SHIMS]: String(count) };
  throw new CtxbError(
    'command-not-found',
    `the claude that ctxb finds starts ctxb again (${MOST} times by now): set CTXB_CLAUDE to the path of the real one`,
  );
}

/**
 * The claude of the platform's own package, in the node_modules folders from here upwards. The main package's
 * `bin/claude.exe` is not used, because it is only a placeholder where npm may not run install scripts.
 *
 * @param from a folder or a file URL
 */
export function installedClaude(from: string): Promise<string | undefined> {
  const folder = from.startsWith('file:') ? fileURLToPath(from) : from;
  const require = createRequire(pathToFileURL(join(folder, 'noop.js')));
  return firstExecutable(platformPackages().flatMap((name) => packagePlaces(require, name)));
}

function platformPackages(): string[] {
  const plain = `@anthropic-ai/claude-code-${process.platform}-${process.arch}`;
  return process.platform === 'linux' && usesMusl() ? [`${plain}-musl`, plain] : [plain];
}

// Node's report names the C library only where it is glibc.
function usesMusl(): boolean {
  const report = process.report.getReport() as { header?: { glibcVersionRuntime?: string } };
  return report.header?.glibcVersionRuntime === undefined;
}

/** All node_modules folders upwards; and those inside the main package, where npm may have put the platform's. */
function packagePlaces(require: NodeJS.Require, name: string): string[] {
  const folders = require.resolve.paths(name) ?? [];
  const nested = folders.map((folder) => join(folder, '@anthropic-ai/claude-code/node_modules'));
  const file = process.platform === 'win32' ? 'claude.exe' : 'claude';
  return [...folders, ...nested].map((folder) => join(folder, name, file));
}
