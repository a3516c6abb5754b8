import { openSync } from 'node:fs';
import { CtxbError, messageOf } from '../errors.ts';

/** An open file for a record. */
export interface RecordFile {
  readonly path: string;
  readonly descriptor: number;
}

/**
 * Opens it before claude starts, so that a record that cannot be written costs nothing. It will hold the whole
 * conversation, so only its owner can read it.
 *
 * @throws CtxbError `usage` when it cannot be written
 */
export function openRecordFile(path: string): RecordFile {
  try {
    return { path, descriptor: openSync(path, 'w', 0o600) };
  } catch (cause) {
    const reason = messageOf(cause);
    throw new CtxbError('usage', `--record ${path}: cannot be written (${reason})`, { cause });
  }
}
