import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findSessionLog } from '../../src/claude/claude-folders.ts';
import type { CwdAndEnv } from '../../src/io.ts';

let root: string;

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'ctxb-log-')));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function put(name: string): string {
  const path = join(root, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, '');
  return path;
}

describe('finds the log', () => {
  const find = (more: Partial<CwdAndEnv> = {}, id = 'id', transcript?: string) =>
    findSessionLog({ id, transcript }, { env: { CLAUDE_CONFIG_DIR: join(root, 'config') }, cwd: root, ...more });
  const folder = (cwd: string) => cwd.replaceAll(/[^a-zA-Z0-9]/g, '-');

  it('in the folder of its project', () => {
    put('config/projects/-another/id.jsonl');
    const path = put(`config/projects/${folder(root)}/id.jsonl`);
    expect(find()).toBe(path);
    expect(find({}, 'other')).toBeUndefined();
  });

  // The names are what 2.1.197 and 2.1.329 made of such folders.
  it.each([
    { cwd: '/none/ümläut-日本 x', name: '-none--ml-ut----x' },
    { cwd: '/none/emoji😀x', name: '-none-emoji--x' },
    { cwd: '/none/a+b@c#d(e)[f].g_h', name: '-none-a-b-c-d-e--f--g-h' },
    {
      cwd: `/tmp/ctxb-scratch-39vbDC/work/${'y'.repeat(150)}/${'z'.repeat(150)}`,
      name: `-tmp-ctxb-scratch-39vbDC-work-${'y'.repeat(150)}-${'z'.repeat(19)}-vcor3l`,
    },
    {
      cwd: `/tmp/ctxb-scratch-dQ8bRv/work/${'y'.repeat(150)}/${'z'.repeat(150)}`,
      name: `-tmp-ctxb-scratch-dQ8bRv-work-${'y'.repeat(150)}-${'z'.repeat(19)}-u7qmx3`,
    },
  ])('of $cwd', ({ cwd, name }) => {
    const path = put(`config/projects/${name}/id.jsonl`);
    const newer = put('config/projects/-another/id.jsonl');
    utimesSync(newer, 2_000_000_000, 2_000_000_000);
    expect(find({ cwd })).toBe(path);
  });

  it('of a folder behind a link', () => {
    mkdirSync(join(root, 'real'));
    symlinkSync(join(root, 'real'), join(root, 'link'));
    const path = put(`config/projects/${folder(join(root, 'real'))}/id.jsonl`);
    expect(find({ cwd: join(root, 'link') })).toBe(path);
  });

  it('in another project: the one written last', () => {
    const old = put('config/projects/-a/id.jsonl');
    const path = put('config/projects/-b/id.jsonl');
    utimesSync(old, 1_000_000_000, 1_000_000_000);
    put('config/projects/-c/other.jsonl');
    put('config/projects/file');
    expect(find()).toBe(path);
  });

  it('in the home folder by default', () => {
    const path = put(`.claude/projects/${folder(root)}/id.jsonl`);
    expect(find({ env: { HOME: root } })).toBe(path);
    expect(find({ env: { CLAUDE_CONFIG_DIR: '', HOME: root } })).toBe(path);
  });

  it('at the path that a hook has reported', () => {
    put(`config/projects/${folder(root)}/id.jsonl`);
    const path = put('elsewhere/id.jsonl');
    expect(find({}, 'id', path)).toBe(path);
  });

  it('in its usual place if the reported one is missing or belongs to another session', () => {
    const path = put(`config/projects/${folder(root)}/id.jsonl`);
    expect(find({}, 'id', join(root, 'gone/id.jsonl'))).toBe(path);
    expect(find({}, 'id', put('elsewhere/before-clear.jsonl'))).toBe(path);
  });

  it('by the id of a session, but not by a path', () => {
    put('config/projects/id.jsonl');
    expect(find({}, '../id')).toBeUndefined();
  });
});
