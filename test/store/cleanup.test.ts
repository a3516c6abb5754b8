import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CtxbError } from '../../src/errors.ts';
import { cleanContextDir, KNOWN } from '../../src/store/cleanup.ts';
import { openContextDir } from '../../src/store/context-dir.ts';
import { createInbox } from '../../src/store/inbox.ts';
import { openSessionFolder, type SessionFolder } from '../../src/store/session-folder.ts';

let folder: string;
let root: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ctxb-store-'));
  root = join(folder, '.context');
  mkdirSync(join(folder, 'theirs'));
  writeFileSync(join(folder, 'theirs/file'), 'theirs');
});
afterEach(async () => {
  expect(readFileSync(join(folder, 'theirs/file'), 'utf8')).toBe('theirs');
  await rm(folder, { recursive: true, force: true });
});

function session(id: string, minute = 0): SessionFolder {
  const now = () => Date.UTC(2026, 0, 2, 12, minute);
  const opened = openSessionFolder(root, id, { pid: process.pid, runId: `run-${id}`, now });
  opened.append('memory.ndjson', '{}\n');
  opened.writeIndex('index');
  return opened;
}

/** Everything that ctxb makes. */
function fill(): void {
  const dir = openContextDir(root);
  for (const [name, kind] of Object.entries(KNOWN)) {
    if (name !== '.gitignore') dir.write(kind === 'file' ? name : `${name}/deep/file`, 'x');
  }
  session('abc').close();
}

describe('a clean-up', () => {
  it('removes everything that ctxb makes, and then the folder', () => {
    fill();
    writeFileSync(join(root, 'scratch.md.1234567890'), 'left by a run that was killed');
    const { removed, ...rest } = cleanContextDir(root);
    expect(rest).toEqual({ left: [], running: [] });
    const names = Object.keys(KNOWN).filter((name) => name !== 'sessions');
    expect(removed.toSorted()).toEqual([...names, 'scratch.md.1234567890', 'sessions/abc', 'sessions/deep'].toSorted());
    expect(removed.at(-1)).toBe('.gitignore');
    expect(existsSync(root)).toBe(false);
  });

  it('does nothing where there is nothing', () => {
    expect(cleanContextDir(root)).toEqual({ removed: [], left: [], running: [] });
  });

  it('leaves foreign things, and names them', () => {
    fill();
    writeFileSync(join(root, 'notes.md'), 'mine');
    mkdirSync(join(root, 'pictures'));
    writeFileSync(join(root, 'sessions/readme'), 'mine');
    mkdirSync(join(root, 'journal.ndjson.old'));
    writeFileSync(join(root, 'constructor'), 'mine');
    const { left } = cleanContextDir(root);
    const stay = ['constructor', 'journal.ndjson.old', 'notes.md', 'pictures'];
    expect(left).toEqual(['sessions/readme', ...stay]);
    expect(readdirSync(root).sort()).toEqual([...stay, 'sessions']);
  });

  it('leaves what has a name of ours and is of another kind or content', () => {
    const dir = openContextDir(root);
    dir.append('journal.ndjson', '{}');
    mkdirSync(join(root, 'scratch.md'));
    writeFileSync(join(root, 'prompts'), 'mine');
    writeFileSync(join(root, '.gitignore'), '*\n!keep\n');
    expect(cleanContextDir(root)).toEqual({
      removed: ['journal.ndjson'],
      left: ['prompts', 'scratch.md', '.gitignore'],
      running: [],
    });
  });

  it('removes links themselves and never follows them', () => {
    fill();
    for (const name of ['prompts/link', 'sessions/link', 'sessions/abc/link'])
      symlinkSync(join(folder, 'theirs'), join(root, name));
    expect(cleanContextDir(root).left).toEqual([]);
    expect(existsSync(root)).toBe(false);
  });

  it.each(['sessions', 'inbox', 'journal.ndjson'])('removes a link that is called %s', (name) => {
    openContextDir(root);
    symlinkSync(join(folder, 'theirs'), join(root, name));
    expect(cleanContextDir(root)).toMatchObject({ removed: [name, '.gitignore'], left: [] });
  });
});

describe('while something is running, a clean-up', () => {
  it('removes only sessions that are over', () => {
    fill();
    const open = session('open');
    writeFileSync(join(root, 'notes.md'), 'mine');
    expect(cleanContextDir(root)).toEqual({
      removed: ['sessions/abc', 'sessions/deep'],
      left: ['notes.md'],
      running: ['open'],
    });
    expect(readdirSync(root).sort()).toEqual([...Object.keys(KNOWN), 'notes.md'].sort());
    open.append('memory.ndjson', '{}\n');
    expect([...open.logLines()]).toHaveLength(2);
    open.close();
    cleanContextDir(root);
    expect(readdirSync(root)).toEqual(['notes.md']);
  });

  it('leaves what belongs to a run that has no session yet', () => {
    const inbox = createInbox(root, 'the-run');
    expect(cleanContextDir(root)).toEqual({ removed: [], left: [], running: ['the-run'] });
    inbox.dispose();
    expect(cleanContextDir(root).running).toEqual([]);
    expect(existsSync(root)).toBe(false);
  });
});

describe('a clean-up that keeps some', () => {
  it.each([
    { keep: 9, removed: [] },
    { keep: 2, removed: ['sessions/b', 'sessions/a'] },
    { keep: 0, removed: ['sessions/d', 'sessions/c', 'sessions/b', 'sessions/a'] },
  ])('$keep removes older sessions and nothing else', ({ keep, removed }) => {
    for (const [minute, id] of ['a', 'b', 'c', 'd'].entries()) session(id, minute).close();
    writeFileSync(join(root, 'sessions/readme'), 'mine');
    expect(cleanContextDir(root, { keep })).toEqual({ removed, left: [], running: [] });
    expect(readdirSync(root).sort()).toEqual(['.gitignore', 'scratch.md', 'sessions']);
    expect(readdirSync(join(root, 'sessions'))).toHaveLength(5 - removed.length);
  });

  it('leaves one that is running', () => {
    const open = session('a', 1);
    session('b', 2).close();
    expect(cleanContextDir(root, { keep: 1 })).toEqual({ removed: [], left: [], running: ['a'] });
    open.close();
  });

  it.each([-1, 1.5, Number.NaN])('%d is refused', (keep) => {
    expect(() => cleanContextDir(root, { keep })).toThrow(/expected a whole number/);
  });
});

describe('a clean-up is refused', () => {
  it.each([
    { title: 'a link', path: 'link', says: /symbolic link, not a folder/ },
    { title: 'a link with a slash', path: 'link/', says: /symbolic link, not a folder/ },
    { title: 'a file', path: 'theirs/file', says: /is a file, not a folder/ },
    { title: 'a foreign folder', path: 'theirs', says: /not a folder that ctxb made/ },
    { title: 'the working folder', path: '.context', says: /holds the working folder/, cwd: '.context' },
    { title: 'a folder above it', path: '.context', says: /holds the working folder/, cwd: '.context/a/b' },
    { title: 'one reached by a link', path: '.context', says: /holds the working folder/, cwd: 'link/a' },
    { title: 'home', path: '.context', says: /your home/, home: '.context' },
    { title: 'the folder of all homes', path: '.context', says: /your home/, home: '.context/me' },
    { title: 'the root', path: '/', says: /holds the working folder/ },
  ])('for $title', ({ path, says, cwd = '', home = '' }) => {
    fill();
    mkdirSync(join(root, 'a/b'), { recursive: true });
    symlinkSync('.context', join(folder, 'link'));
    const target = path === '/' ? '/' : `${folder}/${path}`;
    const clean = () => cleanContextDir(target, { cwd: join(folder, cwd), home: join(folder, home) });
    expect(clean).toThrow(says);
    expect(clean).toThrow(CtxbError);
    expect(existsSync(join(root, 'journal.ndjson'))).toBe(true);
  });

  it('for a folder that only looks like ours', () => {
    mkdirSync(join(root, 'prompts'), { recursive: true });
    writeFileSync(join(root, 'scratch.md'), 'mine');
    writeFileSync(join(root, '.gitignore'), 'node_modules\n');
    expect(() => cleanContextDir(root)).toThrow(/not a folder that ctxb made/);
    expect(readdirSync(root)).toHaveLength(3);
  });

  it('but not for a name that begins like the working folder', () => {
    fill();
    mkdirSync(join(folder, '.context-of-mine'));
    cleanContextDir(root, { cwd: join(folder, '.context-of-mine') });
    expect(existsSync(root)).toBe(false);
  });
});
