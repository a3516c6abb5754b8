import { mkdtempSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openTextCache } from '../../../src/store/files/file-cache.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'ctxb-texts-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const folder = () => join(root, 'ctxb', 'texts');
const open = (key = 'k') => openTextCache(folder(), key);
const files = () => readdirSync(folder()).map((name) => join(folder(), name));

describe('what was put', () => {
  it('is there for the same file and key only', () => {
    open().put('/a/one', 'text');
    expect(open().get('/a/../a/one')).toBe('text');
    expect(open().get('/a/two')).toBeUndefined();
    expect(open('other').get('/a/one')).toBeUndefined();
  });

  it('is for its owner only, and in the place of what was put before', () => {
    for (const text of ['long text', 'text']) open().put('/a/one', text);
    expect(open().get('/a/one')).toBe('text');
    expect(statSync(folder()).mode & 0o777).toBe(0o700);
    expect(files().map((path) => statSync(path).mode & 0o777)).toEqual([0o600]);
  });

  it('is removed by what is put later, when it is old', () => {
    open().put('/a/one', 'text');
    for (const path of files()) utimesSync(path, 1_000, 1_000);
    open().put('/a/two', 'text');
    expect(open().get('/a/one')).toBeUndefined();
    expect(open().get('/a/two')).toBe('text');
  });
});

it('nothing is said where it cannot be written', () => {
  writeFileSync(join(root, 'ctxb'), '');
  open().put('/a/one', 'text');
  expect(open().get('/a/one')).toBeUndefined();
});
