import {
  chmodSync,
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
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openJsonCache } from '../../../src/store/files/file-cache.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'ctxb-cache-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const folder = () => join(root, 'ctxb', 'replay');
const open = (key = 'k') => openJsonCache(folder(), key);
const pages = () => readdirSync(folder()).map((name) => join(folder(), name));

function keep(...entries: readonly (readonly [file: string, identity: string, value: unknown])[]): void {
  const cache = open();
  for (const [file, identity, value] of entries) cache.put(file, identity, value);
  cache.close();
}

describe('what was put', () => {
  it('is there the next time, under the same identity only', () => {
    keep(['/a/one', 'i', { n: 1 }], ['/a/two', 'j', null], ['/b/one', 'k', [2]]);
    const cache = open();
    expect(cache.get('/a/one', 'i')).toEqual({ n: 1 });
    expect(cache.get('/a/one', 'j')).toBeUndefined();
    expect(cache.get('/b/one', 'k')).toEqual([2]);
    expect(cache.get('/b/two', 'k')).toBeUndefined();
    expect(open('other').get('/a/one', 'i')).toBeUndefined();
    expect(pages()).toHaveLength(3);
  });

  it('stays beside what is put later', () => {
    keep(['/a/one', 'i', 1]);
    keep(['/a/two', 'i', 2]);
    keep(['/a/two', 'j', 3]);
    expect(['one', 'two'].map((name) => open().get(`/a/${name}`, name === 'one' ? 'i' : 'j'))).toEqual([1, 3]);
  });

  it('is for its owner only', () => {
    keep(['/a/one', 'i', 1]);
    expect(statSync(folder()).mode & 0o777).toBe(0o700);
    for (const page of pages()) expect(statSync(page).mode & 0o777).toBe(0o600);
  });

  it('is not written where nothing was put', () => {
    const cache = open();
    cache.get('/a/one', 'i');
    cache.close();
    expect(readdirSync(root)).toEqual([]);
  });

  it.each([
    { name: 'cut off', change: (text: string) => text.slice(0, -5) },
    { name: 'empty', change: () => '' },
    { name: 'no object', change: () => '[1]' },
    { name: 'null', change: () => 'null' },
    { name: 'of another version', change: (text: string) => text.replace('"version":1', '"version":2') },
    { name: 'without a value', change: () => '{"version":1}' },
    { name: 'with an identity that is none', change: () => '{"version":1,"identity":null,"value":1}' },
  ])('counts as nothing where it is $name, and can be put anew', ({ change }) => {
    keep(['/a/one', 'i', 1]);
    for (const page of pages()) writeFileSync(page, change(readFileSync(page, 'utf8')));
    expect(open().get('/a/one', 'i')).toBeUndefined();
    keep(['/a/one', 'i', 2]);
    expect(open().get('/a/one', 'i')).toBe(2);
  });

  it('is forgotten when nobody has written it for long', () => {
    keep(['/a/one', 'i', 1]);
    for (const page of pages()) utimesSync(page, 1, 1);
    keep(['/b/one', 'i', 1]);
    expect(open().get('/a/one', 'i')).toBeUndefined();
    expect(open().get('/b/one', 'i')).toBe(1);
  });
});

describe('where it cannot be written', () => {
  it.each([
    { name: 'a file is in its place', prepare: () => writeFileSync(join(root, 'ctxb'), '') },
    { name: 'a link is in its place', prepare: () => symlinkSync('..', join(root, 'ctxb')) },
    { name: 'the folder is not to be written', prepare: () => chmodSync(root, 0o500) },
  ])('nothing is said: $name', ({ prepare }) => {
    prepare();
    expect(() => keep(['/a/one', 'i', 1])).not.toThrow();
    chmodSync(root, 0o700);
  });
});
