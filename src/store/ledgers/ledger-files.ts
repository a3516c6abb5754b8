import { randomBytes } from 'node:crypto';
import { closeSync, constants, renameSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import { CtxbError } from '../../errors.ts';
import { namesIn, openIfThere, readAt, statsOf } from '../files/plain-file.ts';
import { linesAt, readLines } from '../files/read-lines.ts';
import { ignoring, orStoreError } from '../files/store-error.ts';
import { replaceFile } from '../files/write-file.ts';
import type { ContextDir } from '../folders/context-dir.ts';
import { PART } from '../folders/own-names.ts';
import { asItIs, type DiskText } from '../masks/disk-text.ts';

/** Bytes of a ledger from which on a new one is begun: some fifty thousand turns. */
const FULL = 8 * 1024 * 1024;

/** Bytes of a part that is shortened while a run waits. */
const MOST_SHORTENED = 8 * FULL;

/** The files of a ledger that are there, oldest first: its parts, and what is added to. */
export function ledgerFiles(folder: string, file: string): string[] {
  const names = namesIn(folder).filter((name) => isLedgerFile(name, file));
  // The active part has no time in its name, and comes last.
  const parts = names.filter((name) => name !== file).sort();
  return [...parts, ...names.filter((name) => name === file)].map((name) => join(folder, name));
}

function isLedgerFile(name: string, file: string): boolean {
  return new RegExp(`^${file.replace('.ndjson', '')}${PART}\\.ndjson$`).test(name);
}

interface Shortening {
  readonly now: number;
  /** Keeps parts that were written after this time, in milliseconds since the epoch. */
  readonly before: number;
  /** Merges lines that say the same. Returns unknown lines unchanged. */
  readonly shorten: (lines: Iterable<string>) => Iterable<string>;
}

/**
 * Puts a ledger that has become long aside as a part, and shortens the parts before it. Another process may add to the
 * ledger meanwhile: what it writes is in the part then.
 */
export function keepShort(folder: ContextDir, file: string, options: Shortening): void {
  const path = join(folder.path, file);
  const stats = statsOf(path);
  if (stats === undefined || stats.size < FULL) return;
  const older = ledgerFiles(folder.path, file).filter((part) => part !== path);
  const part = join(folder.path, partOf(file, options.now));
  orStoreError(path, () => ignoring(['ENOENT'], () => renameSync(path, part)));
  for (const part of older) shortenPart(part, options);
}

/** A name in the form of `PART`. All names differ, so nothing is ever replaced. */
function partOf(file: string, now: number): string {
  const time = new Date(now).toISOString().replaceAll(/[-:.Z]/g, '');
  return file.replace('.ndjson', `-${time}-${randomBytes(2).toString('hex')}.ndjson`);
}

function shortenPart(path: string, { before, shorten }: Shortening): void {
  const stats = statsOf(path);
  if (stats === undefined || stats.mtimeMs >= before || stats.size > MOST_SHORTENED) return;
  replaceFile(path, asLines(shorten(readLines(path))));
}

/** They were masked when they were written first. */
function* asLines(lines: Iterable<string>): Generator<DiskText> {
  for (const line of lines) yield asItIs(`${line}\n`);
}

/** Bytes that are in memory at a time; a line of a ledger has about 200, a longer one than this is left out. */
const CHUNK = 64 * 1024;

/** Bytes before the period that are looked at as well, from the end of all files on. */
const LOOK_BACK = 8 * 1024 * 1024;

/** Bytes: to read more of one period would make a run wait for seconds. */
const MOST = 64 * 1024 * 1024;

/** Overlap of two pieces in bytes, so that a time is whole in one of them. */
const OVERLAP = 64;

interface Reader {
  /** Forget all lines so far: the file was replaced, or a part is gone. */
  forget(): void;
  take(line: string): void;
}

/**
 * Follows a ledger whose lines have a time, `"t":"2026-03-09T12:00:00.000Z"`.
 *
 * @returns hands on the whole lines that are new; the first time those since a moment, in milliseconds since the epoch,
 * and some before it. A file is known again under another name.
 */
export function followLedger(folder: string, file: string, { forget, take }: Reader): (since: number) => void {
  let positions = new Map<string, number>();
  return (since) => {
    const files = openAll(folder, file);
    try {
      const isSame = [...positions].every(([identity, position]) =>
        files.some((found) => found.identity === identity && found.size >= position),
      );
      // A new file is read from its first byte.
      if (!isSame || positions.size === 0) {
        forget();
        positions = beginnings(files, since);
      }
      for (const found of files)
        positions.set(found.identity, readFrom(found, positions.get(found.identity) ?? 0, take));
    } finally {
      closeAll(files);
    }
  };
}

interface OpenFile {
  readonly path: string;
  readonly fd: number;
  readonly size: number;
  readonly identity: string;
}

/** Another run may give one of them another name meanwhile; often enough in a row no run does so. */
function openAll(folder: string, file: string, attempts = 3): OpenFile[] {
  const paths = ledgerFiles(folder, file);
  const files: OpenFile[] = [];
  let isWhole = false;
  try {
    for (const path of paths) {
      const { fd, stats } = openIfThere(path, constants.O_RDONLY) ?? {};
      if (fd !== undefined && stats) files.push({ path, fd, size: stats.size, identity: identityOf(stats) });
    }
    isWhole = attempts === 0 || ledgerFiles(folder, file).join('\n') === paths.join('\n');
  } finally {
    if (!isWhole) closeAll(files);
  }
  return isWhole ? files : openAll(folder, file, attempts - 1);
}

function closeAll(files: readonly OpenFile[]): void {
  for (const { fd } of files) closeSync(fd);
}

/** A new file may get the inode of a removed one; its birth time differs. */
function identityOf({ dev, ino, birthtimeMs }: Stats): string {
  return `${dev} ${ino} ${birthtimeMs}`;
}

/** The start in each file, searched from the end of the newest one. */
function beginnings(files: readonly OpenFile[], since: number): Map<string, number> {
  const budget = { before: LOOK_BACK, all: MOST };
  return new Map(files.toReversed().map((file) => [file.identity, beginningIn(file, since, budget)]));
}

/** The file's end when nothing in it is recent enough. */
function beginningIn({ path, fd, size }: OpenFile, since: number, budget: { before: number; all: number }): number {
  const moment = new Date(since).toISOString();
  let start = size;
  while (start > 0) {
    const from = Math.max(0, start - CHUNK);
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
  return [...text.matchAll(/"t":"([^"]{1,40})"/g)].some(([, time = '']) => time >= moment);
}

function tooMuch(path: string): CtxbError {
  const most = `${MOST / 1024 / 1024} MiB`;
  return new CtxbError('store', `${path} holds more than ${most} of one day or month: move it away, or set no limit`);
}

/** Hands on the whole lines from a position, and returns where the next one begins. */
function readFrom({ path, fd }: OpenFile, start: number, take: (line: string) => void): number {
  for (let position = start; ; ) {
    const { lines, bytes, read } = orStoreError(path, () => linesAt(fd, position, CHUNK));
    // The rest of the file is the beginning of a line that is being written.
    if (bytes === 0 && read < CHUNK) return position;
    for (const line of lines) take(line);
    position += bytes || read;
  }
}
