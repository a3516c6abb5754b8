import { closeSync, constants, type Stats } from 'node:fs';
import { CtxbError } from '../../errors.ts';
import { openIfThere, readAt } from '../files/plain-file.ts';
import { linesAt } from '../files/read-lines.ts';
import { orStoreError } from '../files/store-error.ts';

/** Bytes that are in memory at a time; a line of a ledger has about 200, a longer one than this is left out. */
const CHUNK = 64 * 1024;

/** Bytes before the period that are looked at as well, from the end of all files on. */
const LOOK_BACK = 8 * 1024 * 1024;

/** Bytes: to read more of one period would make a run wait for seconds. */
const MOST = 64 * 1024 * 1024;

const OVERLAP = 64;

interface Reader {
  /** Everything that was taken so far is to be forgotten: another file is there, or a part of one is gone. */
  forget(): void;
  take(line: string): void;
}

/** Looks at files with lines that have a time, `"t":"2026-03-09T12:00:00.000Z"`, and grow at the end of the last one. */
export interface FollowedFiles {
  /**
   * Hands on the whole lines that are new; the first time those since a moment, and some before it. A file is known again
   * under another name.
   *
   * @param list gives the paths, oldest first
   * @param since milliseconds since the epoch
   * @throws CtxbError `store`, also when there is too much to read
   */
  look(list: () => readonly string[], since: number): void;
}

export function followFiles({ forget, take }: Reader): FollowedFiles {
  let positions = new Map<string, number>();

  /** Where to begin in each, found from the end of the newest on. */
  function beginnings(files: readonly OpenFile[], since: number): Map<string, number> {
    const budget = { before: LOOK_BACK, all: MOST };
    const found = files.toReversed().map((file) => [file.identity, beginningIn(file, since, budget)] as const);
    return new Map(found);
  }

  return {
    look(list, since) {
      const files = openAll(list);
      try {
        const isSame = [...positions].every(([identity, position]) =>
          files.some((file) => file.identity === identity && file.size >= position),
        );
        // A file that has come since is new from its first byte on.
        if (!isSame || positions.size === 0) {
          forget();
          positions = beginnings(files, since);
        }
        for (const { path, fd, identity } of files) {
          positions.set(
            identity,
            orStoreError(path, () => readFrom(fd, positions.get(identity) ?? 0, take)),
          );
        }
      } finally {
        for (const { fd } of files) closeSync(fd);
      }
    },
  };
}

interface OpenFile {
  readonly path: string;
  readonly fd: number;
  readonly size: number;
  readonly identity: string;
}

/** Another run may give one of them another name meanwhile; often enough in a row no run does so. */
function openAll(list: () => readonly string[], attempts = 3): OpenFile[] {
  const paths = list();
  const files = openEach(paths);
  if (attempts === 0 || list().join('\n') === paths.join('\n')) return files;
  for (const { fd } of files) closeSync(fd);
  return openAll(list, attempts - 1);
}

function openEach(paths: readonly string[]): OpenFile[] {
  const files: OpenFile[] = [];
  try {
    for (const path of paths) {
      const file = openIfThere(path, constants.O_RDONLY);
      if (file !== undefined)
        files.push({ path, fd: file.fd, size: file.stats.size, identity: identityOf(file.stats) });
    }
    return files;
  } catch (error) {
    for (const { fd } of files) closeSync(fd);
    throw error;
  }
}

/** The number of a file that was removed may be given to the one in its place; its time of birth is another. */
function identityOf({ dev, ino, birthtimeMs }: Stats): string {
  return `${dev} ${ino} ${birthtimeMs}`;
}

/** Where to start reading; the file's end when nothing in it is recent enough. */
function beginningIn({ path, fd, size }: OpenFile, since: number, budget: { before: number; all: number }): number {
  const moment = new Date(since).toISOString();
  let start = size;
  while (start > 0) {
    const from = Math.max(0, start - CHUNK);
    // A time may be cut by the end of the piece.
    const text = orStoreError(path, () => readAt(fd, from, start - from + OVERLAP)).toString('latin1');
    if (!isSince(text, moment)) budget.before -= start - from;
    budget.all -= start - from;
    if (budget.before < 0) break;
    if (budget.all < 0) throw tooMuch(path);
    start = from;
  }
  // This may be inside a line, whose rest does not parse as an entry.
  return start;
}

function isSince(text: string, moment: string): boolean {
  for (const [, time = ''] of text.matchAll(/"t":"([^"]{1,40})"/g)) if (time >= moment) return true;
  return false;
}

function tooMuch(path: string): CtxbError {
  const most = `${MOST / 1024 / 1024} MiB`;
  return new CtxbError('store', `${path} holds more than ${most} of one day or month: move it away, or set no limit`);
}

/** Hands on the whole lines from a position, and returns where the next one begins. */
function readFrom(fd: number, start: number, take: (line: string) => void): number {
  for (let position = start; ; ) {
    const { lines, bytes, read } = linesAt(fd, position, CHUNK);
    // The rest of the file is the beginning of a line that is being written.
    if (bytes === 0 && read < CHUNK) return position;
    for (const line of lines) take(line);
    position += bytes || read;
  }
}
