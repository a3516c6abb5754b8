import {
  appendFileSync,
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
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { CtxbError } from '../../../src/errors.ts';
import { openContextDir } from '../../../src/store/folders/context-dir.ts';
import { unmaskedText } from '../../../src/store/masks/disk-text.ts';
import { openSessionFolder, type SessionFolder } from '../../../src/store/sessions/sessions.ts';

const RUN = '01234567-89ab';

let folder: string;
let root: string;
let opened: SessionFolder[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ctxb-store-'));
  root = join(folder, '.context');
  opened = [];
});
afterEach(async () => {
  vi.useRealTimers();
  for (const session of opened) {
    try {
      session.close();
    } catch {
      // Some tests put things in its way.
    }
  }
  await rm(folder, { recursive: true, force: true });
});

function open(id: string, runId = RUN): SessionFolder {
  const session = openSessionFolder(root, id, runId);
  opened.push(session);
  return session;
}

function read(...path: string[]): string {
  return readFileSync(join(root, ...path), 'utf8');
}

function mode(...path: string[]): string {
  return (statSync(join(root, ...path)).mode & 0o777).toString(8);
}

/** A refusal names the path and says what to do. */
function expectRefusal(work: () => unknown, path: string, says: RegExp | string): void {
  let thrown: unknown;
  try {
    work();
  } catch (error) {
    thrown = error;
  }
  expect(thrown).toBeInstanceOf(CtxbError);
  expect(thrown).toMatchObject({ code: 'store', message: expect.stringContaining(path) });
  expect((thrown as CtxbError).message).toMatch(says);
  expect((thrown as CtxbError).message).toMatch(/move it away$/);
}

describe('a session folder', () => {
  it('is private, and describes itself', () => {
    const session = open('abc');
    session.append('memory.ndjson', unmaskedText('{"a":1}\n'));
    session.rewrite('tool-log.md', ['x'].map(unmaskedText));
    session.writeIndex(unmaskedText('index'));
    expect(session).toMatchObject({ id: 'abc', contested: false, path: join(root, 'sessions/abc') });
    expect([mode(), mode('sessions'), mode('sessions/abc')]).toEqual(['700', '700', '700']);
    for (const name of readdirSync(session.path))
      expect({ name, mode: mode('sessions/abc', name) }).toMatchObject({ mode: '600' });
    expect(mode('scratch.md')).toBe('600');
    expect(read('.gitignore')).toBe('*\n');
  });

  it('records its last use', () => {
    const file = () => JSON.parse(read('sessions/abc/session.json'));
    vi.useFakeTimers({ toFake: ['Date'], now: 1000 });
    open('abc').close();
    expect(file()).toEqual({ v: 1, ids: ['abc'], updatedAt: new Date(1000).toISOString() });
    vi.setSystemTime(2000);
    const again = open('abc', 'other');
    again.writeIndex(unmaskedText('index'));
    again.close();
    expect(file()).toEqual({ v: 1, ids: ['abc'], updatedAt: new Date(2000).toISOString() });
  });

  it('writes session.json once per index', () => {
    open('abc').close();
    const made = () => statSync(join(root, 'sessions/abc/session.json')).ino;
    const before = made();
    const session = open('abc', 'other');
    expect(made()).toBe(before);
    session.writeIndex(unmaskedText('index'));
    const after = made();
    expect(after).not.toBe(before);
    session.close();
    expect(made()).toBe(after);
  });

  it('appends to files even after they were replaced or removed', () => {
    const session = open('abc');
    session.append('a.md', unmaskedText('one\n'));
    session.append('a.md', unmaskedText('two\n'));
    session.rewrite('a.md', ['ne', 'w\n'].map(unmaskedText));
    session.append('a.md', unmaskedText('three\n'));
    expect(read('sessions/abc/a.md')).toBe('new\nthree\n');
    expect(session.sizeOf('a.md')).toBe(10);
    rmSync(join(session.path, 'a.md'));
    session.append('a.md', unmaskedText('four\n'));
    expect(read('sessions/abc/a.md')).toBe('four\n');
    expect(session.sizeOf('none.md')).toBe(0);
  });

  it('is recreated, ignored by git, after it was removed during a run', () => {
    const session = open('abc');
    session.append('a.md', unmaskedText('one\n'));
    rmSync(root, { recursive: true });
    session.append('a.md', unmaskedText('two\n'));
    expect([read('sessions/abc/a.md'), read('.gitignore')]).toEqual(['two\n', '*\n']);
  });

  it('keeps the old file if writing the new one fails', () => {
    const session = open('abc');
    session.rewrite('a.md', ['old'].map(unmaskedText));
    const broken = (function* () {
      yield unmaskedText('x'.repeat(200_000));
      throw new RangeError('no more');
    })();
    expect(() => session.rewrite('a.md', broken)).toThrow(RangeError);
    expect(read('sessions/abc/a.md')).toBe('old');
    expect(readdirSync(session.path).sort()).toEqual(['a.md', `lock.${RUN}`, 'session.json']);
  });

  it('writes the index twice; the copy is the latest of all sessions', () => {
    const [one, two] = [open('one'), open('two')];
    one.writeIndex(unmaskedText('of one'));
    two.writeIndex(unmaskedText('of two'));
    expect([read('scratch.md'), read('sessions/one/scratch.md')]).toEqual(['of two', 'of one']);
  });

  it.each(['../x', '/etc/x', '../../sessions/other/x'])('does not write to %s', (file) => {
    const session = open('abc');
    expect(() => session.append(file, unmaskedText('x'))).toThrow(/not inside/);
    expect(() => session.rewrite(file, ['x'].map(unmaskedText))).toThrow(/not inside/);
    expect(() => session.sizeOf(file)).toThrow(/not inside/);
  });
});

describe('the ids of a session', () => {
  it.each(['', '../up', 'a/b', 'a.b', 'x'.repeat(65), 'ümlaut', 'new\nline'])(
    '%j is no file name: the run’s is taken',
    (id) => {
      expect(open(id).id).toBe(RUN);
      expect(readdirSync(join(root, 'sessions'))).toEqual([RUN]);
    },
  );

  it('become a file name for any run id', () => {
    expect(open('', '../a b').id).toBe('---a-b');
  });

  it('find the folder by each of them', () => {
    const session = open('first');
    session.alias('second');
    session.alias('second');
    session.alias('../third');
    session.append('memory.ndjson', unmaskedText('{}\n'));
    session.close();
    expect(JSON.parse(read('sessions/first/session.json')).ids).toEqual(['first', 'second']);
    const again = open('second');
    expect({ id: again.id, lines: [...again.logLines()] }).toEqual({ id: 'first', lines: ['{}'] });
  });

  it('prefer the folder with that name', () => {
    const first = open('first');
    first.alias('second');
    first.close();
    mkdirSync(join(root, 'sessions/second'));
    expect(open('second').id).toBe('second');
  });

  it.each(['', '{', '[]', '{"ids":[1]}', '{"v":1,"ids":["abc"],"updatedAt":"y"}'])(
    'makes a new session.json of %j',
    (text) => {
      openContextDir(root);
      mkdirSync(join(root, 'sessions/abc'), { recursive: true });
      writeFileSync(join(root, 'sessions/abc/session.json'), text);
      expect(open('abc').id).toBe('abc');
      expect(JSON.parse(read('sessions/abc/session.json'))).toMatchObject({ v: 1, ids: ['abc'] });
    },
  );
});

describe('a locked folder', () => {
  it('stays unchanged: the run gets a folder and a lock of its own', () => {
    const first = open('abc');
    first.append('memory.ndjson', unmaskedText('first\n'));
    const second = open('abc', 'fedcba98-7654');
    expect(second).toMatchObject({ id: 'abc.fedcba98', contested: true });
    expect([...second.logLines()]).toEqual([]);
    expect(() => open('abc', 'fedcba98-7654')).toThrow(/abc\.fedcba98 is open in another process: wait/);
    first.close();
    expect(open('abc', 'third').contested).toBe(false);
  });

  it('is opened again later, rather than the folder of the run', () => {
    open('abc');
    open('abc', 'fedcba98');
    for (const session of opened) session.close();
    expect(open('abc')).toMatchObject({ id: 'abc', contested: false });
  });
});

describe('the log', () => {
  function prepare(text: string | Buffer): void {
    openContextDir(root);
    mkdirSync(join(root, 'sessions/abc'), { recursive: true });
    writeFileSync(join(root, 'sessions/abc/memory.ndjson'), text);
  }

  it.each([
    { title: 'nothing', text: '', lines: [] },
    { title: 'only a torn line', text: '{"a', lines: ['{"a'] },
    { title: 'whole lines', text: 'a\nb\n', lines: ['a', 'b'] },
    { title: 'a torn last line', text: 'a\nb\n{"torn":', lines: ['a', 'b', '{"torn":'] },
    { title: 'an empty line', text: 'a\n\nb\n', lines: ['a', '', 'b'] },
    {
      title: 'lines longer than a chunk',
      text: `${'é'.repeat(100_001)}\nb\n${'x'.repeat(200_000)}`,
      lines: ['é'.repeat(100_001), 'b', 'x'.repeat(200_000)],
    },
    { title: 'a torn line longer than a chunk', text: 'x'.repeat(200_000), lines: ['x'.repeat(200_000)] },
  ])('of $title returns its lines, of which the opening ends a torn one', ({ text, lines }) => {
    prepare(text);
    const session = open('abc');
    expect([...session.logLines()]).toEqual(lines);
    session.append('memory.ndjson', unmaskedText('next\n'));
    expect([...session.logLines()]).toEqual([...lines, 'next']);
  });

  it('omits an unfinished line', () => {
    const session = open('abc');
    const log = join(session.path, 'memory.ndjson');
    writeFileSync(log, 'whole\nha');
    expect([...session.logLines()]).toEqual(['whole']);
    appendFileSync(log, 'lf\n');
    expect([...session.logLines()]).toEqual(['whole', 'half']);
  });

  it('can be read in part', () => {
    const session = open('abc');
    session.append('memory.ndjson', unmaskedText('a\nb\n'));
    for (const line of session.logLines()) {
      expect(line).toBe('a');
      break;
    }
  });

  it('is opened without temporary files of a killed run', () => {
    prepare('a\n');
    writeFileSync(join(root, 'sessions/abc/memory.ndjson.123456'), 'half');
    writeFileSync(join(root, 'sessions/abc/notes.2026'), 'foreign');
    mkdirSync(join(root, 'sessions/abc/deep.md.7'));
    open('abc');
    expect(readdirSync(join(root, 'sessions/abc')).sort()).toEqual([
      'deep.md.7',
      `lock.${RUN}`,
      'memory.ndjson',
      'notes.2026',
      'session.json',
    ]);
  });
});

interface Foreign {
  readonly title: string;
  readonly says: string;
  put(path: string): void;
}

const FOREIGN: readonly Foreign[] = [
  {
    title: 'a symbolic link to a file',
    says: 'symbolic link',
    put: (path) => symlinkSync(join(folder, 'target'), path),
  },
  { title: 'a symbolic link to nothing', says: 'symbolic link', put: (path) => symlinkSync(join(folder, 'no'), path) },
  { title: 'a folder', says: 'folder', put: (path) => mkdirSync(path) },
];

describe('a foreign file in the way', () => {
  beforeEach(() => {
    writeFileSync(join(folder, 'target'), 'theirs');
    mkdirSync(join(folder, 'elsewhere'));
  });
  afterEach(() => {
    expect(readFileSync(join(folder, 'target'), 'utf8')).toBe('theirs');
    expect(existsSync(join(folder, 'no'))).toBe(false);
    expect(readdirSync(join(folder, 'elsewhere'))).toEqual([]);
  });

  const names = ['session.json', 'memory.ndjson', 'lock.1'];
  it.each(FOREIGN.flatMap((foreign) => names.map((name) => ({ ...foreign, name }))))(
    'where $name should be, $title, is refused',
    ({ put, says, name }) => {
      openContextDir(root);
      mkdirSync(join(root, 'sessions/abc'), { recursive: true });
      put(join(root, 'sessions/abc', name));
      expectRefusal(() => open('abc'), join(root, 'sessions/abc', name), says);
      expect(
        readdirSync(join(root, 'sessions/abc')).filter((file) => file !== name && file.startsWith('lock')),
      ).toEqual([]);
    },
  );

  it.each(['', 'sessions', 'sessions/abc'])('a link in place of the folder %j is refused', (name) => {
    const path = join(root, name);
    if (path !== root) openContextDir(root);
    mkdirSync(join(path, '..'), { recursive: true });
    symlinkSync(join(folder, 'elsewhere'), path);
    expectRefusal(() => open('abc'), path, /symbolic link/);
  });

  it.each(['', 'sessions', 'sessions/abc'])('a file in place of the folder %j is refused', (name) => {
    const path = join(root, name);
    if (path !== root) openContextDir(root);
    mkdirSync(join(path, '..'), { recursive: true });
    writeFileSync(path, 'mine');
    expectRefusal(() => open('abc'), path, /is a file/);
  });

  it.each(FOREIGN)('created later, $title, is refused by every method that would open it', ({ put, says }) => {
    const session = open('abc');
    put(join(session.path, 'a.md'));
    put(join(session.path, 'scratch.md'));
    put(join(session.path, 'memory.ndjson'));
    const path = join(session.path, 'a.md');
    expectRefusal(() => session.append('a.md', unmaskedText('x')), path, says);
    expectRefusal(() => session.rewrite('a.md', ['x'].map(unmaskedText)), path, says);
    expectRefusal(() => session.sizeOf('a.md'), path, says);
    expectRefusal(() => session.writeIndex(unmaskedText('x')), join(session.path, 'scratch.md'), says);
    expectRefusal(() => session.logLines(), join(session.path, 'memory.ndjson'), says);
  });

  it('a link that replaces an open file receives nothing', () => {
    const session = open('abc');
    session.append('a.md', unmaskedText('one\n'));
    rmSync(join(session.path, 'a.md'));
    symlinkSync(join(folder, 'target'), join(session.path, 'a.md'));
    expectRefusal(() => session.append('a.md', unmaskedText('two\n')), join(session.path, 'a.md'), /symbolic link/);
  });

  it.each(['', 'sessions', 'sessions/abc'])('a link that replaces the folder %j later is not followed', (name) => {
    const session = open('abc');
    renameSync(join(root, name), join(folder, 'moved'));
    symlinkSync(join(folder, 'elsewhere'), join(root, name));
    expectRefusal(() => session.append('new.md', unmaskedText('x')), join(root, name), /symbolic link/);
    expectRefusal(() => session.writeIndex(unmaskedText('x')), join(root, name), /symbolic link/);
    session.close();
    expect(readdirSync(join(folder, 'elsewhere'))).toEqual([]);
  });

  it('is refused if the copy of the index is a link', () => {
    const session = open('abc');
    symlinkSync(join(folder, 'target'), join(root, 'scratch.md'));
    expectRefusal(() => session.writeIndex(unmaskedText('x')), join(root, 'scratch.md'), /symbolic link/);
  });

  it('a pipe is refused without waiting for its other end', async () => {
    const { execFileSync } = await import('node:child_process');
    const session = open('abc');
    execFileSync('mkfifo', [join(session.path, 'a.md')]);
    expectRefusal(() => session.append('a.md', unmaskedText('x')), join(session.path, 'a.md'), /special file/);
  });
});

it('an entry is added quickly', () => {
  const session = open('abc');
  const entry = `${'x'.repeat(300)}\n`;
  for (let i = 0; i < 10_000; i++) appendFileSync(join(folder, 'plain'), entry);
  for (let i = 0; i < 10_000; i++) session.append('a.md', unmaskedText(entry));
  expect(session.sizeOf('a.md')).toBe(3_010_000);
});
