import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type HandoffHead, renderHandoffFile } from '../../../src/core/memory/handoff/handoff-file.ts';
import { CtxbError } from '../../../src/errors.ts';
import { writeNewFile } from '../../../src/store/files/write-file.ts';
import { openContextDir } from '../../../src/store/folders/context-dir.ts';
import { asItIs } from '../../../src/store/masks/disk-text.ts';
import { writeHandoff } from '../../../src/store/sessions/handoffs.ts';

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

function headOf(more: Partial<HandoffHead> = {}): HandoffHead {
  const none = { reason: 'full', by: 'agent', tokens: 170_000, window: 200_000, checks: [] } as const;
  return { version: 1, t: T, session: 's1', ...none, ...more };
}

function texts(t = T, body = 'x') {
  const memory = renderHandoffFile(headOf({ t, by: 'memory' }), body);
  return { t, document: renderHandoffFile(headOf({ t }), body), memory };
}

const names = () => readdirSync(join(root, 'handoffs')).sort();

describe('writing a handoff', () => {
  it('puts both texts side by side, for their owner only, out of the sight of git', () => {
    const { document, memory } = texts();
    const written = writeHandoff(root, { t: T, document, memory });
    expect(written).toStrictEqual({
      path: join(root, 'handoffs', `${NAME}.md`),
      memoryPath: join(root, 'handoffs', `${NAME}.memory.md`),
    });
    expect(readFileSync(written.path, 'utf8')).toBe(document);
    expect(readFileSync(written.memoryPath, 'utf8')).toBe(memory);
    expect(names()).toStrictEqual([`${NAME}.md`, `${NAME}.memory.md`]);
    for (const path of Object.values(written)) expect((statSync(path).mode & 0o777).toString(8)).toBe('600');
    expect((statSync(join(root, 'handoffs')).mode & 0o777).toString(8)).toBe('700');
    expect(readFileSync(join(root, '.gitignore'), 'utf8')).toBe('*\n');
  });

  it('without a document the mechanical one alone is handed over', () => {
    const written = writeHandoff(root, { ...texts(), document: undefined });
    expect(written.path).toBe(written.memoryPath);
    expect(names()).toStrictEqual([`${NAME}.memory.md`]);
  });

  it('masks secrets', () => {
    const { path, memoryPath } = writeHandoff(root, texts(T, `the key is ${SECRET}`));
    for (const file of [path, memoryPath]) {
      expect(readFileSync(file, 'utf8')).toContain('[masked: GitHub token]');
      expect(readFileSync(file, 'utf8')).not.toContain(SECRET);
    }
  });

  it('never replaces a file, nor puts texts of two handoffs together', () => {
    const first = writeHandoff(root, { ...texts(T, 'first'), document: undefined });
    const second = writeHandoff(root, texts(T, 'second'));
    writeFileSync(join(root, 'handoffs', `${NAME}-3.md`), 'mine');
    const third = writeHandoff(root, texts(T, 'third'));
    expect(basename(second.path)).toBe(`${NAME}-2.md`);
    expect(basename(second.memoryPath)).toBe(`${NAME}-2.memory.md`);
    expect(basename(third.path)).toBe(`${NAME}-4.md`);
    expect(readFileSync(first.path, 'utf8')).toContain('first');
    expect(readFileSync(join(root, 'handoffs', `${NAME}-3.md`), 'utf8')).toBe('mine');
    expect(existsSync(join(root, 'handoffs', `${NAME}-3.memory.md`))).toBe(false);
  });

  it('is refused where the folder is a link, and writes nothing behind it', () => {
    openContextDir(root);
    mkdirSync(join(folder, 'elsewhere'));
    symlinkSync(join(folder, 'elsewhere'), join(root, 'handoffs'));
    expect(() => writeHandoff(root, texts())).toThrow(CtxbError);
    expect(readdirSync(join(folder, 'elsewhere'))).toStrictEqual([]);
  });

  it('is refused where a link has its name', () => {
    openContextDir(root);
    mkdirSync(join(root, 'handoffs'), { recursive: true });
    symlinkSync(join(folder, 'target'), join(root, 'handoffs', `${NAME}.md`));
    expect(() => writeHandoff(root, texts())).toThrow(/symbolic link/);
    expect(existsSync(join(folder, 'target'))).toBe(false);
  });
});

describe('a new file', () => {
  it('is made once, and leaves nothing else behind', () => {
    const path = join(folder, 'a.md');
    expect([writeNewFile(path, asItIs('one')), writeNewFile(path, asItIs('two'))]).toStrictEqual([true, false]);
    expect(readFileSync(path, 'utf8')).toBe('one');
    expect(readdirSync(folder)).toStrictEqual(['a.md']);
  });

  it('takes the place of nothing, a folder and a broken link included', () => {
    mkdirSync(join(folder, 'b.md'));
    symlinkSync('nowhere', join(folder, 'c.md'));
    expect([writeNewFile(join(folder, 'b.md'), asItIs('x')), writeNewFile(join(folder, 'c.md'), asItIs('x'))]).toEqual([
      false,
      false,
    ]);
    expect(readdirSync(folder).sort()).toStrictEqual(['b.md', 'c.md']);
  });

  it('says what to do where the folder is not there', () => {
    expect(() => writeNewFile(join(folder, 'gone', 'a.md'), asItIs('x'))).toThrow(CtxbError);
  });
});
