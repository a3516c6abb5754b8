import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { orElse } from '../../errors.ts';
import type { Environment } from '../../io.ts';

/**
 * The folder for data that ctxb can recreate: `$XDG_CACHE_HOME/ctxb`, else `~/.cache/ctxb`.
 *
 * @returns undefined if there is no home folder either
 */
export function cacheFolder(env: Environment): string | undefined {
  return folderOf(env.XDG_CACHE_HOME, '.cache', env);
}

/**
 * The folder for data that ctxb must not lose: `$XDG_STATE_HOME/ctxb`, else `~/.local/state/ctxb`.
 *
 * @returns undefined if there is no home folder either
 */
export function stateFolder(env: Environment): string | undefined {
  return folderOf(env.XDG_STATE_HOME, join('.local', 'state'), env);
}

/** As the XDG specification demands, ignores a relative path. */
function folderOf(named: string | undefined, usual: string, env: Environment): string | undefined {
  if (named !== undefined && isAbsolute(named)) return join(named, 'ctxb');
  const home = userHome(env);
  return home && join(home, usual, 'ctxb');
}

export function userHome({ HOME }: Environment): string | undefined {
  // homedir fails for a user unknown to the system, as in some containers.
  const home = HOME || orElse(homedir, '');
  return isAbsolute(home) ? home : undefined;
}
