import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type FileCache, numbersIn, openFileCache } from '../../../src/store/files/file-cache.ts';
import { masked } from '../../../src/store/masks/disk-text.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'ctxb-cache-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const folder = () => join(root, 'ctxb', 'replay');
const open = (key = 'k') => openFileCache(folder(), key);
/** The data that a cache has of a file. */
const readFrom = (cache: FileCache, name: string, identity: string) => cache.get(file(name), identity)?.join();
const pages = () => readdirSync(folder()).map((name) => join(folder(), name));

/** A file of which something is kept. */
function file(name: string): string {
  const path = join(root, 'logs', name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, '');
  return path;
}

function keep(...entries: readonly (readonly [name: string, identity: string, text: string])[]): void {
  const cache = open();
  for (const [name, identity, text] of entries) cache.put(file(name), identity, [masked(text)]);
  cache.close();
}

describe('cached data', () => {
  it('is read back only with the same identity', () => {
    keep(['a/one', 'i', '{"n":1}'], ['a/two', 'j', 'null'], ['b/one', 'k', '[2]']);
    const cache = open();
    expect(readFrom(cache, 'a/one', 'i')).toBe('{"n":1}');
    expect(readFrom(cache, 'a/one', 'j')).toBeUndefined();
    expect(readFrom(cache, 'b/one', 'k')).toBe('[2]');
    expect(readFrom(cache, 'b/two', 'k')).toBeUndefined();
    expect(readFrom(open('other'), 'a/one', 'i')).toBeUndefined();
  });

  it('may have several parts, also numbers', () => {
    const cache = open();
    const numbers = Float64Array.of(0, 9, 10, -1, 2 ** 53 - 1, 0.5);
    cache.put(file('a/one'), 'i', [masked('é'), numbers, masked('')]);
    cache.close();
    const [text, found = Buffer.alloc(0), empty, ...others] = open().get(file('a/one'), 'i') ?? [];
    expect([`${text}`, numbersIn(found), `${empty}`, others]).toEqual(['é', numbers, '', []]);
  });

  it('has one page for each folder', () => {
    keep(['a/one', 'i', '1'], ['a/two', 'j', '2'], ['b/one', 'k', '3']);
    expect(pages()).toHaveLength(2);
  });

  it('is kept when more is added later', () => {
    keep(['a/one', 'i', '1']);
    keep(['a/two', 'i', '2']);
    keep(['a/two', 'j', '3']);
    expect([readFrom(open(), 'a/one', 'i'), readFrom(open(), 'a/two', 'j')]).toEqual(['1', '3']);
    expect(readFrom(open(), 'a/two', 'i')).toBeUndefined();
  });

  it('is dropped with its file', () => {
    keep(['a/one', 'i', '"of one"']);
    rmSync(file('a/one'));
    keep(['a/two', 'i', '"of two"']);
    expect(pages().map((page) => readFileSync(page, 'utf8'))).toEqual([expect.not.stringContaining('of one')]);
  });

  it('may belong to a file with any name', () => {
    const name = 'a/o\tn\n"e"';
    keep([name, 'i', '1']);
    expect(readFrom(open(), name, 'i')).toBe('1');
  });

  it('is readable only by its owner', () => {
    keep(['a/one', 'i', '1']);
    expect(statSync(folder()).mode & 0o777).toBe(0o700);
    for (const page of pages()) expect(statSync(page).mode & 0o777).toBe(0o600);
  });

  it('writes no page if nothing was put', () => {
    const cache = open();
    cache.get(file('a/one'), 'i');
    cache.close();
    expect(readdirSync(root)).toEqual(['logs']);
  });

  it.each([
    { name: 'cut off', change: (text: string) => text.slice(0, -5) },
    { name: 'empty', change: () => '' },
    { name: 'something else', change: () => '[1]' },
    { name: 'of another version', change: (text: string) => text.replace('ctxb 2', 'ctxb 1') },
    { name: 'without a text', change: (text: string) => text.replace(/\t[^\t]*\t\n$/, '\n') },
  ])('is ignored and can be replaced if its page is $name', ({ change }) => {
    keep(['a/one', 'i', '12345']);
    for (const page of pages()) writeFileSync(page, change(readFileSync(page, 'utf8')));
    expect(readFrom(open(), 'a/one', 'i')).toBeUndefined();
    keep(['a/one', 'i', '2']);
    expect(readFrom(open(), 'a/one', 'i')).toBe('2');
  });

  it('is removed if it was not written for a long time', () => {
    keep(['a/one', 'i', '1']);
    for (const page of pages()) utimesSync(page, 1, 1);
    keep(['b/one', 'i', '1']);
    expect(readFrom(open(), 'a/one', 'i')).toBeUndefined();
    expect(readFrom(open(), 'b/one', 'i')).toBe('1');
  });
});

describe('an unwritable cache', () => {
  it.each([
    { name: 'a file is in its place', prepare: () => writeFileSync(join(root, 'ctxb'), '') },
    { name: 'a link is in its place', prepare: () => symlinkSync('..', join(root, 'ctxb')) },
    { name: 'the folder is not to be written', prepare: () => chmodSync(root, 0o500) },
  ])('is ignored silently: $name', ({ prepare }) => {
    const one = file('a/one');
    prepare();
    const cache = open();
    cache.put(one, 'i', [masked('1')]);
    expect(() => cache.close()).not.toThrow();
    chmodSync(root, 0o700);
  });
});
