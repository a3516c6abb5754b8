import { CtxbError, isCtxbError } from '../errors.ts';
import { openOutput } from '../store/output-file.ts';
import { errorCode } from '../store/store-error.ts';

/** An open file for a record. */
export interface RecordFile {
  readonly path: string;
  readonly descriptor: number;
}

/** Stands at the beginning of every record. */
const MARK = '\\"type\\":\\"ctxb_run\\"';

/**
 * Opens it before claude starts, so that a record that cannot be written costs nothing. It will hold the whole
 * conversation, so only its owner can read it. An older record makes way; anything else that is there does not.
 *
 * @throws CtxbError `usage` when it cannot be written
 */
export function openRecordFile(path: string): RecordFile {
  try {
    return { path, descriptor: openOutput(path, MARK) };
  } catch (cause) {
    if (!isCtxbError(cause)) throw cause;
    throw new CtxbError('usage', `--record ${path}: cannot be written (${reasonOf(cause)})`, { cause });
  }
}

/** Of a refusal by the system its own words are enough. */
function reasonOf({ message, cause }: CtxbError): string {
  return errorCode(cause) === undefined ? message : (cause as Error).message;
}
