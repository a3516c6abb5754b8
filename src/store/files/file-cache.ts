import { hash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { orElse } from '../../errors.ts';
import { type DiskText, joinTexts, masked, unmaskedText } from '../masks/disk-text.ts';
import { makeFolder, readPlainBytes } from './plain-file.ts';
import { removeOldFiles } from './remove-old-files.ts';
import { replaceFile } from './write-file.ts';

/** A cache of data derived from files. Each folder of such files has one page. */
export type FileCache = ReturnType<typeof openFileCache>;

/** A part of the data of a file: a text without line feeds and tabs, or numbers. */
export type CachedPart = DiskText | Float64Array;

/** The first line of a page. Each further line has a file's name, its identity and the parts of its data, separated by tabs. */
const FIRST_LINE = unmaskedText('ctxb 2');

const MAX_BYTES = 256 * 1024 * 1024;

interface Page {
  readonly path: string;
  /**
   * The identity of each file and the parts of its data. As bytes, because decoding takes longer than reading, and few
   * data are used.
   */
  readonly entries: Map<string, readonly Buffer[]>;
  isNew: boolean;
}

/** Opens a cache. @param key everything else that the data depends on */
export function openFileCache(folder: string, key: string) {
  const pages = new Map<string, Page>();

  function pageOf(file: string): Page {
    const of = dirname(resolve(file));
    const known = pages.get(of);
    if (known !== undefined) return known;
    const path = join(folder, `${hashOf(`${key}\n${of}`)}.json`);
    const bytes = orElse(() => readPlainBytes(path, MAX_BYTES), undefined);
    const page = { path, entries: entriesIn(bytes ?? Buffer.alloc(0)), isNew: false };
    pages.set(of, page);
    return page;
  }

  function write([of, { path, entries }]: readonly [string, Page]): void {
    const isThere = (name: string) => existsSync(join(of, JSON.parse(name) as string));
    const kept = [...entries].filter(([name]) => isThere(name));
    // The data were masked before they were put.
    const lines = kept.map(([name, parts]) =>
      joinTexts([masked(name), ...parts.map((part) => unmaskedText(`${part}`))], '\t'),
    );
    makeFolder(folder);
    replaceFile(path, [joinTexts([FIRST_LINE, ...lines], '\n')], { durable: false });
  }

  return {
    /** The data of a file with the same identity; undefined if it is missing or damaged. */
    get(file: string, identity: string): readonly Buffer[] | undefined {
      const [known, ...parts] = pageOf(file).entries.get(nameOf(file)) ?? [];
      return `${known}` === hashOf(identity) ? parts : undefined;
    },
    /** Stores the data of a file. */
    put(file: string, identity: string, parts: readonly CachedPart[]): void {
      const page = pageOf(file);
      page.entries.set(nameOf(file), [hashOf(identity), ...parts].map(bytesOf));
      page.isNew = true;
    },
    /** Writes changed pages and removes old ones. Entries put afterwards are lost. */
    close(): void {
      const changed = [...pages].filter(([, { isNew }]) => isNew);
      if (changed.length === 0) return;
      // A full disk or a foreign folder only costs time: the next run computes the data again.
      try {
        changed.forEach(write);
        removeOldFiles(folder, MAX_BYTES);
      } catch {}
    },
  };
}

/** The entries of a page; none if another version wrote it. */
function entriesIn(page: Buffer): Page['entries'] {
  const [first, ...lines] = splitBytes(page, LINE_FEED);
  const entries: Page['entries'] = new Map();
  for (const line of `${first}` === FIRST_LINE ? lines : []) {
    const [name, ...parts] = splitBytes(line, TAB);
    if (parts.pop()?.length === 0) entries.set(`${name}`, parts);
  }
  return entries;
}

const [TAB, LINE_FEED] = [0x09, 0x0a];

/** Like `split` of a string. The parts share the memory of the whole. */
function splitBytes(bytes: Buffer, separator: number): readonly Buffer[] {
  const parts: Buffer[] = [];
  let from = 0;
  for (let at = bytes.indexOf(separator); at !== -1; at = bytes.indexOf(separator, from)) {
    parts.push(bytes.subarray(from, at));
    from = at + 1;
  }
  return [...parts, bytes.subarray(from)];
}

function bytesOf(part: string | Float64Array): Buffer {
  return Buffer.from(typeof part === 'string' ? part : Buffer.from(part.buffer).toString('base64'));
}

/** Numbers that were put as a part. */
export function numbersIn(part: Buffer): Float64Array {
  return new Float64Array(new Uint8Array(Buffer.from(`${part}`, 'base64')).buffer);
}

function nameOf(file: string): string {
  return JSON.stringify(basename(file));
}

function hashOf(text: string): string {
  return hash('sha256', text).slice(0, 32);
}
