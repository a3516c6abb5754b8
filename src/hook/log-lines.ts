import { readTail, type Tail } from '../store/files/read-lines.ts';
import { errorCode } from '../store/files/store-error.ts';

/** Bytes of a log's end that one hook looks through at most: claude waits meanwhile. */
const MOST_BYTES = 8 * 1024 * 1024;
/** Of a session that goes on and that no hook has seen before: enough to know how full its context is. */
const FIRST_BYTES = 1024 * 1024;

/** The lines that came in since `from`; undefined: no hook of ours has seen the session before. */
export function newLines(path: string | undefined, from: number | undefined): Tail {
  const nothing = { lines: [], start: from ?? 0, end: from ?? 0 };
  if (path === undefined) return nothing;
  try {
    return from === undefined ? readTail(path, FIRST_BYTES) : readTail(path, MOST_BYTES, from);
  } catch (error) {
    // claude makes it with the first prompt.
    if (errorCode(error) === 'ENOENT') return nothing;
    throw error;
  }
}
