import { join } from 'node:path';
import { readJson } from '../files/plain-file.ts';

export const SESSIONS = 'sessions';
export const SESSION_FILE = 'session.json';
/** Bytes: some 1,500 sessions of claude in one of ours. */
const LIMIT = 64 * 1024;

const SESSION_ID = /^[\w-]{1,64}$/;
/** A session's folder, or the one of a run that found it held: `<id>.<first 8 of the run's id>`. */
export const SESSION_FOLDER = /^[\w-]{1,64}(?:\.[\w-]{1,8})?$/;

/** `session.json`: what is known of a session without reading its memory. */
export interface SessionFile {
  readonly v: 1;
  /** claude's ids of it: `/clear` gives a running session a new one. */
  readonly ids: readonly string[];
  /** ISO time. */
  readonly startedAt: string;
  /** ISO time. */
  readonly updatedAt: string;
}

/** Ids come out of a stream, so not all of them may be the name of a folder. */
export function isSessionId(id: string): boolean {
  return SESSION_ID.test(id);
}

/** Undefined when it is missing, damaged or not a regular file. */
export function readSessionFile(folder: string): SessionFile | undefined {
  const value = readJson(join(folder, SESSION_FILE), LIMIT);
  return isSessionFile(value) ? value : undefined;
}

function isSessionFile(value: unknown): value is SessionFile {
  if (typeof value !== 'object' || value === null) return false;
  if (!('ids' in value && 'startedAt' in value && 'updatedAt' in value)) return false;
  const { ids, startedAt, updatedAt } = value;
  return Array.isArray(ids) && ids.every((id) => typeof id === 'string') && isTime(startedAt) && isTime(updatedAt);
}

function isTime(value: unknown): boolean {
  return typeof value === 'string' && !Number.isNaN(Date.parse(value));
}
