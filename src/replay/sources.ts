import { readdirSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { CtxbError } from '../errors.ts';

/** One recording: its file, and the logs of subagents that belong to it. */
export interface Source {
  /** `-` is stdin. */
  readonly file: string;
  readonly subagents: readonly string[];
}

const RECORDING = /\.(ndjson|jsonl)$/;

/** Folder of a session's subagent logs, beside the session's own: `<session>/subagents/agent-*.jsonl`. */
const SUBAGENTS = 'subagents';

/**
 * The recordings under a path: the file itself, or all `.ndjson` and `.jsonl` files below a folder, in order of name.
 *
 * @throws CtxbError `unreadable-input` naming the path
 */
export function findSources(path: string): Source[] {
  if (path === '-') return [{ file: path, subagents: [] }];
  const files = attempt(path, () => (statSync(path).isDirectory() ? filesBelow(path) : [path]));
  const attached = new Set<string>();
  const sources = files.map((file) => {
    const subagents = subagentLogs(file);
    for (const log of subagents) attached.add(log);
    return { file, subagents };
  });
  return sources.filter(({ file }) => !attached.has(file));
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

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && RECORDING.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

function subagentLogs(file: string): string[] {
  if (!file.endsWith('.jsonl')) return [];
  const folder = join(dirname(file), basename(file, '.jsonl'), SUBAGENTS);
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return [];
  return readdirSync(folder)
    .filter((name) => RECORDING.test(name))
    .sort()
    .map((name) => join(folder, name));
}

function attempt<T>(path: string, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new CtxbError('unreadable-input', `${path}: cannot be read (${reason})`, { cause });
  }
}
