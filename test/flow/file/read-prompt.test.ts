import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readPrompt } from '../../../src/flow/file/prompt-file.ts';

const outside = mkdtempSync(join(tmpdir(), 'ctxb-prompt-'));
const folder = join(outside, 'flow');

beforeAll(() => {
  mkdirSync(folder);
  writeFileSync(join(outside, 'secret.md'), 'secret');
  writeFileSync(join(folder, 'prompt.md'), '\ufeffDo it.\n');
  writeFileSync(join(folder, 'bytes.md'), Buffer.from([0xff, 0xfe, 0xfd]));
  symlinkSync('../secret.md', join(folder, 'link.md'));
});

afterAll(() => rmSync(outside, { recursive: true }));

it('reads a file in the folder of the flow', () => {
  expect(readPrompt(folder, 'prompt.md')).toBe('Do it.\n');
});

it.each([
  { file: 'gone.md', says: 'promptFile "gone.md": expected a file with text, found: no such file; correct the flow' },
  { file: '../secret.md', says: 'found: a place outside' },
  { file: 'link.md', says: 'found: a link to a place outside' },
  { file: 'bytes.md', says: 'expected text in UTF-8, found: bytes that are none' },
])('$file is refused', ({ file, says }) => {
  expect(() => readPrompt(folder, file)).toThrow(says);
});
