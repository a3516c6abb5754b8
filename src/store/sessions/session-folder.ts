import { constants } from 'node:fs';
import { join } from 'node:path';
import { CtxbError } from '../../errors.ts';
import { type Lock, newHolder, takeLock } from '../files/lock.ts';
import { appendWhole, makeFolder, namesIn, removeFile, statsOf, withPlain } from '../files/plain-file.ts';
import { cutTornLine, readLines } from '../files/read-lines.ts';
import { replaceFile } from '../files/write-file.ts';
import { type ContextDir, fileName, openContextDir } from '../folders/context-dir.ts';
import { LEFTOVER, SESSIONS } from '../folders/own-names.ts';
import { type DiskText, joined, masked, maskedJson } from '../masks/disk-text.ts';
import { INDEX, isSessionId, listSessions, readSessionFile, SESSION_FILE, sessionWithId } from './sessions.ts';

/** The entries of a session's memory, one per line. */
const LOG = 'memory.ndjson';

/** Every turn rewrites these files, and most of them can be recreated from the log. */
const REWRITTEN = { durable: false };

/** The run that opens the folder. */
export interface Who {
  readonly pid: number;
  readonly runId: string;
  readonly now: () => number;
}

/**
 * A session's own folder, locked against other processes. File names are relative to it. Every method throws when the
 * disk is full or a foreign file is in the way.
 */
export type SessionFolder = ReturnType<typeof openSessionFolder>;

/**
 * Opens the folder of a session, creating it if necessary, and locks it until it is closed or the process ends.
 *
 * @param contextDir the folder above all sessions, created if necessary
 * @param id any of claude's ids of the session; the run's own id is used if it is no valid file name
 */
export function openSessionFolder(contextDir: string, id: string, who: Who) {
  const root = openContextDir(contextDir);
  const name = isSessionId(id) ? id : fileName(who.runId);
  const home = sessionWithId(listSessions(contextDir), name)?.id ?? name;
  const holder = newHolder(who.runId, who.now(), who.pid);
  const own = `${home.split('.')[0]}.${fileName(who.runId).slice(0, 8)}`;
  for (const id of [home, own]) {
    const dir = root.within(join(SESSIONS, id));
    dir.place(SESSION_FILE);
    const lock = takeLock(dir, holder);
    if (lock === undefined) continue;
    try {
      const folder = {
        path: dir.path,
        /** The folder's name, which is the first of the session's ids unless the folder is `contested`. */
        id,
        /** Whether another process has the session open. Then this folder is the run's own, and starts empty. */
        contested: id !== home,
      };
      return { ...folder, ...useFolder(root, dir, lock, { name, now: who.now }) };
    } catch (error) {
      lock.release();
      throw error;
    }
  }
  throw new CtxbError('store', `${join(root.path, SESSIONS, own)} is open in another process: wait until it ends`);
}

function useFolder(root: ContextDir, dir: ContextDir, lock: Lock, { name, now }: Pick<Who, 'now'> & { name: string }) {
  sweep(dir, Number.POSITIVE_INFINITY);
  // A recent temporary file may belong to another run that is still writing it.
  sweep(root, now() - ABANDONED_AFTER_MS);
  cutTornLine(dir.place(LOG));
  const record = keepRecord(dir, name, now);
  let closed = false;
  let isIndexed = false;

  /** Throws after close(): without the lock, another process may be writing. */
  function ifOpen(work: () => void): void {
    if (closed) throw new CtxbError('store', `${dir.path} was closed: open it again`);
    work();
  }

  return {
    /** The complete lines of the log, without newlines, read one at a time. */
    logLines: () => readLines(dir.place(LOG)),
    /** Appends complete lines, all or none. */
    append: (file: string, lines: DiskText) => ifOpen(() => dir.append(file, lines)),
    /** Replaces a file atomically, in bounded memory. */
    rewrite: (file: string, chunks: Iterable<DiskText>) => ifOpen(() => dir.write(file, chunks, REWRITTEN)),
    /** Size in bytes; 0 if the file does not exist. */
    sizeOf: (file: string) => statsOf(dir.place(file))?.size ?? 0,
    /** Writes `scratch.md`, both here and in the folder above all sessions. */
    writeIndex: (text: DiskText) =>
      ifOpen(() => {
        dir.write(INDEX, text, REWRITTEN);
        root.write(INDEX, text, REWRITTEN);
        record.save();
        isIndexed = true;
      }),
    /** Adds another of claude's ids to the session. Ignores an invalid id. */
    alias: (other: string) => ifOpen(() => record.add(other)),
    /** Releases the lock. Nothing can be written afterwards. */
    close(): void {
      if (closed) return;
      closed = true;
      try {
        if (!isIndexed) record.save();
      } finally {
        lock.release();
      }
    },
  };
}

/** Removes temporary files left by an interrupted atomic write. */
function sweep(dir: ContextDir, before: number): void {
  for (const name of namesIn(dir.path)) {
    const path = join(dir.path, name);
    const stats = LEFTOVER.test(name) ? statsOf(path) : undefined;
    if (stats?.isFile() && stats.mtimeMs < before) removeFile(path);
  }
}

/** Milliseconds. Replacing a file takes a few, so an older temporary file is abandoned. */
const ABANDONED_AFTER_MS = 60_000;

/** Writes `session.json` for a new session or a new id, with each index, and on closing if no index was written. */
function keepRecord(dir: ContextDir, name: string, now: () => number) {
  const time = () => new Date(now()).toISOString();
  const found = readSessionFile(dir.path);
  const startedAt = found?.startedAt ?? time();
  const ids = new Set(found?.ids);

  function save(): void {
    const file = { v: 1, ids: [...ids], startedAt, updatedAt: time() };
    dir.write(SESSION_FILE, joined([maskedJson(file)], '\n'), REWRITTEN);
  }

  function add(id: string): void {
    if (!isSessionId(id) || ids.has(id)) return;
    ids.add(id);
    save();
  }

  add(name);
  return { add, save };
}

/** Opens a folder for the notes of a recording. It must be new or empty. */
export function openNotesFolder(path: string) {
  makeFolder(path);
  if (namesIn(path).length > 0) throw new CtxbError('store', `${path} is not empty: name a new folder`);
  const { O_WRONLY, O_APPEND, O_CREAT } = constants;
  return {
    append: (file: string, text: string) =>
      withPlain(join(path, file), O_WRONLY | O_APPEND | O_CREAT, (fd, { size }) => appendWhole(fd, masked(text), size)),
    /** Writes the index. */
    finish: (index: string) => replaceFile(join(path, INDEX), [masked(index)]),
  };
}
