import { resolve } from 'node:path';
import { cachePath } from './cache-path.ts';
import { asItIs } from './disk-text.ts';
import { forgetOld } from './forget-old.ts';
import { makeFolder, readPlain } from './plain-file.ts';
import { replaceFile } from './replace-file.ts';

/** Something that can be made again, kept for each of many files: as text, a file for each. */
export interface TextCache {
  /** What was put for a file; undefined: nothing was. */
  get(file: string): string | undefined;
  /** What cannot be written is made again the next time. */
  put(file: string, text: string): void;
}

/** A longer one is none of ours. */
const MAX_BYTES = 16 * 1024 * 1024;

/** Of all of them. */
const FOLDER_BYTES = 64 * 1024 * 1024;

/**
 * @param folder where the cache is
 * @param key everything else that the texts depend on
 */
export function openTextCache(folder: string, key: string): TextCache {
  let isTidy = false;

  const pathOf = (file: string) => cachePath(folder, key, resolve(file));

  return {
    get(file) {
      try {
        return readPlain(pathOf(file), MAX_BYTES);
      } catch {
        return undefined;
      }
    },
    put(file, text) {
      try {
        makeFolder(folder);
        if (!isTidy) forgetOld(folder, FOLDER_BYTES);
        isTidy = true;
        replaceFile(pathOf(file), [asItIs(text)]);
      } catch {
        // A full disk or a folder of somebody else's: only time is lost.
      }
    },
  };
}
