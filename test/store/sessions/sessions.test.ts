import { mkdirSync, readdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { CtxbError } from '../../../src/errors.ts';
import { unmaskedText } from '../../../src/store/masks/disk-text.ts';
import {
  findSession,
  listSessions,
  openSessionFolder,
  type SessionFolder,
} from '../../../src/store/sessions/sessions.ts';

let folder: string;
let root: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ctxb-store-'));
  root = join(folder, '.context');
  vi.useFakeTimers({ toFake: ['Date'] });
});
afterEach(async () => {
  vi.useRealTimers();
  await rm(folder, { recursive: true, force: true });
});

function session(id: string, minute: number, runId = `run-${id}`): SessionFolder {
  vi.setSystemTime(timeOf(minute));
  return openSessionFolder(root, id, runId);
}

const timeOf = (minute: number) => Date.UTC(2026, 0, 2, 12, minute);

describe('the list of sessions', () => {
  it('is empty without a folder, and creates nothing', () => {
    expect(listSessions(root)).toEqual([]);
    expect(readdirSync(folder)).toEqual([]);
    mkdirSync(root);
    expect(listSessions(root)).toEqual([]);
  });

  it('begins with the newest session, and marks running ones', () => {
    session('old', 1).close();
    const open = session('open', 2);
    session('new', 3).close();
    expect(listSessions(root)).toEqual([
      {
        id: 'new',
        ids: ['new'],
        path: join(root, 'sessions/new'),
        changed: timeOf(3),
        running: false,
      },
      { id: 'open', ids: ['open'], path: open.path, changed: timeOf(2), running: true },
      {
        id: 'old',
        ids: ['old'],
        path: join(root, 'sessions/old'),
        changed: timeOf(1),
        running: false,
      },
    ]);
    open.close();
  });

  it('sorts a session by its last index', () => {
    const open = session('a', 1);
    session('b', 3).close();
    expect(listSessions(root).map(({ id }) => id)).toEqual(['b', 'a']);
    vi.setSystemTime(timeOf(5));
    open.writeIndex(unmaskedText('x'));
    expect(listSessions(root).map(({ id }) => id)).toEqual(['a', 'b']);
    open.close();
  });

  it('keeps its order in a copy, where the folders have other times', () => {
    session('a', 1).close();
    session('b', 2).close();
    session('c', 3).close();
    for (const [second, id] of ['c', 'b', 'a'].entries()) utimesSync(join(root, 'sessions', id), second, second);
    expect(listSessions(root).map(({ id }) => id)).toEqual(['c', 'b', 'a']);
  });

  it('omits everything but sessions, and falls back to the time of the folder', () => {
    mkdirSync(join(root, 'sessions/bare'), { recursive: true });
    utimesSync(join(root, 'sessions/bare'), 1, 1);
    mkdirSync(join(root, 'sessions/.hidden'));
    writeFileSync(join(root, 'sessions/file'), '');
    symlinkSync('bare', join(root, 'sessions/link'));
    expect(listSessions(root)).toEqual([
      {
        id: 'bare',
        ids: ['bare'],
        path: join(root, 'sessions/bare'),
        changed: 1000,
        running: false,
      },
    ]);
  });

  it.each(['', 'sessions'])('is refused if the folder %j is a link or a file', (name) => {
    mkdirSync(join(root, name, '..'), { recursive: true });
    symlinkSync(folder, join(root, name));
    expect(() => listSessions(root)).toThrow(CtxbError);
    expect(() => listSessions(root)).toThrow(/symbolic link, not a folder: move it away/);
  });
});

describe('a session is found', () => {
  beforeEach(() => {
    const first = session('abc-1', 1);
    first.alias('zed-9');
    const contested = session('abc-1', 9, 'fedcba98');
    contested.close();
    first.close();
    session('abd-2', 2).close();
  });

  it.each([
    { by: 'its id', key: 'abc-1', id: 'abc-1' },
    { by: 'another of its ids', key: 'zed-9', id: 'abc-1' },
    { by: 'a beginning', key: 'abd', id: 'abd-2' },
    { by: 'a beginning of another id', key: 'z', id: 'abc-1' },
    { by: 'a beginning that a run’s own folder shares', key: 'abc', id: 'abc-1' },
    { by: 'the name of a run’s own folder', key: 'abc-1.fedcba98', id: 'abc-1.fedcba98' },
    { by: 'the beginning of a run’s own folder', key: 'abc-1.f', id: 'abc-1.fedcba98' },
  ])('by $by', ({ key, id }) => {
    expect(findSession(root, key).id).toBe(id);
  });

  it.each(['q', '', '../sessions/abc-1'])('refuses %j, which no id begins with', (key) => {
    expect(() => findSession(root, key)).toThrow(`${key}: not a recording, and no session in ${root} has an id`);
  });

  it('unless several match the prefix', () => {
    expect(() => findSession(root, 'ab')).toThrow(/several sessions begin with ab \(.*abd-2.*\): give more of the id/);
  });
});
