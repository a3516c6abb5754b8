import { mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { removeOldFiles } from '../../../src/store/files/remove-old-files.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'ctxb-old-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const nameOf = (days: number) => `${String(days).padStart(32, '0')}.json`;

function put(name: string, days: number): void {
  const time = Date.now() / 1_000 - days * 24 * 60 * 60;
  writeFileSync(join(root, name), 'x'.repeat(10));
  utimesSync(join(root, name), time, time);
}

it.each([
  { name: 'what is older than 30 days', most: undefined, left: ['1', '2', '29'] },
  { name: 'the oldest beyond what all may take', most: 25, left: ['1', '2'] },
  { name: 'everything where nothing may stay', most: 0, left: [] },
])('removes $name', ({ most, left }) => {
  for (const days of [31, 2, 29, 1]) put(nameOf(days), days);
  removeOldFiles(root, most);
  expect(readdirSync(root).sort()).toEqual(left.map(Number).map(nameOf).sort());
});

it('keeps files without a cache name, however old they are', () => {
  const foreign = ['README.md', 'data.json', `${nameOf(1)}.bak`];
  for (const name of foreign) put(name, 400);
  removeOldFiles(root, 0);
  expect(readdirSync(root).sort()).toEqual(foreign.toSorted());
});
