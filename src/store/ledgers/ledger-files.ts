import { randomBytes } from 'node:crypto';
import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { namesIn, statsOf } from '../files/plain-file.ts';
import { readLines } from '../files/read-lines.ts';
import { errorCode, orStoreError } from '../files/store-error.ts';
import { replaceFile } from '../files/write-file.ts';
import type { ContextDir } from '../folders/context-dir.ts';
import { PART } from '../folders/own-names.ts';
import { asItIs, type DiskText } from '../masks/disk-text.ts';

/** Bytes of a ledger from which on a new one is begun: some fifty thousand turns. */
const FULL = 8 * 1024 * 1024;

/** Bytes of a part that is shortened while a run waits. */
const MOST_SHORTENED = 8 * FULL;

/** Makes fewer lines of many that say the same. What it does not know it hands back as it is. */
export type Shorten = (lines: Iterable<string>) => Iterable<string>;

/** The files of a ledger that are there, oldest first: its parts, and what is added to. */
export function ledgerFiles(folder: string, file: string): string[] {
  const names = namesIn(folder).filter((name) => isLedgerFile(name, file));
  // What is added to has no time in its name, and comes last.
  const parts = names.filter((name) => name !== file).sort();
  return [...parts, ...names.filter((name) => name === file)].map((name) => join(folder, name));
}

export function isLedgerFile(name: string, file: string): boolean {
  return new RegExp(`^${file.replace('.ndjson', '')}${PART}\\.ndjson$`).test(name);
}

/**
 * Puts a ledger that has become long aside as a part, and shortens the parts before it. Another process may add to the
 * ledger meanwhile: what it writes is in the part then.
 *
 * @param before parts that were written to since then, in milliseconds since the epoch, stay as they are
 */
export function keepShort(
  folder: ContextDir,
  file: string,
  options: { readonly now: number; readonly before: number; readonly shorten: Shorten },
): void {
  const path = join(folder.path, file);
  const stats = statsOf(path);
  if (stats === undefined || stats.size < FULL) return;
  const parts = ledgerFiles(folder.path, file).filter((part) => part !== path);
  orStoreError(path, () => putAside(path, join(folder.path, partOf(file, options.now))));
  for (const part of parts) shortenPart(part, options);
}

function putAside(path: string, part: string): void {
  try {
    renameSync(path, part);
  } catch (error) {
    // Another run was quicker.
    if (errorCode(error) !== 'ENOENT') throw error;
  }
}

/** A name as `PART` has it. No two are the same, so that nothing is ever replaced by it. */
function partOf(file: string, now: number): string {
  const time = new Date(now).toISOString().replaceAll(/[-:.Z]/g, '');
  return file.replace('.ndjson', `-${time}-${randomBytes(2).toString('hex')}.ndjson`);
}

function shortenPart(path: string, { before, shorten }: { readonly before: number; readonly shorten: Shorten }): void {
  const stats = statsOf(path);
  if (stats === undefined || stats.mtimeMs >= before || stats.size > MOST_SHORTENED) return;
  replaceFile(path, asLines(shorten(readLines(path))));
}

/** They were masked when they were written first. */
function* asLines(lines: Iterable<string>): Generator<DiskText> {
  for (const line of lines) yield asItIs(`${line}\n`);
}
