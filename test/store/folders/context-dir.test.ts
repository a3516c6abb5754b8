import { existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openContextDir } from '../../../src/store/folders/context-dir.ts';
import { unmaskedText } from '../../../src/store/masks/disk-text.ts';

let folder: string;
let root: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ctxb-store-'));
  root = join(folder, 'a/.context');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

function mode(path: string): string {
  return (statSync(path).mode & 0o777).toString(8);
}

describe('a context folder', () => {
  it('is created with its parent folders, private and ignored by git', () => {
    openContextDir(root);
    expect(mode(root)).toBe('700');
    expect(readFileSync(join(root, '.gitignore'), 'utf8')).toBe('*\n');
  });

  it('appends lines and writes texts, readable only by the owner', () => {
    const dir = openContextDir(root);
    dir.append('log', unmaskedText('one'));
    dir.append('log', unmaskedText('two'));
    dir.write('deep/er/text', unmaskedText('old and long'));
    dir.write('deep/er/text', unmaskedText('new'));
    expect(readFileSync(join(root, 'log'), 'utf8')).toBe('one\ntwo\n');
    expect(readFileSync(join(root, 'deep/er/text'), 'utf8')).toBe('new');
    expect([mode(join(root, 'log')), mode(join(root, 'deep/er')), mode(join(root, 'deep/er/text'))]).toEqual([
      '600',
      '700',
      '600',
    ]);
  });

  it('appends nothing for an empty text', () => {
    const dir = openContextDir(root);
    for (const lines of ['', 'one', '', 'two\nthree\n', '']) dir.append('log', unmaskedText(lines));
    expect(readFileSync(dir.place('log'), 'utf8')).toBe('one\ntwo\nthree\n');
  });

  it('can be opened again', () => {
    openContextDir(root).append('log', unmaskedText('one'));
    openContextDir(root).append('log', unmaskedText('two'));
    expect(readFileSync(join(root, 'log'), 'utf8')).toBe('one\ntwo\n');
  });

  it.each(['../outside', '/etc/outside', '..', 'a/../../outside', '.'])('does not write to %s', (file) => {
    const dir = openContextDir(root);
    expect(() => dir.append(file, unmaskedText('x'))).toThrow(/not inside|is a folder/);
    expect(existsSync(join(folder, 'a/outside'))).toBe(false);
  });

  it.each([
    {
      title: 'a symbolic link to a file',
      make: (path: string) => symlinkSync(join(folder, 'target'), path),
      says: 'symbolic link',
    },
    { title: 'a folder', make: (path: string) => mkdirSync(path), says: 'folder' },
  ])('does not write to a file that is $title', ({ make, says }) => {
    writeFileSync(join(folder, 'target'), 'theirs');
    const dir = openContextDir(root);
    make(join(root, 'log'));
    expect(() => dir.append('log', unmaskedText('x'))).toThrow(says);
    expect(() => dir.write('log', unmaskedText('x'))).toThrow(says);
    expect(readFileSync(join(folder, 'target'), 'utf8')).toBe('theirs');
  });

  it('does not write through a folder that is a symbolic link', () => {
    const dir = openContextDir(root);
    mkdirSync(join(folder, 'elsewhere'));
    symlinkSync(join(folder, 'elsewhere'), join(root, 'prompts'));
    expect(() => dir.write('prompts/x', unmaskedText('x'))).toThrow('symbolic link');
    expect(() => dir.write('prompts/deep/x', unmaskedText('x'))).toThrow('symbolic link');
    expect(existsSync(join(folder, 'elsewhere/x'))).toBe(false);
    expect(existsSync(join(folder, 'elsewhere/deep/x'))).toBe(false);
  });

  it('is refused if .gitignore is a symbolic link, and the target stays unchanged', () => {
    mkdirSync(root, { recursive: true });
    symlinkSync(join(folder, 'target'), join(root, '.gitignore'));
    try {
      openContextDir(root);
    } catch {
      // Refusing is as good as leaving it alone.
    }
    expect(existsSync(join(folder, 'target'))).toBe(false);
  });
});
