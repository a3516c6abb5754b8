import { createHash } from 'node:crypto';
import { readdirSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { fieldsOf, isFields } from '../../core/protocol/fields.ts';
import { asItIs, type DiskText, masked, maskedJson } from '../masks/disk-text.ts';
import { makeFolder, readJson, removeFile } from './plain-file.ts';
import { replaceFile } from './write-file.ts';

/** Something that can be made again, kept for each of many files: as JSON, one file for each of their folders. */
export type JsonCache = ReturnType<typeof openJsonCache>;

interface Entry {
  readonly identity: string;
  readonly value: unknown;
}

const VERSION = 1;

/** Of all pages. */
const FOLDER_BYTES = 256 * 1024 * 1024;

/**
 * @param folder where the cache is
 * @param key everything else that the values depend on
 */
export function openJsonCache(folder: string, key: string) {
  const pages = new Map<string, Map<string, Entry>>();
  const changed = new Map<string, Map<string, Entry>>();
  const pathOf = (file: string) => join(folder, pageName(key, dirname(resolve(file))));

  function pageOf(file: string): Map<string, Entry> {
    const path = pathOf(file);
    const page = pages.get(path) ?? readPage(path);
    pages.set(path, page);
    return page;
  }

  return {
    /** What was put for a file under the same identity; undefined: nothing was. */
    get(file: string, identity: string): unknown {
      const entry = pageOf(file).get(basename(file));
      return entry?.identity === identity ? entry.value : undefined;
    },
    put(file: string, identity: string, value: unknown): void {
      changed.set(pathOf(file), pageOf(file).set(basename(file), { identity, value }));
    },
    /** Writes what was put. What cannot be written is made again the next time. */
    save(): void {
      if (changed.size === 0) return;
      try {
        makeFolder(folder);
        for (const [path, page] of changed) replaceFile(path, textOf(page), { durable: false });
        forgetOld(folder, FOLDER_BYTES);
      } catch {
        // A full disk or a foreign folder costs time only.
      }
    },
  };
}

function* textOf(page: ReadonlyMap<string, Entry>): Generator<DiskText> {
  yield asItIs(`{"version":${VERSION},"entries":{`);
  let comma = '';
  for (const [name, entry] of page) {
    yield asItIs(`${comma}\n${masked(JSON.stringify(name))}:${maskedJson(entry)}`);
    comma = ',';
  }
  yield asItIs('\n}}\n');
}

/** Empty for a file that is missing, damaged or of another version. */
function readPage(path: string): Map<string, Entry> {
  const { version, entries } = fieldsOf(readJson(path, FOLDER_BYTES));
  const found = Object.entries(fieldsOf(version === VERSION ? entries : undefined));
  return new Map(found.filter((entry): entry is [string, Entry] => isEntry(entry[1])));
}

function isEntry(value: unknown): value is Entry {
  return isFields(value) && 'identity' in value && 'value' in value;
}

function pageName(key: string, folder: string): string {
  return `${createHash('sha256').update(`${key}\n${folder}`).digest('hex').slice(0, 32)}.json`;
}

/** What {@link pageName} calls a file, or what is left of one that was being replaced. */
const CACHE_FILE = /^[0-9a-f]{32}\.json(?:\.\d{1,10})?$/;

/** What nobody has written for so long is of recordings that are gone, or of a policy of then. */
const KEPT_MS = 30 * 24 * 60 * 60 * 1000;

/**
 * Removes from a cache's folder what is old, and named as ctxb names it: `XDG_CACHE_HOME` may have any folder be the cache.
 *
 * @param most bytes that its files may take: beyond it the oldest are removed as well
 */
export function forgetOld(folder: string, most = Number.POSITIVE_INFINITY): void {
  const newestFirst = readdirSync(folder)
    .filter((name) => CACHE_FILE.test(name))
    .map((name) => join(folder, name))
    .map((path) => ({ path, stats: statSync(path, { throwIfNoEntry: false }) }))
    .sort((a, b) => (b.stats?.mtimeMs ?? 0) - (a.stats?.mtimeMs ?? 0));
  let bytes = 0;
  for (const { path, stats } of newestFirst) {
    // Somebody else has removed it.
    if (stats === undefined) continue;
    bytes += stats.size;
    if (bytes > most || Date.now() - stats.mtimeMs > KEPT_MS) removeFile(path);
  }
}
