import { basename, resolve } from 'node:path';
import { CtxbError } from '../errors.ts';
import { claudeOnPath, executable } from '../standin/find-claude.ts';

export interface LocateOptions {
  /** `--claude`: a path. */
  readonly given: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
}

/**
 * The claude that is meant: `--claude`, else `CTXB_CLAUDE`, else the one on PATH.
 *
 * @throws CtxbError `command-not-found`
 */
export async function locateClaude({ given, env, cwd }: LocateOptions): Promise<string> {
  const [named, by] = given === undefined ? [env.CTXB_CLAUDE || undefined, 'CTXB_CLAUDE'] : [given, '--claude'];
  if (named === undefined) return (await claudeOnPath(env.PATH)) ?? notFound(`no claude on PATH`);
  // As a shell has it: a word without a slash is looked for on PATH.
  const found = basename(named) === named ? await claudeOnPath(env.PATH, named) : await executable(resolve(cwd, named));
  return found ?? notFound(`${by}: ${named} is no program that can be run`);
}

function notFound(what: string): never {
  const todo = 'install one (npm install -g @anthropic-ai/claude-code), or name it with --claude PATH or CTXB_CLAUDE';
  throw new CtxbError('command-not-found', `${what}: ${todo}`);
}
