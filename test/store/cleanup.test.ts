import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { CtxbError } from '../../src/errors.ts';
import { type CleanupOptions, carryOutCleanup, planCleanup } from '../../src/store/cleanup.ts';
import { processMark } from '../../src/store/files/process-mark.ts';
import { openContextDir } from '../../src/store/folders/context-dir.ts';
import { unmaskedText } from '../../src/store/masks/disk-text.ts';
import { openFlowRun } from '../../src/store/runs/flow-run.ts';
import { createInbox } from '../../src/store/runs/inbox.ts';
import { openSessionFolder, type SessionFolder } from '../../src/store/sessions/sessions.ts';

let folder: string;
let root: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ctxb-store-'));
  root = join(folder, '.context');
  vi.useFakeTimers({ toFake: ['Date'] });
  mkdirSync(join(folder, 'theirs'));
  writeFileSync(join(folder, 'theirs/file'), 'theirs');
});
afterEach(async () => {
  vi.useRealTimers();
  expect(readFileSync(join(folder, 'theirs/file'), 'utf8')).toBe('theirs');
  await rm(folder, { recursive: true, force: true });
});

function session(id: string, minute = 0): SessionFolder {
  vi.setSystemTime(minute * 60_000);
  const opened = openSessionFolder(root, id, `run-${id}`);
  opened.append('memory.ndjson', unmaskedText('{}\n'));
  opened.writeIndex(unmaskedText('index'));
  return opened;
}

/** A file of each kind that ctxb makes, by unit of a clean-up. */
const MADE: Readonly<Record<string, readonly string[]>> = {
  flows: ['run.json', 'lock.abc', 'one/stream-2.ndjson', 'one/summary-0123456789abcdef.json'].map(
    (name) => `flows/20260102T120000000-0a1b-job/${name}`,
  ),
  handoffs: ['handoffs/handoff-2026-01-02T12-00-00-000Z-2.md', 'handoffs/handoff-2026-01-02T12-00-00-000Z.md'],
  'health-20260102T120000000-0a1b.ndjson': ['health-20260102T120000000-0a1b.ndjson'],
  'health.ndjson': ['health.ndjson'],
  inbox: ['inbox/run-1.ndjson'],
  'journal.ndjson': ['journal.ndjson'],
  'mailbox.ndjson': ['mailbox.ndjson'],
  prompts: ['prompts/abc.md'],
  runs: ['runs/run-1.ndjson'],
  'scratch.md': ['scratch.md'],
  'tool-results': ['tool-results/toolu_01-2.txt'],
};
const UNITS = [...Object.keys(MADE), 'sessions', 'sessions/abc'].sort();

/** Everything that ctxb makes. */
function fill(): void {
  const dir = openContextDir(root);
  for (const name of Object.values(MADE).flat()) dir.write(name, unmaskedText('x'));
  session('abc').close();
}

/** Does it, and says what came of it. */
function clean(options: Partial<CleanupOptions> = {}, path = root) {
  const plan = planCleanup(path, { cwd: tmpdir(), ...options });
  carryOutCleanup(plan);
  const { left, running } = plan;
  return { removed: plan.remove.map(({ name }) => name).sort(), left, running };
}

describe('a clean-up', () => {
  it('removes everything that ctxb makes, and then the folder', () => {
    fill();
    writeFileSync(join(root, 'scratch.md.1234567890'), 'left by a run that was killed');
    const units = [...UNITS, 'scratch.md.1234567890'].sort();
    expect(clean()).toEqual({ removed: units, left: [], running: [] });
    expect(existsSync(root)).toBe(false);
  });

  it('does nothing if the folder does not exist', () => {
    expect(clean()).toEqual({ removed: [], left: [], running: [] });
  });

  it('keeps and names foreign files even in folders of ctxb, and then keeps the folder', () => {
    fill();
    const foreign = [
      'constructor',
      'flows/mine.sh',
      'notes.md',
      'pictures',
      'prompts/mine.txt',
      'sessions/abc/mine.md',
      'sessions/readme.txt',
    ];
    for (const name of foreign) {
      mkdirSync(join(root, name, '..'), { recursive: true });
      if (name === 'pictures') mkdirSync(join(root, name));
      else writeFileSync(join(root, name), 'mine');
    }
    expect(clean().left.toSorted()).toEqual(foreign);
    const files = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    const names = files.map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1));
    const stay = foreign.filter((name) => name !== 'pictures');
    expect(names.sort()).toEqual(['.gitignore', 'CTXB.TAG', ...stay].sort());
    expect(clean().removed).toEqual(['flows', 'prompts', 'sessions', 'sessions/abc']);
    openContextDir(root);
  });

  it('keeps an entry with a name of ctxb but another kind', () => {
    const dir = openContextDir(root);
    dir.append('journal.ndjson', unmaskedText('{}'));
    mkdirSync(join(root, 'scratch.md'));
    writeFileSync(join(root, 'prompts'), 'mine');
    expect(clean()).toEqual({ removed: ['journal.ndjson'], left: ['prompts', 'scratch.md'], running: [] });
  });

  it('removes links themselves and never follows them', () => {
    openContextDir(root);
    mkdirSync(join(root, 'prompts'));
    for (const name of ['prompts/link.md', 'inbox', 'journal.ndjson'])
      symlinkSync(join(folder, 'theirs'), join(root, name));
    expect(clean().left).toEqual([]);
    expect(existsSync(root)).toBe(false);
  });
});

describe('while something is running, a clean-up', () => {
  it('removes only completed sessions', () => {
    fill();
    const open = session('open');
    writeFileSync(join(root, 'notes.md'), 'mine');
    const before = readdirSync(root);
    expect(clean()).toEqual({ removed: ['sessions/abc'], left: ['notes.md'], running: ['open'] });
    expect(readdirSync(root)).toEqual(before);
    open.append('memory.ndjson', unmaskedText('{}\n'));
    expect([...open.logLines()]).toHaveLength(2);
    open.close();
    clean();
    expect(readdirSync(root).sort()).toEqual(['.gitignore', 'CTXB.TAG', 'notes.md']);
  });

  it('keeps everything of a run without notes', () => {
    fill();
    const journal = (entry: object) =>
      openContextDir(root).append('journal.ndjson', unmaskedText(JSON.stringify(entry)));
    journal({ kind: 'start', runId: 'killed', ctxb: { ...processMark(process.pid), start: '1' } });
    journal({ kind: 'start', runId: 'quiet', ctxb: processMark(process.pid) });
    expect(clean()).toEqual({ removed: ['sessions/abc'], left: [], running: ['quiet'] });
    journal({ kind: 'end', runId: 'quiet' });
    clean();
    expect(existsSync(root)).toBe(false);
  });

  it('keeps the session of a run that a living process is about to resume', () => {
    fill();
    session('other').close();
    const journal = (entry: object) =>
      openContextDir(root).append('journal.ndjson', unmaskedText(JSON.stringify(entry)));
    journal({ kind: 'start', runId: 'ended', ctxb: { ...processMark(process.pid), start: '1' } });
    journal({ kind: 'session', runId: 'ended', id: 'abc' });
    journal({ kind: 'end', runId: 'ended' });
    journal({ kind: 'start', runId: 'ended', ctxb: processMark(process.pid) });
    expect(clean({ keep: 0 })).toEqual({ removed: ['sessions/other'], left: [], running: ['abc'] });
    expect(clean()).toEqual({ removed: [], left: [], running: ['abc'] });
  });

  it('keeps everything of a flow between two sessions of its steps', () => {
    fill();
    const id = '20260102T120000000-0a1b-job';
    const lock = openFlowRun(root, id).lock();
    expect(clean()).toEqual({ removed: ['sessions/abc'], left: [], running: [id] });
    lock.release();
    clean();
    expect(existsSync(root)).toBe(false);
  });

  it('keeps everything of a run that has no session yet', () => {
    const inbox = createInbox(root, 'the-run');
    expect(clean()).toEqual({ removed: [], left: [], running: ['the-run'] });
    inbox.dispose();
    expect(clean().running).toEqual([]);
    expect(existsSync(root)).toBe(false);
  });
});

describe('a clean-up with keep', () => {
  it.each([
    { keep: 9, removed: [] },
    { keep: 2, removed: ['sessions/a', 'sessions/b'] },
    { keep: 0, removed: ['sessions/a', 'sessions/b', 'sessions/c', 'sessions/d'] },
  ])('$keep removes older sessions and nothing else', ({ keep, removed }) => {
    for (const [minute, id] of ['a', 'b', 'c', 'd'].entries()) session(id, minute).close();
    writeFileSync(join(root, 'sessions/readme.txt'), 'mine');
    expect(clean({ keep })).toEqual({ removed, left: [], running: [] });
    expect(readdirSync(root).sort()).toEqual(['.gitignore', 'CTXB.TAG', 'scratch.md', 'sessions']);
    expect(readdirSync(join(root, 'sessions'))).toHaveLength(5 - removed.length);
  });

  it('keeps a running session', () => {
    const open = session('a', 1);
    session('b', 2).close();
    expect(clean({ keep: 1 })).toEqual({ removed: [], left: [], running: ['a'] });
    open.close();
  });
});

describe('a clean-up is refused', () => {
  it.each([
    { title: 'a link', path: 'link', says: /symbolic link, not a folder/ },
    { title: 'a link with a slash', path: 'link/', says: /symbolic link, not a folder/ },
    { title: 'a file', path: 'theirs/file', says: /is a file, not a folder/ },
    { title: 'a foreign folder', path: 'theirs', says: /theirs holds file, which ctxb did not make/ },
    { title: 'an empty folder', path: 'empty', says: /not a folder that ctxb made/ },
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
    mkdirSync(join(folder, 'empty'));
    const refused = () => clean({ cwd: join(folder, cwd), home: join(folder, home) }, target);
    expect(refused).toThrow(says);
    expect(refused).toThrow(CtxbError);
    expect(existsSync(join(root, 'journal.ndjson'))).toBe(true);
  });

  it('for a folder that only looks like ours', () => {
    mkdirSync(join(root, 'prompts'), { recursive: true });
    writeFileSync(join(root, 'scratch.md'), 'mine');
    writeFileSync(join(root, '.gitignore'), 'node_modules\n');
    expect(() => clean()).toThrow(/holds \.gitignore, which ctxb did not make/);
    writeFileSync(join(root, '.gitignore'), '');
    expect(() => clean()).toThrow(/not a folder that ctxb made/);
    expect(readdirSync(root)).toHaveLength(3);
  });

  it('but not for a path that only starts like the working folder', () => {
    fill();
    mkdirSync(join(folder, '.context-of-mine'));
    clean({ cwd: join(folder, '.context-of-mine') });
    expect(existsSync(root)).toBe(false);
  });
});
