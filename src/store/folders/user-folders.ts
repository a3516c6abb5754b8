import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import type { Environment } from '../../io.ts';

/**
 * The folder for what ctxb can make again: `$XDG_CACHE_HOME/ctxb`, else `~/.cache/ctxb`.
 *
 * @returns undefined where there is no home folder either
 */
export function cacheFolder(env: Environment): string | undefined {
  return folderOf(env.XDG_CACHE_HOME, '.cache', env);
}

/**
 * The folder for what ctxb must not lose: `$XDG_STATE_HOME/ctxb`, else `~/.local/state/ctxb`.
 *
 * @returns undefined where there is no home folder either
 */
export function stateFolder(env: Environment): string | undefined {
  return folderOf(env.XDG_STATE_HOME, join('.local', 'state'), env);
}

/** The rule of XDG: a path that is not absolute does not count. */
function folderOf(named: string | undefined, usual: string, env: Environment): string | undefined {
  if (named !== undefined && isAbsolute(named)) return join(named, 'ctxb');
  const home = userHome(env);
  return home && join(home, usual, 'ctxb');
}

/** The user's home folder; undefined without one. */
export function userHome({ HOME }: Environment): string | undefined {
  const home = HOME || ownHome();
  return isAbsolute(home) ? home : undefined;
}

/** Empty for a user that the system does not know, as in some containers. */
function ownHome(): string {
  try {
    return homedir();
  } catch {
    return '';
  }
}
