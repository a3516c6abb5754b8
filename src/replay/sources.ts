import { type Dirent, readdirSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { DEFAULTS } from '../config/defaults.ts';
import { CtxbError, unreadable } from '../errors.ts';

/** One recording: its file, and the logs of subagents that belong to it. */
export interface Source {
  /** `-` is stdin. */
  readonly file: string;
  readonly subagents: readonly string[];
}

const RECORDING = /\.(ndjson|jsonl)$/;

/**
 * Folder of a session's subagent logs, beside the session's own: `<session>/subagents/agent-*.jsonl`, those of workflows
 * in `<session>/subagents/workflows/<workflow>/`.
 */
const SUBAGENTS = 'subagents';
const WORKFLOWS = 'workflows';

/** In the folder of a workflow: what its agents have answered, which their logs hold too. */
const WORKFLOW_JOURNAL = /[\\/]subagents[\\/]workflows[\\/][^\\/]+[\\/]journal\.jsonl$/;

/**
 * The recordings under a path: the file itself, or all `.ndjson` and `.jsonl` files below a folder, in order of name;
 * what ctxb keeps of runs is left out.
 *
 * @param onFault told of each folder below that cannot be read; without it the first one is thrown
 * @throws CtxbError `unreadable-input` naming the path
 */
export function findSources(path: string, onFault: OnFault = raise): Source[] {
  if (path === '-') return [{ file: path, subagents: [] }];
  const isFolder = told(false, raise, path, () => statSync(path).isDirectory());
  const files = isFolder ? filesBelow(path, onFault).sort() : [path];
  return withoutAttached(files.map((file) => ({ file, subagents: subagentLogs(file, onFault) })));
}

/** A log of a subagent belongs to its session. */
function withoutAttached(sources: readonly Source[]): Source[] {
  const attached = new Set(sources.flatMap(({ subagents }) => subagents));
  return sources.filter(({ file }) => !attached.has(file));
}

/**
 * The recordings under some paths, each once.
 *
 * @param since in milliseconds since the epoch; undefined: all
 * @returns `stale`: how many were left out, as nothing was added to them since then; `faults`: what could not be looked at
 */
export function findAllSources(paths: readonly string[], since: number | undefined) {
  const faults: CtxbError[] = [];
  const tell = (fault: CtxbError) => void faults.push(fault);
  const sessions = withoutAttached(paths.flatMap((path) => told([], tell, path, () => findSources(path, tell))));
  const sources = sessions.filter((source) => isFresh(source, since));
  return { sources, stale: sessions.length - sources.length, faults };
}

/** A file that was last written before a time has nothing from after it, and need not be read. */
export function isFresh({ file, subagents }: Source, since: number | undefined): boolean {
  if (since === undefined || file === '-') return true;
  return [file, ...subagents].some((path) => (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? since) >= since);
}

/** Bytes that there are to read; undefined where one of them cannot be measured, as stdin. */
export function bytesOf(sources: readonly Source[]): number | undefined {
  let bytes = 0;
  for (const path of sources.flatMap(({ file, subagents }) => [file, ...subagents])) {
    const stats = path === '-' ? undefined : statSync(path, { throwIfNoEntry: false });
    if (stats?.isFile() !== true) return undefined;
    bytes += stats.size;
  }
  return bytes;
}

type OnFault = (fault: CtxbError) => void;

function raise(fault: CtxbError): never {
  throw fault;
}

function filesBelow(folder: string, onFault: OnFault): string[] {
  return entriesOf(folder, onFault).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return entry.name === DEFAULTS.contextDir ? [] : filesBelow(path, onFault);
    return entry.isFile() && RECORDING.test(entry.name) && !WORKFLOW_JOURNAL.test(path) ? [path] : [];
  });
}

function entriesOf(folder: string, onFault: OnFault): Dirent[] {
  return told([], onFault, folder, () => readdirSync(folder, { withFileTypes: true }));
}

/** What is read, or something else where it cannot be. */
function told<T>(otherwise: T, onFault: OnFault, path: string, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    onFault(cause instanceof CtxbError ? cause : unreadable(path, cause));
    return otherwise;
  }
}

function subagentLogs(file: string, onFault: OnFault): string[] {
  if (!file.endsWith('.jsonl')) return [];
  const folder = join(dirname(file), basename(file, '.jsonl'), SUBAGENTS);
  const isThere = () => statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true;
  if (!told(false, onFault, folder, isThere)) return [];
  return logsIn(folder, onFault).sort();
}

function logsIn(folder: string, onFault: OnFault): string[] {
  return entriesOf(folder, onFault).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory() && entry.name === WORKFLOWS) return filesBelow(path, onFault);
    // A folder will be told of as what cannot be read; a pipe or a link could keep the reader for ever.
    return RECORDING.test(entry.name) && (entry.isFile() || entry.isDirectory()) ? [path] : [];
  });
}
