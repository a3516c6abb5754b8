import { homedir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import type { GovernorState } from '../core/governor/state.ts';
import { parseFields, textOf } from '../core/protocol/fields.ts';
import { orElse } from '../errors.ts';
import type { CwdAndEnv } from '../io.ts';
import { readForeign, textIn } from '../store/files/foreign-file.ts';
import { kindOf, namesOf, realPath, statsOf } from '../store/files/plain-file.ts';
import { readLines } from '../store/files/read-lines.ts';
import { namesCompactionHook } from './compaction-hooks.ts';

/** Claude Code's folder for the user's settings and logs: `$CLAUDE_CONFIG_DIR`, else `~/.claude`. */
export function configFolder({ env, cwd }: CwdAndEnv): string {
  return env.CLAUDE_CONFIG_DIR ? resolve(cwd, env.CLAUDE_CONFIG_DIR) : join(env.HOME || homedir(), '.claude');
}

/** The settings of the user, and the shared and the local ones of the project in `cwd`. */
export function settingsPaths(where: CwdAndEnv): string[] {
  const names = ['settings.json', 'settings.local.json'];
  return [join(configFolder(where), 'settings.json'), ...names.map((name) => join(where.cwd, '.claude', name))];
}

export const SETTINGS_LIMIT = 4 * 1024 * 1024;

/**
 * Whether the settings have a PreCompact hook, which may guard the context.
 * @param given the value of `--settings`: a path or JSON
 */
export function hasCompactionHook(where: CwdAndEnv, given: string | undefined): boolean {
  const files = settingsPaths(where);
  const own = given?.trimStart().startsWith('{') ? parseFields(given) : undefined;
  const paths = given === undefined || own !== undefined ? files : [...files, resolve(where.cwd, given)];
  // claude cannot read an unreadable file either.
  const texts = paths.map((path) => orElse(() => textIn(readForeign(path, SETTINGS_LIMIT)), ''));
  return [...texts.map(parseFields), own ?? {}].some(({ hooks }) => namesCompactionHook(hooks));
}

/**
 * The log of a session: in its project's folder in `CLAUDE_CONFIG_DIR` or `~/.claude`, else in any other project's
 * folder, because the session may have started elsewhere. Undefined if no log exists, as with
 * `--no-session-persistence` or after a kill within 0.15 s of the first prompt.
 *
 * @param session `transcript`: path from a hook's input, preferred unless it is missing or of another session
 */
export function findSessionLog({ id, transcript }: LoggedSession, place: CwdAndEnv): string | undefined {
  const name = `${id}.jsonl`;
  if (id === undefined || basename(name) !== name) return undefined;
  if (transcript !== undefined && basename(transcript) === name && isFile(transcript)) return transcript;
  const projects = join(configFolder(place), 'projects');
  const usual = join(projectLogs(place), name);
  return isFile(usual) ? usual : newestFirst(namesOf(projects).map((folder) => join(projects, folder, name)))[0];
}

type LoggedSession = Partial<GovernorState['session']>;

/** The session whose log in the project was written last, unless it has no messages (2.1.330). */
export function newestSession(place: CwdAndEnv): string | undefined {
  const path = sessionLogsSince(0, place).find(mayBeResumed);
  return path && basename(path, '.jsonl');
}

/** Session logs of the project, newest first. @param since milliseconds since the epoch */
export function sessionLogsSince(since: number, place: CwdAndEnv): string[] {
  const folder = projectLogs(place);
  const logs = namesOf(folder, SESSION_LOG).map((name) => join(folder, name));
  return newestFirst(logs, since);
}

const SESSION_LOG = /^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}\.jsonl$/;

function mayBeResumed(path: string): boolean {
  let isEmpty = true;
  for (const line of readLines(path)) {
    if (/"type":"(?:user|assistant)"/.test(line) && !line.includes('"isSidechain":true')) return true;
    isEmpty = false;
  }
  return isEmpty;
}

/**
 * The folder of the project's logs, which may not exist. Its name derives from the project's path with links resolved.
 */
export function projectLogs(place: CwdAndEnv): string {
  return join(configFolder(place), 'projects', projectFolder(realPath(place.cwd)));
}

/**
 * Whether a log may belong to the project. Not if its first row with a folder names another one; several projects can
 * share a folder of logs.
 */
export function mayBelongToProject(path: string, { cwd }: CwdAndEnv): boolean {
  const own = realPath(cwd);
  for (const line of readLines(path)) {
    const named = line.includes('"cwd"') ? textOf(parseFields(line).cwd) : undefined;
    if (named === undefined) continue;
    const other = realPath(named);
    return other === own || projectFolder(other) !== projectFolder(own);
  }
  return true;
}

const FOLDER_LENGTH = 200;

/**
 * The name of a project's folder of logs (measured with 2.1.197 and 2.1.329). Different projects may have the same
 * name.
 */
function projectFolder(cwd: string): string {
  const name = cwd.replaceAll(/[^a-zA-Z0-9]/g, '-');
  return name.length <= FOLDER_LENGTH ? name : `${name.slice(0, FOLDER_LENGTH)}-${hash(cwd)}`;
}

function hash(text: string): string {
  let sum = 0;
  for (let i = 0; i < text.length; i++) sum = (sum * 31 + text.charCodeAt(i)) | 0;
  return Math.abs(sum).toString(36);
}

function newestFirst(paths: readonly string[], since = 0): string[] {
  return paths
    .flatMap((path) => {
      const stats = orElse(() => statsOf(path), undefined);
      return stats?.isFile() && stats.mtimeMs >= since ? [{ path, time: stats.mtimeMs }] : [];
    })
    .sort((a, b) => b.time - a.time)
    .map(({ path }) => path);
}

function isFile(path: string): boolean {
  return orElse(() => kindOf(path) === 'file', false);
}
