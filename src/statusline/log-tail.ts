import { readTail } from '../store/files/read-lines.ts';

/** Bytes of the log's end that are read: some ten turns. What is shown is not worth the time of more. */
const USUAL_BYTES = 256 * 1024;
/** Of a log whose last lines are so long that there is no call among them. */
const MOST_BYTES = 8 * 1024 * 1024;

/** A line of a call of the main thread, with figures; the parsing that follows decides. */
const CALL = /"usage":\{/;
const SIDECHAIN = '"isSidechain":true';

/**
 * The newest lines of a session's log, back to a call of the main thread at least, if there is one in the last 8 MB.
 *
 * @throws Error of the file system
 */
export function newestLines(path: string): readonly string[] {
  for (let bytes = USUAL_BYTES; ; bytes = MOST_BYTES) {
    const { lines, start } = readTail(path, bytes);
    if (start === 0 || bytes === MOST_BYTES || lines.some(isCall)) return lines;
  }
}

function isCall(line: string): boolean {
  return CALL.test(line) && !line.includes(SIDECHAIN);
}
