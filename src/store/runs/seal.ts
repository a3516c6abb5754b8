import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { dirname, join } from 'node:path';
import { isCtxbError } from '../../errors.ts';
import { kindOf, makeFolder, readPlain } from '../files/plain-file.ts';
import { writeNewFile } from '../files/write-file.ts';
import { asItIs } from '../masks/disk-text.ts';

/** Bytes of the key and of a seal: the length of a SHA-256 hash. */
const BYTES = 32;
const KEY = /^[0-9a-f]{64}$/;
const SEALED = /^(.*),"seal":"([0-9a-f]{64})"\}$/s;

/**
 * Distinguishes files that ctxb wrote for this user from files that others put into a working folder. A repository must
 * not contain a file that names a program to start.
 */
export type Seal = ReturnType<typeof openSeal>;

/** @param folder where the first seal creates the key; undefined: no key can be stored */
export function openSeal(folder: string | undefined) {
  const keyPath = folder && join(folder, 'key');
  let key: Buffer | undefined;

  function seal(json: string, purpose: string): Buffer | undefined {
    return key && createHmac('sha256', key).update(`${purpose}\n${json}`).digest();
  }

  return {
    /** Path of the key; undefined if no key can be stored. */
    keyPath,
    /**
     * Adds a seal as the last member of a JSON object; returns the object unchanged if no key can be stored.
     *
     * @param purpose the file that the object is written to, so that the seal is invalid anywhere else
     */
    close(json: string, purpose: string): string {
      key ??= keyAt(keyPath, { orMake: true });
      const sealed = seal(json, purpose);
      return sealed === undefined ? json : `${json.slice(0, -1)},"seal":"${sealed.toString('hex')}"}`;
    },
    /** The object without its seal; undefined if the seal is missing or invalid. */
    open(line: string, purpose: string): string | undefined {
      key ??= keyAt(keyPath, { orMake: false });
      const [, members, found = ''] = SEALED.exec(line) ?? [];
      const json = `${members}}`;
      const sealed = seal(json, purpose);
      return sealed !== undefined && found !== '' && timingSafeEqual(sealed, Buffer.from(found, 'hex'))
        ? json
        : undefined;
    },
  };
}

/** Undefined if no key exists and none can be stored: a read-only home does not stop a run. */
function keyAt(path: string | undefined, { orMake }: { readonly orMake: boolean }): Buffer | undefined {
  if (path === undefined) return undefined;
  try {
    if (orMake && kindOf(path) === 'missing') {
      makeFolder(dirname(path));
      // If two runs create a key at the same time, the first one wins.
      writeNewFile(path, asItIs(randomBytes(BYTES).toString('hex')));
    }
    const text = readPlain(path, 2 * BYTES);
    return text !== undefined && KEY.test(text) ? Buffer.from(text, 'hex') : undefined;
  } catch (error) {
    if (!isCtxbError(error)) throw error;
    return undefined;
  }
}
