import { randomBytes } from 'node:crypto';
import { readdirSync, realpathSync, renameSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { orElse, unreadable } from '../../errors.ts';
import { parseHealth } from '../../health/health-lines.ts';
import { namesIn, removeFile, statsOf } from '../files/plain-file.ts';
import { readTail } from '../files/read-lines.ts';
import { ignoring, orStoreError } from '../files/store-error.ts';
import { HEALTH_PART } from '../folders/own-names.ts';

export const HEALTH_LOG = 'health.ndjson';

/** Bytes of a log from which on a new one is begun: some fifty thousand turns. */
const FULL = 8 * 1024 * 1024;

/** The parts of a log that stay. */
const MOST_PARTS = 8;

/** Puts a log that has become long aside as a part, and removes the oldest parts. Another process may still add to it. */
export function keepShort(folder: string, now: number): void {
  const path = join(folder, HEALTH_LOG);
  if ((statsOf(path)?.size ?? 0) < FULL) return;
  const time = new Date(now).toISOString().replaceAll(/[-:.Z]/g, '');
  // All names differ, so nothing is ever replaced.
  const part = `health-${time}-${randomBytes(2).toString('hex')}.ndjson`;
  orStoreError(path, () => ignoring(['ENOENT'], () => renameSync(path, join(folder, part))));
  for (const old of partsIn(folder).slice(0, -MOST_PARTS)) removeFile(join(folder, old));
}

/** Oldest first. */
function partsIn(folder: string): string[] {
  return namesIn(folder)
    .filter((name) => HEALTH_PART.test(name))
    .sort();
}

/** The folder of a project's ctxb files, as an absolute path. */
export type ContextDirOf = (project: string) => Promise<string>;

/**
 * The health logs of a path, each with its parts: the file itself, the log of a ctxb folder, that of a project, or else
 * those of the projects in the folder, by name. Empty if nothing was recorded.
 *
 * @returns absolute paths without links on the way, so that a log that is named twice can be read once
 * @throws CtxbError `unreadable-input` when there is nothing at the path
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
    throw unreadable(path, cause);
  }
}

/** An unreadable folder may contain a log: reading it will report the error. */
function logsIn(folder: string): string[] {
  const names = () => [...partsIn(folder), ...namesIn(folder).filter((name) => name === HEALTH_LOG)];
  return orElse(names, [HEALTH_LOG]).map((name) => join(folder, name));
}

/** Keeps a link as the log itself, so that it is refused like every link in a ctxb folder. */
function withoutLinks(log: string): string {
  return orElse(() => join(realpathSync(dirname(log)), basename(log)), log);
}

function foldersIn(path: string): string[] {
  return orStoreError(path, () => readdirSync(path, { withFileTypes: true }))
    .filter((entry) => entry.isDirectory() || entry.isSymbolicLink())
    .map(({ name }) => join(path, name))
    .sort();
}

/** Bytes of the log's end that are looked at, about 600 records, and landings that are taken from it. */
const TAIL_BYTES = 256 * 1024;
const NEWEST = 8;

/** Contexts after the last compactions in a project, newest last, in tokens; empty without a log. */
export function earlierLandings(folder: string): number[] {
  const lines = orElse(() => readTail(join(folder, HEALTH_LOG), TAIL_BYTES).lines, []);
  const details = lines.flatMap((line) => parseHealth(line)?.details ?? []);
  return details.flatMap(({ event, tokens }) => (event === 'landing' ? [tokens] : [])).slice(-NEWEST);
}
