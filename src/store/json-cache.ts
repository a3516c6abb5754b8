import { basename, dirname, resolve } from 'node:path';
import { cachePath } from './cache-path.ts';
import { asItIs, type DiskText, masked, maskedJson } from './disk-text.ts';
import { forgetOld } from './forget-old.ts';
import { makeFolder, readPlain } from './plain-file.ts';
import { replaceFile } from './replace-file.ts';

/** Something that can be made again, kept for each of many files: as JSON, one file for each of their folders. */
export interface JsonCache {
  /** What was put for a file under the same identity; undefined: nothing was. */
  get(file: string, identity: string): unknown;
  put(file: string, identity: string, value: unknown): void;
  /** Writes what was put. What cannot be written is made again the next time. */
  save(): void;
}

interface Entry {
  readonly identity: string;
  readonly value: unknown;
}

interface Page {
  readonly entries: Map<string, Entry>;
  changed: boolean;
}

const VERSION = 1;

/** Longer than any; a file beyond it is none of ours. */
const MAX_BYTES = 256 * 1024 * 1024;

/**
 * @param folder where the cache is
 * @param key everything else that the values depend on
 */
export function openJsonCache(folder: string, key: string): JsonCache {
  const pages = new Map<string, Page>();

  const pagePath = (of: string) => cachePath(folder, key, of);

  function pageOf(file: string): Page {
    const of = dirname(resolve(file));
    const known = pages.get(of) ?? { entries: readEntries(pagePath(of)), changed: false };
    pages.set(of, known);
    return known;
  }

  return {
    get(file, identity) {
      const entry = pageOf(file).entries.get(basename(file));
      return entry?.identity === identity ? entry.value : undefined;
    },
    put(file, identity, value) {
      const page = pageOf(file);
      page.entries.set(basename(file), { identity, value });
      page.changed = true;
    },
    save() {
      const changed = [...pages].filter(([, page]) => page.changed);
      if (changed.length === 0) return;
      try {
        makeFolder(folder);
        for (const [of, { entries }] of changed) replaceFile(pagePath(of), textOf(entries));
        forgetOld(folder);
      } catch {
        // A full disk or a folder of somebody else's: only time is lost.
      }
    },
  };
}

function* textOf(entries: Page['entries']): Generator<DiskText> {
  yield asItIs(`{"version":${VERSION},"entries":{`);
  let comma = '';
  for (const [name, entry] of entries) {
    yield asItIs(`${comma}\n${masked(JSON.stringify(name))}:${maskedJson(entry)}`);
    comma = ',';
  }
  yield asItIs('\n}}\n');
}

/** Nothing where there is none, or one that is damaged or of another version. */
function readEntries(path: string): Page['entries'] {
  const entries: Page['entries'] = new Map();
  for (const [name, entry] of Object.entries(parsed(path))) {
    if (isEntry(entry)) entries.set(name, entry);
  }
  return entries;
}

function isEntry(value: unknown): value is Entry {
  return typeof value === 'object' && value !== null && 'identity' in value && 'value' in value;
}

function parsed(path: string): object {
  try {
    const page = JSON.parse(readPlain(path, MAX_BYTES) ?? 'null') as Partial<Record<string, unknown>> | null;
    return page?.version === VERSION && typeof page.entries === 'object' ? (page.entries ?? {}) : {};
  } catch {
    return {};
  }
}
