import { type Dirent, lstatSync, readdirSync, realpathSync, type Stats, statSync } from 'node:fs';
import { basename, dirname, join, sep } from 'node:path';
import { DEFAULTS } from '../config/defaults.ts';
import { CtxbError, unreadableError } from '../errors.ts';
import { headOf } from './read/read-values.ts';

/** One recording: its file, and the logs of its subagents. */
export interface Source {
  /** `-` for stdin. */
  readonly file: string;
  readonly subagents: readonly string[];
}

/** Recordings, also compressed ones; `WRAPPINGS` in `cli/replay-sources.ts` names the ones that ctxb does not read. */
const RECORDING = /\.(ndjson|jsonl)(\.(gz|zst|bz2|xz))?$/;

const SESSION_LOG = /^(.+)\.jsonl(?:\.gz)?$/;

/**
 * Folder of a session's subagent logs, next to the session's log: `<session>/subagents/agent-*.jsonl`. Workflows and
 * nested subagents have subfolders.
 */
const SUBAGENTS = 'subagents';

/** Folders to skip: ctxb's own files of runs, and git's files, which include the link targets of git-annex. */
const SKIPPED_FOLDERS: ReadonlySet<string> = new Set([DEFAULTS.contextDir, '.git']);

/** Answers of a workflow's agents, which their logs also contain. */
const WORKFLOW_JOURNAL = /[\\/]subagents[\\/]workflows[\\/][^\\/]+[\\/]journal\.jsonl$/;

/**
 * The recordings under a path: the file itself, or all `.ndjson` and `.jsonl` files in a folder and its subfolders,
 * sorted by name, also compressed ones. Follows symbolic links; skips the folders of ctxb's runs and of git.
 *
 * @param tell called for each unreadable folder or link below `path`; by default, the first one is thrown
 * @throws CtxbError `unreadable-input` with the path
 */
export function findSources(path: string, tell: OnFault = raise): Source[] {
  if (path === '-') return [{ file: path, subagents: [] }];
  const onFault = once(tell);
  const isFolder = tryRead(false, raise, path, () => statSync(path).isDirectory());
  const files = isFolder ? recordingsBelow(path, onFault).sort() : [path];
  const flat = createFlatLogs(onFault);
  const found = distinct(files.map((file) => ({ file, subagents: subagentLogs(file, onFault, flat) })));
  return isFolder ? joinAgents(found) : found;
}

/** Joins the logs of the subagents of a session that has no log. */
function joinAgents(sources: readonly Source[]): Source[] {
  const joined = new Map<string, Source>();
  for (const source of sources) {
    const session = FLAT_LOG.test(basename(source.file)) ? sessionOfAgent(source.file) : undefined;
    const known = joined.get(session ?? source.file);
    const { file, subagents } = known ?? source;
    joined.set(session ?? source.file, known ? { file, subagents: [...subagents, source.file] } : source);
  }
  return [...joined.values()];
}

/** Removes files found by several paths, and subagent logs that belong to a found session. */
function distinct(sources: readonly Source[]): Source[] {
  const found = sources.map((source) => ({ source, real: realPath(source.file) }));
  const best = new Map<string, Source>();
  for (const { source, real } of found) {
    const known = best.get(real);
    if (known === undefined || isBetter(source, known)) best.set(real, source);
  }
  const attached = new Set([...best.values()].flatMap(({ subagents }) => subagents.map(realPath)));
  return found.flatMap(({ source, real }) => (best.get(real) === source && !attached.has(real) ? [source] : []));
}

/** Prefers the path with more subagent logs next to it, then the file itself over a link. */
function isBetter(a: Source, b: Source): boolean {
  return (a.subagents.length - b.subagents.length || Number(isLink(b.file)) - Number(isLink(a.file))) > 0;
}

/**
 * The recordings under several paths, without duplicates.
 *
 * @param since milliseconds since the epoch; undefined: no limit
 * @returns `stale`: number of recordings excluded because they were last written before `since`; `faults`: unreadable
 * paths
 */
export function findAllSources(paths: readonly string[], since: number | undefined) {
  const faults: CtxbError[] = [];
  const tell = (fault: CtxbError) => void faults.push(fault);
  const sessions = distinct(paths.flatMap((path) => tryRead([], tell, path, () => findSources(path, tell))));
  const sources = sessions.filter((source) => isFresh(source, since));
  return { sources, stale: sessions.length - sources.length, faults };
}

/** Whether a recording was written at or after a time; others contain nothing from after it. */
export function isFresh({ file, subagents }: Source, since: number | undefined): boolean {
  if (since === undefined || file === '-') return true;
  return [file, ...subagents].some((path) => (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? since) >= since);
}

/** Total size in bytes; undefined if a source has no size, such as stdin. */
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

/** Reports each fault once: a subagent folder is read for its session and by itself. */
function once(tell: OnFault): OnFault {
  const reported = new Set<string>();
  return (fault) => {
    if (reported.has(fault.message)) return;
    reported.add(fault.message);
    tell(fault);
  };
}

function raise(fault: CtxbError): never {
  throw fault;
}

function ignore(): void {}

/**
 * Follows each link to a folder once, after the folder's own files, so that files keep their own names. Ignores links
 * to parent folders, to avoid cycles and reading the whole disk.
 */
function recordingsBelow(top: string, onFault: OnFault): string[] {
  const found: Walk = { files: [], folders: [top], links: [] };
  const above = realPath(top);
  const seen = new Set<string>();
  for (let next = found.folders.pop(); next !== undefined; next = found.folders.pop() ?? found.links.shift()) {
    const real = realPath(next);
    if (seen.has(real) || isBelow(above, real)) continue;
    seen.add(real);
    lookInto(next, found, onFault);
  }
  return found.files;
}

interface Walk {
  readonly files: string[];
  readonly folders: string[];
  readonly links: string[];
}

function lookInto(folder: string, found: Walk, onFault: OnFault): void {
  for (const entry of entriesOf(folder, onFault)) {
    const path = join(folder, entry.name);
    if (SKIPPED_FOLDERS.has(entry.name)) continue;
    if (entry.isDirectory()) found.folders.push(path);
    else if (isRecording(entry, path, onFault)) found.files.push(path);
    // Broken links are ignored.
    else if (entry.isSymbolicLink() && statsOf(path, ignore)?.isDirectory()) found.links.push(path);
  }
}

function isBelow(path: string, folder: string): boolean {
  return path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

function isRecording(entry: Dirent, path: string, onFault: OnFault): boolean {
  return RECORDING.test(entry.name) && !WORKFLOW_JOURNAL.test(path) && isFile(entry, path, onFault);
}

/** Follows links. Rejects pipes and devices, which could block the reader forever. */
function isFile(entry: Dirent, path: string, onFault: OnFault): boolean {
  if (!entry.isSymbolicLink()) return entry.isFile();
  return statsOf(path, onFault)?.isFile() === true;
}

function entriesOf(folder: string, onFault: OnFault): Dirent[] {
  return tryRead([], onFault, folder, () => readdirSync(folder, { withFileTypes: true }));
}

/** Follows links; undefined if the target does not exist. */
function statsOf(path: string, onFault: OnFault): Stats | undefined {
  return tryRead(undefined, onFault, path, () => statSync(path, { throwIfNoEntry: false }));
}

/** Returns the result of `read`, or `otherwise` after reporting an error. */
function tryRead<T>(otherwise: T, onFault: OnFault, path: string, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    onFault(cause instanceof CtxbError ? cause : unreadableError(path, cause));
    return otherwise;
  }
}

/** Looks next to the session; if it is a link without logs beside it, next to its target. */
function subagentLogs(file: string, onFault: OnFault, flat: FlatLogs): string[] {
  const logs = [...flat(file), ...logsBeside(file, onFault)];
  const real = logs.length === 0 && isLink(file) ? realPath(file) : file;
  return real === file ? logs : [...flat(real), ...logsBeside(real, onFault)];
}

/**
 * Subagent logs next to a session's log, the layout of Claude Code 2.0, or in a folder next to it. Each log names its
 * session.
 */
type FlatLogs = (session: string) => readonly string[];

const FLAT_LOG = /^agent-[\w-]+\.jsonl(?:\.gz)?$/;

/** Reads each folder once. */
function createFlatLogs(onFault: OnFault): FlatLogs {
  const folders = new Map<string, ReadonlyMap<string, readonly string[]>>();
  return (file) => {
    const session = sessionOf(file);
    if (session === undefined) return [];
    return [dirname(file), join(dirname(file), SUBAGENTS)].flatMap((folder) => {
      const known = folders.get(folder) ?? flatLogsIn(folder, onFault);
      folders.set(folder, known);
      return known.get(session) ?? [];
    });
  };
}

/** Subagent logs by session id. */
function flatLogsIn(folder: string, onFault: OnFault): ReadonlyMap<string, readonly string[]> {
  const logs = new Map<string, string[]>();
  const isFolder = statsOf(folder, onFault)?.isDirectory();
  const names = isFolder ? entriesOf(folder, onFault).filter((entry) => FLAT_LOG.test(entry.name)) : [];
  for (const entry of names.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(folder, entry.name);
    const session = isFile(entry, path, onFault) ? sessionOfAgent(path) : undefined;
    if (session !== undefined) logs.set(session, [...(logs.get(session) ?? []), path]);
  }
  return logs;
}

/** Bytes of a log that contain its first row, which names the session. */
const HEAD_BYTES = 64 * 1024;

/**
 * Returns undefined if the file is not a subagent log, or is unreadable; reading the recording reports the error later.
 */
function sessionOfAgent(path: string): string | undefined {
  const text = tryRead('', ignore, path, () => headOf(path, HEAD_BYTES));
  return /"isSidechain":\s*true/.test(text) ? /"sessionId":\s*"([^"]+)"/.exec(text)?.[1] : undefined;
}

/** The session that a log is named after; undefined for other files. */
function sessionOf(file: string): string | undefined {
  return FLAT_LOG.test(basename(file)) ? undefined : SESSION_LOG.exec(basename(file))?.[1];
}

function logsBeside(file: string, onFault: OnFault): string[] {
  const session = sessionOf(file);
  if (session === undefined) return [];
  const folder = join(dirname(file), session, SUBAGENTS);
  return statsOf(folder, onFault)?.isDirectory() ? recordingsBelow(folder, onFault).sort() : [];
}

function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
}

/** Returns the given path on an error, which reading the file reports later. */
function realPath(path: string): string {
  if (path === '-') return path;
  try {
    return realpathSync.native(path);
  } catch {
    return path;
  }
}
