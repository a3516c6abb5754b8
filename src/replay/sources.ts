import { type Dirent, lstatSync, readdirSync, realpathSync, type Stats, statSync } from 'node:fs';
import { basename, dirname, join, sep } from 'node:path';
import { DEFAULTS } from '../config/defaults.ts';
import { CtxbError, orElse, unreadableError } from '../errors.ts';
import { headOf } from './read/read-values.ts';

export interface Source {
  /** `-` for stdin. */
  readonly file: string;
  readonly subagents: readonly string[];
}

const RECORDING = /\.(ndjson|jsonl)$/;

/** A compressed, rotated or kept recording, such as `a.jsonl.gz`, `a.jsonl.1` or `a.jsonl.bak`. */
const COPY = /\.(ndjson|jsonl)(\.(gz|zst|xz|bz2|zip|bak|old|orig|\d[\d-]*)|~)+$/;

const SESSION_LOG = /^(.+)\.jsonl$/;

/** `<session>/subagents/agent-*.jsonl`, next to the session's log; workflows and nested subagents have subfolders. */
const SUBAGENTS = 'subagents';

/** Folders to skip: ctxb's own files of runs, and git's files, which include the link targets of git-annex. */
const SKIPPED_FOLDERS: ReadonlySet<string> = new Set([DEFAULTS.contextDir, '.git']);

/** Journals of workflows. They repeat the answers in the logs of the agents. */
const WORKFLOW_JOURNAL = /[\\/]subagents[\\/]workflows[\\/][^\\/]+[\\/]journal\.jsonl$/;

/** A single recording, or stdin, with the logs of its subagents. */
export function findSource(file: string): Source {
  return { file, subagents: file === '-' ? [] : createSubagentLogs(raise)(file) };
}

/**
 * The file itself, or all recordings in a folder and below, sorted by name. Follows symbolic links.
 *
 * @param tell called for each unreadable folder or link below `path`; by default, the first one is thrown
 * @param skip called for each compressed, rotated or kept recording below `path`
 * @throws CtxbError `unreadable-input` with the path
 */
export function findSources(path: string, tell: OnFault = raise, skip: OnSkip = ignore): Source[] {
  if (path === '-') return [findSource(path)];
  const onFault = once(tell);
  const isDirectory = tryRead(false, raise, path, () => statSync(path).isDirectory());
  const files = isDirectory ? recordingsBelow(path, onFault, skip) : [path];
  const logsOf = createSubagentLogs(onFault);
  const found = distinct(files.map((file) => ({ file, subagents: logsOf(file) })));
  return isDirectory ? joinAgents(found) : found;
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
  const best = new Map<string, Source>();
  for (const source of sources) {
    const real = realPath(source.file);
    const known = best.get(real);
    if (known === undefined || isBetter(source, known)) best.set(real, source);
  }
  const chosen = new Set(best.values());
  for (const source of [...chosen])
    for (const log of source.subagents) {
      const own = best.get(realPath(log));
      if (own !== undefined && own !== source) chosen.delete(own);
    }
  return sources.filter((source) => chosen.has(source));
}

/**
 * Whether one path is better than another for the same file: more subagent logs are next to it, or it is the file
 * itself and not a link.
 */
function isBetter(a: Source, b: Source): boolean {
  return (a.subagents.length - b.subagents.length || Number(isLink(b.file)) - Number(isLink(a.file))) > 0;
}

/**
 * All recordings at several paths, without duplicates.
 *
 * @param since milliseconds since the epoch
 * @returns `stale`: how many were last written before `since`; `skipped`: compressed, rotated or kept ones
 */
export function findAllSources(paths: readonly string[], since: number | undefined) {
  const faults: CtxbError[] = [];
  const tell = (fault: CtxbError) => void faults.push(fault);
  const skipped = new Set<string>();
  const skip = (path: string) => void skipped.add(path);
  const found = paths.flatMap((path) => tryRead([], tell, path, () => findSources(path, tell, skip)));
  // The recordings below a single path are distinct, and links take long to follow.
  const sessions = paths.length === 1 ? found : distinct(found);
  const sources = sessions.filter((source) => isFresh(source, since));
  return { sources, stale: sessions.length - sources.length, faults, skipped: [...skipped] };
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
type OnSkip = (path: string) => void;

/** Reports each fault once: a subagent folder is read for its session and by itself. */
function once(tell: OnFault): OnFault {
  const reported = new Set<string>();
  return (fault) => {
    if (!reported.has(fault.message)) tell(fault);
    reported.add(fault.message);
  };
}

function raise(fault: CtxbError): never {
  throw fault;
}

function ignore(): void {}

/**
 * Follows each link to a folder once, after the folder's own files, so that these keep their names. Ignores links to
 * parent folders, which would lead to cycles or the whole disk.
 */
function recordingsBelow(top: string, onFault: OnFault, skip: OnSkip = ignore): string[] {
  const found: string[] = [];
  const folders = [top];
  const links: string[] = [];
  const above = realPath(top);
  const seen = new Set<string>();

  function visit(entry: Dirent, path: string): void {
    const isRecording = RECORDING.test(entry.name) && !WORKFLOW_JOURNAL.test(path);
    // Other broken links are ignored.
    const stats = targetOf(entry, path, isRecording ? onFault : ignore);
    if (stats?.isDirectory()) (stats === entry ? folders : links).push(path);
    // Pipes and devices could block the reader forever.
    else if (isRecording && stats?.isFile()) found.push(path);
    else if (COPY.test(entry.name)) skip(path);
  }

  for (let next = folders.pop(); next !== undefined; next = folders.pop() ?? links.shift()) {
    const real = realPath(next);
    if (seen.has(real) || above.startsWith(real.endsWith(sep) ? real : real + sep)) continue;
    seen.add(real);
    for (const entry of entriesOf(next, onFault)) {
      if (!SKIPPED_FOLDERS.has(entry.name)) visit(entry, join(next, entry.name));
    }
  }
  return found.sort();
}

/** The file or folder itself, or the one that a link leads to; undefined if it does not exist. */
function targetOf(entry: Dirent, path: string, onFault: OnFault): Dirent | Stats | undefined {
  return entry.isSymbolicLink() ? statsOf(path, onFault) : entry;
}

function entriesOf(folder: string, onFault: OnFault): Dirent[] {
  return tryRead([], onFault, folder, () => readdirSync(folder, { withFileTypes: true }));
}

function statsOf(path: string, onFault: OnFault): Stats | undefined {
  return tryRead(undefined, onFault, path, () => statSync(path, { throwIfNoEntry: false }));
}

function tryRead<T>(otherwise: T, onFault: OnFault, path: string, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    onFault(cause instanceof CtxbError ? cause : unreadableError(path, cause));
    return otherwise;
  }
}

const FLAT_LOG = /^agent-[\w-]+\.jsonl$/;

/**
 * The logs are in a folder of the session and, in the layout of Claude Code 2.0, next to the session's log or in a
 * folder next to it, where each log names its session. If a link has no logs beside it, looks next to its target.
 */
function createSubagentLogs(onFault: OnFault): (file: string) => string[] {
  const folders = new Map<string, ReadonlyMap<string, readonly string[]>>();

  function flatLogs(folder: string, session: string): readonly string[] {
    const known = folders.get(folder) ?? flatLogsIn(folder, onFault);
    folders.set(folder, known);
    return known.get(session) ?? [];
  }

  return function logsOf(file): string[] {
    const session = FLAT_LOG.test(basename(file)) ? undefined : SESSION_LOG.exec(basename(file))?.[1];
    const [folder, own] = [dirname(file), join(dirname(file), session ?? '', SUBAGENTS)];
    const logs =
      session === undefined
        ? []
        : [
            ...[folder, join(folder, SUBAGENTS)].flatMap((each) => flatLogs(each, session)),
            ...(isFolder(own, onFault) ? recordingsBelow(own, onFault) : []),
          ];
    const real = logs.length === 0 && isLink(file) ? realPath(file) : file;
    return real === file ? logs : logsOf(real);
  };
}

function flatLogsIn(folder: string, onFault: OnFault): ReadonlyMap<string, readonly string[]> {
  const logs = new Map<string, string[]>();
  const entries = isFolder(folder, onFault) ? entriesOf(folder, onFault) : [];
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(folder, entry.name);
    const isLog = FLAT_LOG.test(entry.name) && targetOf(entry, path, onFault)?.isFile();
    const session = isLog ? sessionOfAgent(path) : undefined;
    if (session !== undefined) logs.set(session, [...(logs.get(session) ?? []), path]);
  }
  return logs;
}

/** Bytes of a log that contain its first row, which names the session. */
const HEAD_BYTES = 64 * 1024;

/** The session of a subagent's log; undefined if the log is unreadable, which reading the recording reports later. */
function sessionOfAgent(path: string): string | undefined {
  const text = orElse(() => headOf(path, HEAD_BYTES), '');
  return /"isSidechain":\s*true/.test(text) ? /"sessionId":\s*"([^"]+)"/.exec(text)?.[1] : undefined;
}

function isFolder(path: string, onFault: OnFault): boolean {
  return statsOf(path, onFault)?.isDirectory() === true;
}

function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
}

/** The path with links resolved. The given path for stdin, and after an error, which reading the file reports later. */
function realPath(path: string): string {
  return path === '-' ? path : orElse(() => realpathSync.native(path), path);
}
