import { constants } from 'node:fs';
import { join } from 'node:path';
import { CtxbError } from '../../errors.ts';
import { namesIn, removeFile, statsOf, withPlain } from '../files/plain-file.ts';
import { linesAt } from '../files/read-lines.ts';

/** A ledger has a file for each day (UTC), so that reading a period skips earlier days. */
const DAY_FILE = /^\d{4}-\d\d-\d\d\.ndjson$/;

/** @param time in milliseconds since the epoch */
export function dayFile(time: number): string {
  return `${new Date(time).toISOString().slice(0, 10)}.ndjson`;
}

/** Removes the files of the days before this time. */
export function removeDaysBefore(folder: string, time: number): void {
  for (const name of dayFiles(folder)) if (name < dayFile(time)) removeFile(join(folder, name));
}

function dayFiles(folder: string): string[] {
  return namesIn(folder).filter((name) => DAY_FILE.test(name));
}

/** Bytes read at a time. A line has about 200; one longer than this is skipped. */
const CHUNK = 64 * 1024;

/** Bytes. Reading more at once would delay a run by seconds. */
const MAX_BYTES = 64 * 1024 * 1024;

interface Reader {
  /** Called to discard all lines so far: a new period begins, or a file was replaced or removed. */
  forget(): void;
  take(line: string): void;
}

/** The position up to which a file was read. */
interface Position {
  readonly identity: string;
  readonly at: number;
}

/** Passes on the new complete lines of the day files since a time, oldest first. */
export function followDays(folder: string, { forget, take }: Reader): (since: number) => void {
  let read = new Map<string, Position>();
  let from: number | undefined;
  return (since) => {
    const files = dayFiles(folder)
      .filter((name) => name >= dayFile(since))
      .sort()
      .flatMap((name) => fileAt(join(folder, name)) ?? []);
    const isSame = ([path, { identity, at }]: [string, Position]) =>
      files.some((file) => file.path === path && file.identity === identity && file.size >= at);
    if (since !== from || ![...read].every(isSame)) {
      forget();
      read = new Map();
      from = since;
    }
    const positionOf = (path: string) => read.get(path)?.at ?? 0;
    if (files.reduce((sum, { path, size }) => sum + size - positionOf(path), 0) > MAX_BYTES) throw tooMuch(folder);
    for (const { path, identity } of files) read.set(path, { identity, at: readFrom(path, positionOf(path), take) });
  };
}

function fileAt(path: string) {
  const stats = statsOf(path);
  if (stats === undefined) return undefined;
  const { dev, ino, birthtimeMs, size } = stats;
  // A new file may get the inode of a removed one; its birth time differs.
  return { path, size, identity: `${dev} ${ino} ${birthtimeMs}` };
}

function tooMuch(folder: string): CtxbError {
  const max = `${MAX_BYTES / 1024 / 1024} MiB`;
  return new CtxbError('store', `${folder} holds more than ${max} of one day or month: move it away, or set no limit`);
}

/** Passes on the complete lines after a position, and returns the position of the next one. */
function readFrom(path: string, start: number, take: (line: string) => void): number {
  let position = start;
  withPlain(path, constants.O_RDONLY, (fd) => {
    for (;;) {
      const { lines, bytes, read } = linesAt(fd, position, CHUNK);
      // The rest of the file is a line that is still being written.
      if (bytes === 0 && read < CHUNK) return;
      lines.forEach(take);
      position += bytes || read;
    }
  });
  return position;
}
