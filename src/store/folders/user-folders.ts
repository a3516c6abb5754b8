import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { orElse } from '../../errors.ts';
import type { Environment } from '../../io.ts';

/** The folder for data that ctxb can make again. Undefined without a home folder. */
export function cacheFolder(env: Environment): string | undefined {
  return folderOf(env.XDG_CACHE_HOME, '.cache', env);
}

/** The folder for data that ctxb must not lose. Undefined without a home folder. */
export function stateFolder(env: Environment): string | undefined {
  return folderOf(env.XDG_STATE_HOME, join('.local', 'state'), env);
}

/** A folder that an XDG variable names. The XDG specification says to ignore a relative path. */
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
