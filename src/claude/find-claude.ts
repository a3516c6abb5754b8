import { accessSync, constants, realpathSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, delimiter, dirname, isAbsolute, join, resolve } from 'node:path';
import { CtxbError, orElse } from '../errors.ts';
import type { CwdAndEnv, Environment } from '../io.ts';
import { withForeign } from '../store/files/foreign-file.ts';
import { readAt } from '../store/files/plain-file.ts';

export interface FindOptions {
  readonly given?: string | undefined;
  /** The running program, which is never returned. Default: the program that node was started with. */
  readonly self?: string;
}

const REMEDY = 'install Claude Code (npm install -g @anthropic-ai/claude-code), or set CTXB_CLAUDE to its path';

/**
 * The path of claude: `--claude`, else `CTXB_CLAUDE`, else the first on PATH that is not ctxb. Skips ctxb's own
 * programs, even behind links, and scripts that name ctxb.
 *
 * @throws CtxbError `command-not-found`, with a remedy
 */
export async function findClaude(where: CwdAndEnv, options: FindOptions = {}): Promise<string> {
  const { given, self = process.argv[1] ?? '' } = options;
  if (given !== undefined) return findNamed(given, '--claude', where, self);
  const { CTXB_CLAUDE: chosen } = where.env;
  if (chosen) return findNamed(chosen, 'CTXB_CLAUDE', where, self);
  return onPath('claude', where, self) ?? refuse('no claude on PATH besides ctxb itself');
}

function onPath(name: string, { env }: CwdAndEnv, self: string): string | undefined {
  const places = (env.PATH ?? '')
    .split(delimiter)
    .filter(Boolean)
    .map((folder) => join(folder, name));
  return places.find((place) => isExecutable(place) && !isCtxb(place, self) && !namesCtxb(place));
}

function findNamed(name: string, by: string, where: CwdAndEnv, self: string): string {
  // The current folder may no longer exist, so it is read only for a relative path.
  const pathOf = () => (isAbsolute(name) ? name : resolve(where.cwd, name));
  // As in a shell, a word without a slash is searched on PATH.
  const found = basename(name) === name ? onPath(name, where, self) : [pathOf()].find(isExecutable);
  if (found === undefined) refuse(`${by}: ${name} is not an executable program`);
  if (isCtxb(found, self)) refuse(`${by}: ${name} is ctxb itself`);
  return found;
}

function refuse(what: string): never {
  throw new CtxbError('command-not-found', `${what}: ${REMEDY}`);
}

function isExecutable(file: string): boolean {
  return orElse(() => {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  }, false);
}

/** Scripts that start ctxb are short. */
const HEAD_BYTES = 4_096;

/**
 * Whether a file is a program of the running ctxb, even behind links.
 *
 * @param self the running program; ctxb's programs are in the same folder
 */
function isCtxb(file: string, self: string): boolean {
  const [real, own] = [realpathSync(file), realpathSync(self)];
  return real === own || (dirname(real) === dirname(own) && namesCtxb(real));
}

/** Whether a file is a script that names ctxb, such as a wrapper or a copy. An unreadable script could not run. */
function namesCtxb(file: string): boolean {
  const head = orElse(() => withForeign(file, (fd) => readAt(fd, 0, HEAD_BYTES).toString('latin1')), '');
  return head.startsWith('#!') && /\bctxb\b/i.test(head);
}

/** Environment variable that counts nested shims. An agent may start claude, but a wrapper must not start itself. */
const SHIMS_VARIABLE = 'CTXB_SHIMS';
const MAX_SHIMS = 8;

/**
 * The environment for a program that a shim starts.
 *
 * @throws CtxbError `command-not-found` when the shims nest so deep that they must start each other in a loop
 */
export function nextShim(env: Environment): Environment {
  const count = Number(env[SHIMS_VARIABLE] ?? 0) + 1;
  if (count <= MAX_SHIMS) return { ...env, [SHIMS_VARIABLE]: String(count) };
  throw new CtxbError(
    'command-not-found',
    `the claude that ctxb finds starts ctxb again (${MAX_SHIMS} times by now): set CTXB_CLAUDE to the path of the real one`,
  );
}

/**
 * The claude of the platform's own package, in the node_modules folders from here upwards. Ignores the main package's
 * `bin/claude.exe`, which is only a placeholder if npm may not run install scripts.
 *
 * @param from a file or its URL
 */
export function installedClaude(from: string): string | undefined {
  const platform = `@anthropic-ai/claude-code-${process.platform}-${process.arch}`;
  const folders = createRequire(from).resolve.paths(platform) ?? [];
  // npm may put the package inside the main package.
  const nested = folders.map((folder) => join(folder, '@anthropic-ai/claude-code/node_modules'));
  // npm installs the package for the machine's C library.
  return [platform, `${platform}-musl`]
    .flatMap((name) => [...folders, ...nested].map((folder) => join(folder, name, 'claude')))
    .find(isExecutable);
}
