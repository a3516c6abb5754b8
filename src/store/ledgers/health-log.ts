import { readdirSync, renameSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { orElse, unreadableError } from '../../errors.ts';
import { matchingNames, realPath, removeFile, statsOf } from '../files/plain-file.ts';
import { ignoreErrors, orStoreError } from '../files/store-error.ts';
import { HEALTH_FILE, timestampName } from '../folders/own-names.ts';

export const HEALTH_LOG = 'health.ndjson';

/** Bytes of a log at which a new one is started, about fifty thousand turns. */
const MAX_LOG_BYTES = 8 * 1024 * 1024;

const MAX_PARTS = 8;

/** Archives a log that is too long as a part, and removes the oldest parts. Another process may still append to it. */
export function archiveLongLog(folder: string, now: number): void {
  const path = join(folder, HEALTH_LOG);
  if ((statsOf(path)?.size ?? 0) < MAX_LOG_BYTES) return;
  // All names differ, so this replaces no file.
  const part = `health-${timestampName(new Date(now))}.ndjson`;
  orStoreError(path, () => ignoreErrors(['ENOENT'], () => renameSync(path, join(folder, part))));
  for (const old of logNames(folder).slice(0, -MAX_PARTS)) removeFile(join(folder, old));
}

/** Oldest first. */
function logNames(folder: string): string[] {
  return matchingNames(folder, HEALTH_FILE).sort();
}

type ContextDirOf = (project: string) => Promise<string>;

/**
 * Finds the health logs for a path, each with its parts: the file itself, the log of a ctxb folder, the log of a
 * project, or else those of all projects in the folder, sorted by name. Empty if nothing was recorded.
 *
 * @returns absolute paths with resolved links, so that a log that is named twice is read once
 * @throws CtxbError `unreadable-input` when the path does not exist
 */
export async function findHealthLogs(path: string, contextDirOf: ContextDirOf): Promise<string[]> {
  if (!isFolder(path)) return [withoutLinks(path)];
  const own = [path, await contextDirOf(path)].map(logsIn).find((logs) => logs.length > 0);
  if (own !== undefined) return own.map(withoutLinks);
  const logs: string[] = [];
  for (const folder of foldersIn(path)) logs.push(...logsIn(await contextDirOf(folder)));
  return logs.map(withoutLinks);
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch (cause) {
    throw unreadableError(path, cause);
  }
}

/** An unreadable folder may contain a log: reading that log reports the error. */
function logsIn(folder: string): string[] {
  return orElse(() => logNames(folder), [HEALTH_LOG]).map((name) => join(folder, name));
}

/** Resolves the links of the folder only. A log that is itself a link is refused, like every link in a ctxb folder. */
function withoutLinks(log: string): string {
  return join(realPath(dirname(log)), basename(log));
}

function foldersIn(path: string): string[] {
  return orStoreError(path, () => readdirSync(path, { withFileTypes: true }))
    .filter((entry) => entry.isDirectory() || entry.isSymbolicLink())
    .map(({ name }) => join(path, name))
    .sort();
}
