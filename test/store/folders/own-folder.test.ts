import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkFolder, claimFolder, openContextDir } from '../../../src/store/folders/context-dir.ts';
import { unmaskedText } from '../../../src/store/masks/disk-text.ts';

const JOURNAL_LINE = '{"v":1,"t":"2026-01-02T12:00:00.000Z","kind":"start"}\n';

let folder: string;
let root: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ctxb-own-'));
  root = join(folder, '.context');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

function put(files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(root, name, '..'), { recursive: true });
    writeFileSync(join(root, name), text);
  }
}

function mode(path: string): string {
  return (statSync(path).mode & 0o777).toString(8);
}

describe('a folder is ctxb’s when', () => {
  it.each([
    { title: 'it is not there yet', files: undefined },
    { title: 'it holds only the mark of the folder that it is a copy of', files: { 'CTXB.TAG': 'folder 1\n' } },
    { title: 'it holds only what ctxb makes', files: { '.gitignore': '*\n', 'journal.ndjson': JOURNAL_LINE } },
  ])('$title', ({ files }) => {
    if (files !== undefined) {
      mkdirSync(root, { mode: 0o700 });
      put(files);
    }
    openContextDir(root);
    expect(readFileSync(join(root, 'CTXB.TAG'), 'utf8')).toMatch(/^ctxb made this folder.*\nfolder \d+\n$/s);
    expect(readFileSync(join(root, '.gitignore'), 'utf8')).toBe('*\n');
  });

  it('it has its mark, even renamed and with other files added later', () => {
    openContextDir(root);
    put({ 'mine.txt': 'mine', 'hooks/mine.sh': 'mine' });
    const moved = join(folder, 'moved');
    renameSync(root, moved);
    openContextDir(moved);
    expect(readFileSync(join(moved, 'hooks/mine.sh'), 'utf8')).toBe('mine');
  });

  it('it is a copy of one, without other files', () => {
    openContextDir(root).append('journal.ndjson', unmaskedText('one'));
    cpSync(root, join(folder, 'copy'), { recursive: true });
    openContextDir(join(folder, 'copy')).append('journal.ndjson', unmaskedText('two'));
    expect(readFileSync(join(folder, 'copy/journal.ndjson'), 'utf8')).toBe('one\ntwo\n');
  });
});

it.each([{}, { '.gitignore': '' }, { '.gitignore': '*\n' }])('an empty folder is not ctxb’s: %j', (files) => {
  mkdirSync(root);
  put(files);
  expect(() => openContextDir(root)).toThrow('is not a folder that ctxb made: name another folder');
  expect(readdirSync(root)).toEqual(Object.keys(files));
});

describe('a path inside of git is refused, even if it does not exist:', () => {
  it.each(['.git', '.git/ctxb', 'a/.GIT/b', 'link/ctxb'])('%s', (name) => {
    mkdirSync(join(folder, 'repository/.git/hooks'), { recursive: true });
    symlinkSync(join(folder, 'repository/.git/hooks'), join(folder, 'link'));
    const path = join(folder, name);
    expect(() => openContextDir(path)).toThrow(
      `${path} belongs to git: name another folder (contextDir, --context-dir)`,
    );
    expect(() => checkFolder(path)).toThrow('belongs to git');
    expect(existsSync(path)).toBe(false);
  });
});

it('a new folder is created together with its mark', () => {
  for (let time = 1; time <= 3; time++) openContextDir(join(folder, 'deep/er'));
  expect(readdirSync(join(folder, 'deep'))).toEqual(['er']);
  expect(existsSync(join(folder, 'deep/er/CTXB.TAG'))).toBe(true);
});

describe('a folder is not ctxb’s when it holds', () => {
  it.each([
    {
      title: 'settings and hooks of claude',
      files: { 'settings.json': '{}', 'hooks/mine.sh': 'x' },
      says: 'holds hooks, settings.json, which',
    },
    { title: 'only hooks', files: { 'hooks/pre-commit': 'x' }, says: 'holds hooks, which' },
    {
      title: 'sources',
      files: { 'a.ts': '', 'b.ts': '', 'c.ts': '', 'd.ts': '' },
      says: 'holds a.ts, b.ts, c.ts and more, which',
    },
    { title: 'a .gitignore of its own', files: { '.gitignore': '!*\n' }, says: 'holds .gitignore, which' },
    {
      title: 'names of ours and no sign of us',
      files: { 'inbox/january.json': '{}' },
      says: 'is not a folder that ctxb made',
    },
    {
      title: 'what ctxb left in somebody’s folder',
      files: { '.gitignore': '*\n', 'journal.ndjson': JOURNAL_LINE, 'mine.txt': '' },
      says: 'holds mine.txt, which',
    },
  ])('$title', ({ files, says }) => {
    put(files);
    const before = readdirSync(root, { recursive: true }).sort();
    expect(() => openContextDir(root)).toThrow(says);
    expect(() => openContextDir(root)).toThrow('name another folder (contextDir, --context-dir)');
    expect(readdirSync(root, { recursive: true }).sort()).toEqual(before);
  });

  it('a mark that was copied with it', () => {
    openContextDir(join(folder, 'other'));
    put({ 'CTXB.TAG': readFileSync(join(folder, 'other/CTXB.TAG'), 'utf8'), 'settings.json': '{}' });
    expect(() => openContextDir(root)).toThrow('holds settings.json, which ctxb did not make');
  });

  it('a link in place of one of our files', () => {
    put({ '.gitignore': '*\n' });
    symlinkSync('../elsewhere', join(root, 'journal.ndjson'));
    expect(() => openContextDir(root)).toThrow('holds journal.ndjson, which ctxb did not make');
    expect(existsSync(join(folder, 'elsewhere'))).toBe(false);
  });
});

describe('on opening', () => {
  it('a folder that others can enter is closed to them, with all our files in it', () => {
    const dir = openContextDir(root);
    dir.write('sessions/a/scratch.md', unmaskedText('x'));
    put({ 'mine.txt': 'mine' });
    for (const name of ['', 'sessions', 'sessions/a']) chmodSync(join(root, name), 0o755);
    for (const name of ['sessions/a/scratch.md', 'mine.txt']) chmodSync(join(root, name), 0o644);
    expect(claimFolder(root)).toEqual([`${root} was open to other users (mode 755), and is yours alone now`]);
    expect(['', 'sessions', 'sessions/a'].map((name) => mode(join(root, name)))).toEqual(['700', '700', '700']);
    expect(mode(join(root, 'sessions/a/scratch.md'))).toBe('600');
    expect(mode(join(root, 'mine.txt'))).toBe('644');
    expect(claimFolder(root)).toEqual([]);
  });

  it('a file that others can read becomes private when it is written', () => {
    const dir = openContextDir(root);
    dir.append('journal.ndjson', unmaskedText('one'));
    chmodSync(join(root, 'journal.ndjson'), 0o644);
    dir.append('journal.ndjson', unmaskedText('two'));
    expect(mode(join(root, 'journal.ndjson'))).toBe('600');
  });

  it.each(['', '# nothing\n', '*\n!*\n'])('a .gitignore of %j ignores everything again', (text) => {
    openContextDir(root);
    writeFileSync(join(root, '.gitignore'), text);
    expect(claimFolder(root)).toEqual([`${root}/.gitignore did not have git ignore the folder, and does now`]);
    expect(readFileSync(join(root, '.gitignore'), 'utf8')).toBe('*\n');
    rmSync(join(root, '.gitignore'));
    expect(claimFolder(root)).toEqual([]);
    expect(existsSync(join(root, '.gitignore'))).toBe(true);
  });
});

// Only root can give a file to somebody else.
describe.runIf(process.getuid?.() === 0)('files of another user are refused:', () => {
  const OTHER = 12_345;

  it('the folder', () => {
    openContextDir(root);
    chownSync(root, OTHER, OTHER);
    expect(() => openContextDir(root)).toThrow(`${root} belongs to another user (${OTHER}, you are 0)`);
  });

  it('a file in a folder that others could enter, each time the folder is opened', () => {
    openContextDir(root).append('journal.ndjson', unmaskedText('one'));
    chownSync(join(root, 'journal.ndjson'), OTHER, OTHER);
    chmodSync(root, 0o777);
    for (let time = 1; time <= 2; time++) expect(() => openContextDir(root)).toThrow('belongs to another user');
  });

  it('a file that is appended to', () => {
    const dir = openContextDir(root);
    dir.append('journal.ndjson', unmaskedText('one'));
    chownSync(join(root, 'journal.ndjson'), OTHER, OTHER);
    expect(() => dir.append('journal.ndjson', unmaskedText('two'))).toThrow('belongs to another user');
    expect(readFileSync(join(root, 'journal.ndjson'), 'utf8')).toBe('one\n');
  });
});
