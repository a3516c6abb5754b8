import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import { type BigIntStats, closeSync, openSync, readSync, statSync } from 'node:fs';
import { deserialize, serialize } from 'node:v8';
import { type Fields, parseFields } from '../../core/protocol/fields.ts';
import type { LineStart } from '../read/line-feed.ts';
import type { Snapshot } from '../snapshot.ts';

/** Lets the reading of files resume that have only grown since they were judged. */
export interface Bookmarks {
  /** Looks at a file that is to be read now. */
  open(file: string): Bookmark;
}

export interface Bookmark {
  /** Where the last reading ended, and what was known there; undefined: read from the beginning. */
  readonly found: Found | undefined;
  /** Keeps this for the next reading, where it is worth it. @param snapshot undefined: it cannot be kept */
  keep(at: LineStart, snapshot: Snapshot | undefined): void;
}

interface Found {
  readonly at: LineStart;
  readonly snapshot: Snapshot;
}

/** Where the bookmarks of files are kept. */
export interface BookmarkStore {
  get(file: string): string | undefined;
  /** What cannot be written is done without. */
  put(file: string, text: string): void;
}

export interface BookmarksOptions {
  readonly store: BookmarkStore;
  /** Bytes that have to be read again without a bookmark, for one to be worth it; default 1 MiB. */
  readonly worthBytes?: number;
}

/** Takes about as long to read as what is kept. */
const WORTH_BYTES = 1024 * 1024;

/** What is kept of a call is some 250 bytes, and as many again where calls are shown one by one. */
const MOST_BYTES = 8 * 1024 * 1024;

/** What is looked at of a file, at its beginning and before the bookmark, to know that it is still the same. */
const LOOK_BYTES = 64 * 1024;

export function createBookmarks({ store, worthBytes = WORTH_BYTES }: BookmarksOptions): Bookmarks {
  return {
    open(file) {
      const before = outsideOf(file);
      const found = before && readBookmark(store.get(file), file, before);
      return {
        found,
        keep(at, snapshot) {
          if (before === undefined || snapshot === undefined) return;
          if (at.offset - (found?.at.offset ?? 0) < worthBytes) return;
          const text = bookmarkOf({ at, snapshot }, file, before);
          if (text !== undefined) store.put(file, text);
        },
      };
    },
  };
}

/** What a file looks like without reading it. */
interface Outside {
  /** Device and inode. */
  readonly id: string;
  readonly size: number;
  /** Nanoseconds since the epoch, of the content and of all. */
  readonly modified: string;
  readonly changed: string;
}

function outsideOf(file: string): Outside | undefined {
  const stats = file === '-' ? undefined : attempt(() => statSync(file, { bigint: true }));
  return stats?.isFile() === true ? outsideIn(stats) : undefined;
}

function outsideIn({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): Outside {
  return { id: `${dev} ${ino}`, size: Number(size), modified: String(mtimeNs), changed: String(ctimeNs) };
}

/** It is the same file, and nothing or something was added to it, as far as that can be told without reading it. */
function goesOn(before: Outside, now: Outside): boolean {
  if (before.id !== now.id) return false;
  if (before.size === now.size) return before.modified === now.modified && before.changed === now.changed;
  return before.size < now.size && BigInt(before.modified) <= BigInt(now.modified);
}

/** Written as JSON. */
interface Kept {
  readonly outside: Outside;
  readonly offset: number;
  /** What was found there, encrypted, in base64. */
  readonly found: string;
}

/** undefined: it is too large, or the file is no longer what was read. */
function bookmarkOf(found: Found, file: string, outside: Outside): string | undefined {
  const content = serialize(found);
  const key = content.length > MOST_BYTES ? undefined : keyOf(file, found.at.offset);
  const now = outsideOf(file);
  if (key === undefined || now === undefined || !goesOn(outside, now)) return undefined;
  const kept: Kept = { outside, offset: found.at.offset, found: encrypt(content, key).toString('base64') };
  return JSON.stringify(kept);
}

function readBookmark(text: string | undefined, file: string, now: Outside): Found | undefined {
  const kept = parseFields(text ?? '');
  if (!isKept(kept) || !goesOn(kept.outside, now)) return undefined;
  const key = keyOf(file, kept.offset);
  const content = key && decrypt(Buffer.from(kept.found, 'base64'), key);
  // Another version of Node may have written it in another form.
  return content && attempt(() => deserialize(content) as Found);
}

function isKept(kept: Fields): kept is Fields & Kept {
  return typeof kept.outside === 'object' && typeof kept.offset === 'number' && typeof kept.found === 'string';
}

/**
 * Made of the file's first bytes and of those before an offset: where they have changed, what was encrypted with them
 * cannot be read. And what is kept holds texts as they stand in the file, so that only who has that is to read them.
 */
function keyOf(file: string, offset: number): Buffer | undefined {
  return attempt(() => {
    const hash = createHash('sha256');
    const handle = openSync(file, 'r');
    try {
      for (const from of [0, Math.max(0, offset - LOOK_BYTES)]) {
        const bytes = Buffer.alloc(Math.min(LOOK_BYTES, offset));
        readSync(handle, bytes, 0, bytes.length, from);
        hash.update(bytes);
      }
    } finally {
      closeSync(handle);
    }
    return hash.digest();
  });
}

/** undefined where it fails: reading the file will give the error. */
function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

/** Of AES-256-GCM, which also tells whether the key is the one and nothing has changed. */
const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** @param key 32 bytes */
function encrypt(content: Buffer, key: Buffer): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, key, nonce);
  const body = Buffer.concat([cipher.update(content), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), body]);
}

/** undefined: another key, or not what was encrypted. */
function decrypt(bytes: Buffer, key: Buffer): Buffer | undefined {
  if (bytes.length < NONCE_BYTES + TAG_BYTES) return undefined;
  const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, NONCE_BYTES));
  decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
  try {
    return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]);
  } catch {
    return undefined;
  }
}
