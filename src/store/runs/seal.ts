import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { dirname, join } from 'node:path';
import { CtxbError, orElse } from '../../errors.ts';
import { kindOf, makeFolder, readPlain } from '../files/plain-file.ts';
import { writeNewFile } from '../files/write-file.ts';
import { unmaskedText } from '../masks/disk-text.ts';

/** Bytes of the key and of a seal: the length of a SHA-256 hash. */
const BYTES = 32;
const KEY = /^[0-9a-f]{64}$/;
const SEALED = /^(.*),"seal":"([0-9a-f]{64})"\}$/s;

/**
 * Distinguishes files that ctxb wrote for this user from files that others put into a working folder. A repository must
 * not contain a file that names a program to start.
 */
export type Seal = ReturnType<typeof openSeal>;

/** Opens the user's seal. @param folder where the first seal creates the key; undefined: no key can be stored */
export function openSeal(folder: string | undefined) {
  const keyPath = folder && join(folder, 'key');
  let key: Buffer | undefined;

  const sealOf = (json: string, purpose: string, by: Buffer) =>
    createHmac('sha256', by).update(`${purpose}\n${json}`).digest();

  return {
    keyPath,
    /**
     * Adds a seal as the last member of a JSON object.
     *
     * @param purpose the file of the object; in any other file the seal is invalid
     */
    close(json: string, purpose: string): string {
      key ??= makeKey(keyPath);
      return `${json.slice(0, -1)},"seal":"${sealOf(json, purpose, key).toString('hex')}"}`;
    },
    /** The object without its seal; undefined if the seal is missing or invalid. */
    open(line: string, purpose: string): string | undefined {
      key ??= orElse(() => readKey(keyPath), undefined);
      const [, members, found = ''] = SEALED.exec(line) ?? [];
      const json = `${members}}`;
      const isValid =
        key !== undefined && found !== '' && timingSafeEqual(sealOf(json, purpose, key), Buffer.from(found, 'hex'));
      return isValid ? json : undefined;
    },
  };
}

function makeKey(path: string | undefined): Buffer {
  if (path === undefined) throw new CtxbError('store', 'no home folder to keep a key in: set HOME');
  if (kindOf(path) === 'missing') {
    makeFolder(dirname(path));
    // If two runs create a key at the same time, the first one wins.
    writeNewFile(path, unmaskedText(randomBytes(BYTES).toString('hex')));
  }
  const key = readKey(path);
  if (key === undefined) throw new CtxbError('store', `${path} holds no key: move it away`);
  return key;
}

function readKey(path = ''): Buffer | undefined {
  const text = readPlain(path, 2 * BYTES);
  return text !== undefined && KEY.test(text) ? Buffer.from(text, 'hex') : undefined;
}
