import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { isLocked, takeLock } from '../../../src/store/files/lock.ts';
import { processMark } from '../../../src/store/files/process-mark.ts';
import { type ContextDir, openContextDir } from '../../../src/store/folders/context-dir.ts';

let root: string;
let dir: ContextDir;

beforeEach(async () => {
  root = join(await mkdtemp(join(tmpdir(), 'ctxb-store-')), '.context');
  dir = openContextDir(root);
});
afterEach(() => rm(join(root, '..'), { recursive: true, force: true }));

const HERE = processMark(process.pid);

function locks(): string[] {
  return readdirSync(root).filter((name) => name.startsWith('lock'));
}

it('is taken, seen by others, and released', () => {
  const lock = takeLock(dir, 'here');
  expect(locks()).toEqual(['lock.here']);
  expect(JSON.parse(readFileSync(join(root, 'lock.here'), 'utf8'))).toEqual(HERE);
  expect(isLocked(root)).toBe(true);
  expect(takeLock(dir, 'other')).toBeUndefined();
  expect(locks()).toEqual(['lock.here']);
  lock?.release();
  lock?.release();
  expect(isLocked(root)).toBe(false);
  expect(locks()).toEqual([]);
});

it.each([
  { title: 'empty', text: '' },
  { title: 'torn', text: '{"pid":1' },
  { title: 'no object', text: '1' },
  { title: 'of no process', text: '{"pid":-1,"runId":"gone"}' },
  { title: 'of every process of the group', text: '{"pid":0,"runId":"gone"}' },
  { title: 'with a process id that is not a whole number', text: `{"pid":${process.pid}.5,"runId":"gone"}` },
  { title: 'longer than any lock', text: `{"pid":${process.pid},"runId":"${'x'.repeat(5000)}"}` },
])('is taken over if it is $title', ({ text }) => {
  writeFileSync(join(root, 'lock.gone'), text);
  expect(isLocked(root)).toBe(false);
  expect(takeLock(dir, 'here')).toBeDefined();
  expect(locks()).toEqual(['lock.here']);
});

it('is taken over from a killed run with the same id', () => {
  writeFileSync(join(root, 'lock.here'), JSON.stringify({ ...HERE, pid: -1 }));
  expect(takeLock(dir, 'here')).toBeDefined();
  expect(JSON.parse(readFileSync(join(root, 'lock.here'), 'utf8'))).toEqual(HERE);
});

it.runIf(process.platform === 'linux')('is taken over if another process has the same process id now', () => {
  writeFileSync(join(root, 'lock.1'), JSON.stringify({ ...HERE, start: '1' }));
  expect(takeLock(dir, 'here')).toBeDefined();
});

it('without a start time is held while any process has its process id', () => {
  writeFileSync(join(root, 'lock.1'), JSON.stringify({ pid: process.pid, runId: 'here' }));
  expect(takeLock(dir, 'here')).toBeUndefined();
});

it('is not released if the folder was recreated and another run holds it', () => {
  const lock = takeLock(dir, 'here');
  rmSync(root, { recursive: true });
  takeLock(openContextDir(root), 'other');
  lock?.release();
  expect(locks()).toEqual(['lock.other']);
});

it.each([
  { title: 'a link', put: (path: string) => symlinkSync('/dev/null', path) },
  { title: 'a folder', put: (path: string) => mkdirSync(path) },
])('is refused if $title is in its place, which does not count as a lock', ({ put }) => {
  put(join(root, 'lock.1'));
  expect(() => takeLock(dir, 'here')).toThrow(/lock\.1 is a .* move it away/);
  expect(isLocked(root)).toBe(false);
});

it.each(['lock', 'lock.', 'lock.1.2', 'xlock.1'])('ignores a file named %s', (name) => {
  writeFileSync(join(root, name), JSON.stringify(HERE));
  expect(isLocked(root)).toBe(false);
});

it('is not held if the folder does not exist', () => {
  expect(isLocked(join(root, 'none'))).toBe(false);
});
