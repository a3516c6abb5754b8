import { closeSync, constants, fstatSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { parseJson } from '../../core/protocol/fields.ts';
import { CtxbError, orElse } from '../../errors.ts';
import type { Environment } from '../../io.ts';
import {
  appendWhole,
  kindOf,
  matchingNames,
  namesOf,
  openPlain,
  readAt,
  readJson,
  readPlain,
  removeFile,
  statsOf,
  withPlainFile,
} from '../files/plain-file.ts';
import { isAlive, type ProcessMark, processMark, readProcessMark } from '../files/process-mark.ts';
import { orStoreError } from '../files/store-error.ts';
import { replaceFile, writeNewFile } from '../files/write-file.ts';
import { fileName, openContextDir } from '../folders/context-dir.ts';
import { type DiskText, joinTexts, maskedJson } from '../masks/disk-text.ts';

const DRAIN_LIMIT = 1024 * 1024;
/** Bytes, with the newline. */
const LINE_LIMIT = 16 * 1024;
/** The first line identifies the process, usually in 50 bytes. */
const HEADER_LIMIT = 1024;

/** A file in which an agent's commands, hooks and scripts leave lines for a running ctxb. */
export type Inbox = ReturnType<typeof createInbox>;

/** Creates the inbox of this process. Throws if the run already has one. */
export function createInbox(contextDir: string, runId: string) {
  const path = openContextDir(contextDir).place(inboxPath(contextDir, runId));
  sweep(dirname(path));
  const header = joinTexts([maskedJson(processMark(process.pid))], '\n');
  if (!writeNewFile(path, header, { durable: false })) throw new CtxbError('store', `${path} exists: move it away`);
  const { fd } = openPlain(path, constants.O_RDONLY);
  const next = lineReader(fd, header.length);
  let disposed = false;
  return {
    path,
    /** Stores an answer for {@link takeAnswer}. */
    answer(id: string, answer: object): void {
      if (ANSWER_ID.test(id)) replaceFile(answerPath(path, id), [maskedJson(answer)], { durable: false });
    },
    /** The complete lines since the previous call, from at most 1 MB; the next call returns the rest. */
    drain: (): string[] => (disposed ? [] : orStoreError(path, next)),
    dispose(): void {
      if (disposed) return;
      disposed = true;
      closeSync(fd);
      removeFile(path);
    },
  };
}

const ANSWER_ID = /^[0-9a-f]{8}$/;
const ANSWER = /-[0-9a-f]{8}\.json$/;

/** Milliseconds after which an answer is abandoned: a waiting process takes it at once. */
const ANSWER_LIFE_MS = 60_000;

function answerPath(inbox: string, id: string): string {
  return inbox.replace(/\.ndjson$/, `-${id}.json`);
}

/** Reads the answer that a run has left, and removes its file; undefined until the run answers. */
export function takeAnswer(inbox: string, id: string): unknown {
  const path = answerPath(inbox, id);
  const answer = readJson(path, LINE_LIMIT);
  if (answer !== undefined) removeFile(path);
  return answer;
}

function lineReader(fd: number, start: number): () => string[] {
  let position = start;
  /** Whether the reader is inside a line that is too long. It skips such a line, which could grow without end. */
  let tooLong = false;
  return () => {
    const { size } = fstatSync(fd);
    // Another process has truncated the file, so all of it is new.
    if (size < position) position = size;
    const part = readAt(fd, position, Math.min(DRAIN_LIMIT, size - position));
    const bytes = part.lastIndexOf('\n') + 1;
    if (bytes === 0 && part.length < DRAIN_LIMIT) return [];
    position += bytes || part.length;
    const lines = part.toString('utf8', 0, bytes).split('\n');
    const whole = lines.slice(tooLong ? 1 : 0);
    tooLong = bytes === 0;
    return whole.filter(Boolean);
  };
}

/**
 * @param line without a newline, at most 16 KiB
 * @throws CtxbError `usage` when the line is too long or contains a newline; `store`
 */
export function leaveInInbox(path: string, line: DiskText): void {
  const data = joinTexts([line], '\n');
  const bytes = Buffer.byteLength(data);
  if (/[\n\r]/.test(line)) throw new CtxbError('usage', 'expected one line, found several: leave them one by one');
  if (bytes > LINE_LIMIT) {
    throw new CtxbError('usage', `expected at most ${LINE_LIMIT} bytes, found ${bytes}: say it more shortly`);
  }
  const isAppended = withPlainFile(path, constants.O_WRONLY | constants.O_APPEND, (fd) => {
    appendWhole(fd, data);
    return true;
  });
  if (isAppended) return;
  throw new CtxbError('store', `${path} does not exist, so no ctxb reads it: use it inside of \`ctxb run\``);
}

/** Paths of the inboxes of processes that are still running, sorted by name. Writes nothing. */
export function liveInboxes(contextDir: string): string[] {
  const folder = join(resolve(contextDir), INBOX);
  if (kindOf(resolve(contextDir)) !== 'folder') return [];
  const live = inboxesIn(folder).filter(({ owner }) => owner !== undefined && isAlive(owner));
  return live.map(({ path }) => path).sort();
}

function inboxesIn(folder: string) {
  const paths = matchingNames(folder, /\.ndjson$/).map((name) => join(folder, name));
  return paths.map((path) => ({ path, owner: ownerOf(path) }));
}

/** The process that made an inbox; undefined if its first line is not written yet, or invalid. */
function ownerOf(path: string): ProcessMark | undefined {
  return orElse(
    () => readProcessMark(parseJson((readPlain(path, HEADER_LIMIT) ?? '').replace(/\n.*/s, ''))),
    undefined,
  );
}

/** Removes inboxes of killed runs, and abandoned answers. */
function sweep(folder: string): void {
  for (const { path, owner } of inboxesIn(folder)) if (owner !== undefined && !isAlive(owner)) removeFile(path);
  for (const name of namesOf(folder, ANSWER)) {
    const path = join(folder, name);
    if (Date.now() - (statsOf(path)?.mtimeMs ?? 0) > ANSWER_LIFE_MS) removeFile(path);
  }
}

const INBOX = 'inbox';

/** The path of a run's inbox. It is known before the folder exists, so claude can start meanwhile. */
export function inboxPath(contextDir: string, runId: string): string {
  return join(resolve(contextDir), INBOX, `${fileName(runId)}.ndjson`);
}

export interface Note {
  readonly kind: 'state' | 'dead-end';
  readonly text: string;
}

/**
 * Leaves a note for the run that this process belongs to, or else for the only run in the folder.
 *
 * @throws CtxbError `usage` when the text is empty, or the folder has no active run or several; `store`
 */
export function leaveNote(note: Note, folder: string, env: Environment): void {
  if (note.text.trim() === '')
    throw new CtxbError('usage', `note ${note.kind}: the text is empty: write it after the command`);
  leaveInInbox(env[INBOX_VARIABLE] || onlyInbox(note.kind, folder), maskedJson(note));
}

function onlyInbox(kind: Note['kind'], folder: string): string {
  const [inbox, ...others] = liveInboxes(folder);
  if (inbox === undefined) {
    throw new CtxbError('usage', `note ${kind}: no run is active in ${folder}: ctxb runs lists all runs`);
  }
  if (others.length === 0) return inbox;
  const all = [inbox, ...others].join(', ');
  throw new CtxbError('usage', `note ${kind}: several runs are active: set ${INBOX_VARIABLE} to one of ${all}`);
}

export const INBOX_VARIABLE = 'CTXB_INBOX';
