import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { fileInside } from '../../../src/flow/file/flow-files.ts';

const top = mkdtempSync(join(tmpdir(), 'ctxb-inside-'));
const folder = join(top, 'work');
mkdirSync(join(folder, 'src'), { recursive: true });
mkdirSync(join(top, 'work-other'));
for (const file of ['work/a.txt', 'work/src/b.txt', 'work/..c', 'out.txt', 'work-other/d.txt']) {
  writeFileSync(join(top, file), 'x');
}
symlinkSync('src/b.txt', join(folder, 'in'));
symlinkSync('../out.txt', join(folder, 'out'));
symlinkSync('..', join(folder, 'up'));
symlinkSync('loop', join(folder, 'loop'));
symlinkSync(folder, join(top, 'alias'));
execFileSync('mkfifo', [join(folder, 'pipe')]);
afterAll(() => rmSync(top, { recursive: true }));

it.each([
  { name: 'a file', file: 'a.txt', found: 'a.txt' },
  { name: 'a file below', file: './src/../src/b.txt', found: 'src/b.txt' },
  { name: 'an absolute path', file: join(folder, 'src/b.txt'), found: 'src/b.txt' },
  { name: 'an absolute path by another way', file: join(top, 'alias/src/b.txt'), found: 'src/b.txt' },
  { name: 'a link to a file inside', file: 'in', found: 'src/b.txt' },
  { name: 'a name with dots', file: '..c', found: '..c' },
])('finds $name', ({ file, found }) => {
  for (const root of [folder, join(top, 'alias')]) expect(fileInside(root, file)).toMatchObject({ name: found });
});

it.each([
  { name: 'nothing', file: '', fault: 'a place outside' },
  { name: 'a missing file', file: 'gone.txt', fault: 'no such file' },
  { name: 'a file below a file', file: 'a.txt/b', fault: 'no such file' },
  { name: 'a folder', file: 'src', fault: 'a folder' },
  { name: 'a pipe', file: 'pipe', fault: 'a special file' },
  { name: 'a file outside', file: '../out.txt', fault: 'a place outside' },
  { name: 'a file in a folder that begins alike', file: '../work-other/d.txt', fault: 'a place outside' },
  { name: 'an absolute path outside', file: join(top, 'out.txt'), fault: 'a place outside' },
  { name: 'a link to a file outside', file: 'out', fault: 'a link to a place outside' },
  { name: 'a way through a link outside', file: 'up/out.txt', fault: 'a link to a place outside' },
  { name: 'a link to itself', file: 'loop', fault: 'a file that cannot be read (ELOOP)' },
  { name: 'a null byte', file: 'a.txt\0', fault: 'a file that cannot be read (ERR_INVALID_ARG_VALUE)' },
])('refuses $name', ({ file, fault }) => {
  expect(fileInside(folder, file)).toEqual({ fault });
});
