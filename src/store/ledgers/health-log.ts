import { readdirSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { unreadable } from '../../errors.ts';
import { parseHealth } from '../../health/health-lines.ts';
import { readTail } from '../files/read-lines.ts';
import { orStoreError } from '../files/store-error.ts';
import { ledgerFiles } from './ledger-files.ts';

export const HEALTH_LOG = 'health.ndjson';

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
  try {
    return ledgerFiles(folder, HEALTH_LOG);
  } catch {
    return [join(folder, HEALTH_LOG)];
  }
}

/** Keeps a link as the log itself, so that it is refused like every link in a ctxb folder. */
function withoutLinks(log: string): string {
  try {
    return join(realpathSync(dirname(log)), basename(log));
  } catch {
    return log;
  }
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
  try {
    const { lines } = readTail(join(folder, HEALTH_LOG), TAIL_BYTES);
    const details = lines.flatMap((line) => parseHealth(line)?.details ?? []);
    return details.flatMap(({ event, tokens }) => (event === 'landing' ? [tokens] : [])).slice(-NEWEST);
  } catch {
    return [];
  }
}
