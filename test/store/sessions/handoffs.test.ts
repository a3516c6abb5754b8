import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CtxbError } from '../../../src/errors.ts';
import { writeNewFile } from '../../../src/store/files/write-file.ts';
import { openContextDir } from '../../../src/store/folders/context-dir.ts';
import { unmaskedText } from '../../../src/store/masks/disk-text.ts';
import { writeHandoff } from '../../../src/store/sessions/sessions.ts';

let folder: string;
let root: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ctxb-store-'));
  root = join(folder, '.context');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const T = Date.UTC(2026, 10, 21, 8, 54, 3, 123);
const NAME = 'handoff-2026-11-21T08-54-03-123Z';
const SECRET = `ghp_${'a1B2c3D4e5F6'.repeat(3)}`;

describe('writing a handoff', () => {
  it('is readable only by its owner, and ignored by git', () => {
    const path = writeHandoff(root, T, 'x');
    expect(path).toBe(join(root, 'handoffs', `${NAME}.md`));
    expect(readFileSync(path, 'utf8')).toBe('x');
    expect((statSync(path).mode & 0o777).toString(8)).toBe('600');
    expect((statSync(join(root, 'handoffs')).mode & 0o777).toString(8)).toBe('700');
    expect(readFileSync(join(root, '.gitignore'), 'utf8')).toBe('*\n');
  });

  it('masks secrets', () => {
    const text = readFileSync(writeHandoff(root, T, `the key is ${SECRET}`), 'utf8');
    expect(text).toContain('[masked: GitHub token]');
    expect(text).not.toContain(SECRET);
  });

  it('never replaces a file', () => {
    const first = writeHandoff(root, T, 'first');
    writeFileSync(join(root, 'handoffs', `${NAME}-2.md`), 'mine');
    const second = writeHandoff(root, T, 'second');
    expect([basename(first), basename(second)]).toEqual([`${NAME}.md`, `${NAME}-3.md`]);
    expect(readFileSync(first, 'utf8')).toBe('first');
    expect(readFileSync(join(root, 'handoffs', `${NAME}-2.md`), 'utf8')).toBe('mine');
  });

  it('is refused if the folder is a link, and writes nothing to its target', () => {
    openContextDir(root);
    mkdirSync(join(folder, 'elsewhere'));
    symlinkSync(join(folder, 'elsewhere'), join(root, 'handoffs'));
    expect(() => writeHandoff(root, T, 'x')).toThrow(CtxbError);
    expect(readdirSync(join(folder, 'elsewhere'))).toStrictEqual([]);
  });

  it('is refused if a link has its name', () => {
    openContextDir(root);
    mkdirSync(join(root, 'handoffs'), { recursive: true });
    symlinkSync(join(folder, 'target'), join(root, 'handoffs', `${NAME}.md`));
    expect(() => writeHandoff(root, T, 'x')).toThrow(/symbolic link/);
    expect(existsSync(join(folder, 'target'))).toBe(false);
  });
});

describe('a new file', () => {
  it('is created once, and leaves no other files', () => {
    const path = join(folder, 'a.md');
    expect([writeNewFile(path, unmaskedText('one')), writeNewFile(path, unmaskedText('two'))]).toStrictEqual([
      true,
      false,
    ]);
    expect(readFileSync(path, 'utf8')).toBe('one');
    expect(readdirSync(folder)).toStrictEqual(['a.md']);
  });

  it('replaces nothing, not even a folder or a broken link', () => {
    mkdirSync(join(folder, 'b.md'));
    symlinkSync('nowhere', join(folder, 'c.md'));
    expect([
      writeNewFile(join(folder, 'b.md'), unmaskedText('x')),
      writeNewFile(join(folder, 'c.md'), unmaskedText('x')),
    ]).toEqual([false, false]);
    expect(readdirSync(folder).sort()).toStrictEqual(['b.md', 'c.md']);
  });

  it('suggests a remedy if the folder does not exist', () => {
    expect(() => writeNewFile(join(folder, 'gone', 'a.md'), unmaskedText('x'))).toThrow(CtxbError);
  });
});
