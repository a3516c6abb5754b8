import { createHash } from 'node:crypto';
import { join, resolve } from 'node:path';
import { fieldsOf } from '../../core/protocol/fields.ts';
import { maskedJson } from '../masks/disk-text.ts';
import { forgetOld } from './forget-old.ts';
import { makeFolder, readJson } from './plain-file.ts';
import { replaceFile } from './write-file.ts';

/** Something that can be made again, kept for each of many files, as JSON in a file of its own. */
export type JsonCache = ReturnType<typeof openJsonCache>;

const VERSION = 1;

/** Of all that is kept. */
const FOLDER_BYTES = 256 * 1024 * 1024;

/**
 * @param folder where the cache is
 * @param key everything else that the values depend on
 */
export function openJsonCache(folder: string, key: string) {
  let isNew = false;
  const placeOf = (file: string) => join(folder, nameOf(`${key}\n${resolve(file)}`));

  /** A full disk or a foreign folder costs time only: what is not kept is made again the next time. */
  function attempt(work: () => void): void {
    try {
      work();
    } catch {}
  }

  return {
    /** What was put for a file under the same identity; undefined: nothing was, or it is damaged. */
    get(file: string, identity: string): unknown {
      const { version, value, ...kept } = fieldsOf(readJson(placeOf(file), FOLDER_BYTES));
      return version === VERSION && kept.identity === identity ? value : undefined;
    },
    put(file: string, identity: string, value: unknown): void {
      attempt(() => {
        makeFolder(folder);
        replaceFile(placeOf(file), [maskedJson({ version: VERSION, identity, value })], { durable: false });
        isNew = true;
      });
    },
    /** Nothing more is put: removes what is old. */
    close(): void {
      if (isNew) attempt(() => forgetOld(folder, FOLDER_BYTES));
    },
  };
}

function nameOf(text: string): string {
  return `${createHash('sha256').update(text).digest('hex').slice(0, 32)}.json`;
}
