import { mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { forgetOld } from '../../src/store/forget-old.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'ctxb-old-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

it.each([
  { name: 'what is older than 30 days', most: undefined, left: ['1', '2', '29'] },
  { name: 'the oldest beyond what all may take', most: 25, left: ['1', '2'] },
  { name: 'everything where nothing may stay', most: 0, left: [] },
])('removes $name', ({ most, left }) => {
  for (const days of [31, 2, 29, 1]) {
    const path = join(root, `${days}`);
    const time = Date.now() / 1_000 - days * 24 * 60 * 60;
    writeFileSync(path, 'x'.repeat(10));
    utimesSync(path, time, time);
  }
  forgetOld(root, most);
  expect(readdirSync(root).sort()).toEqual(left);
});
