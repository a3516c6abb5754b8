import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CtxbError } from '../../src/errors.ts';
import { findAllSources, findSources } from '../../src/replay/sources.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ctxb-sources-'));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

function put(...names: readonly string[]): void {
  for (const name of names) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), '');
  }
}

function link(target: string, name: string): void {
  symlinkSync(target, join(folder, name));
}

/** The sources found, with paths below the folder. */
function found(path = '.') {
  return findSources(join(folder, path)).map(({ file, subagents }) => ({
    file: relative(folder, file),
    subagents: subagents.map((log) => relative(folder, log)),
  }));
}

const alone = (...files: readonly string[]) => files.map((file) => ({ file, subagents: [] as string[] }));

describe('findSources', () => {
  it.each([
    { name: 'nothing in an empty folder', files: [], expected: [] },
    {
      name: 'nothing that ctxb itself keeps of runs',
      files: ['a.ndjson', '.context/journal.ndjson', 'b/.context/sessions/s/memory.ndjson'],
      expected: alone('a.ndjson'),
    },
    {
      name: 'recordings of both dialects, in order of name',
      files: ['b.jsonl', 'a.ndjson', 'c/d.jsonl'],
      expected: alone('a.ndjson', 'b.jsonl', 'c/d.jsonl'),
    },
    { name: 'no other files', files: ['a.json', 'a.txt', 'ndjson', 'a.ndjson.bak'], expected: [] },
    {
      name: 'logs of subagents with their session, in order of name',
      files: ['s.jsonl', 's/subagents/agent-b.jsonl', 's/subagents/agent-a.jsonl', 's/subagents/agent-a.meta.json'],
      expected: [{ file: 's.jsonl', subagents: ['s/subagents/agent-a.jsonl', 's/subagents/agent-b.jsonl'] }],
    },
    {
      name: 'logs of the subagents of workflows, without what the workflow itself notes',
      files: [
        's.jsonl',
        's/subagents/agent-a.jsonl',
        's/subagents/workflows/w1/agent-b.jsonl',
        's/subagents/workflows/w1/journal.jsonl',
      ],
      expected: [
        { file: 's.jsonl', subagents: ['s/subagents/agent-a.jsonl', 's/subagents/workflows/w1/agent-b.jsonl'] },
      ],
    },
    {
      name: 'logs of what subagents began, below those',
      files: ['s.jsonl', 's/subagents/agent-a.jsonl', 's/subagents/agent-a/subagents/agent-b.jsonl'],
      expected: [
        {
          file: 's.jsonl',
          subagents: ['s/subagents/agent-a.jsonl', 's/subagents/agent-a/subagents/agent-b.jsonl'],
        },
      ],
    },
    {
      name: 'logs of subagents whose session is gone, on their own',
      files: ['gone/subagents/agent-a.jsonl'],
      expected: alone('gone/subagents/agent-a.jsonl'),
    },
    {
      name: 'a recording of a stream has no subagent logs',
      files: ['s.ndjson', 's/subagents/a.jsonl'],
      expected: alone('s.ndjson', 's/subagents/a.jsonl'),
    },
  ])('$name', ({ files, expected }) => {
    put(...files);
    expect(found()).toEqual(expected);
  });

  it('finds a single file with any name, and its subagents', () => {
    put('log.txt', 's.jsonl', 's/subagents/agent-a.jsonl');
    expect(found('log.txt')).toEqual(alone('log.txt'));
    expect(found('s.jsonl')).toEqual([{ file: 's.jsonl', subagents: ['s/subagents/agent-a.jsonl'] }]);
  });

  it("finds the target of a link, with the link's name and subagents", () => {
    put('in/a.jsonl', 'far/b.jsonl', 'far/b/subagents/agent-a.jsonl');
    link('../far/b.jsonl', 'in/link.jsonl');
    link('../far/b.jsonl', 'in/again.jsonl');
    const b = { file: 'in/again.jsonl', subagents: ['far/b/subagents/agent-a.jsonl'] };
    expect(found('in')).toEqual([...alone('in/a.jsonl'), b]);
  });

  it('finds a session and its subagents if each file is a link, even to a store in the same folder', () => {
    put('.git/annex/1.jsonl', '.git/annex/2.jsonl', '.git/annex/3.jsonl', 's/subagents/workflows/w/none.txt');
    link('.git/annex/1.jsonl', 's.jsonl');
    link('../../.git/annex/2.jsonl', 's/subagents/agent-a.jsonl');
    link('../../../../.git/annex/3.jsonl', 's/subagents/workflows/w/agent-b.jsonl');
    link('/dev/zero', 's/subagents/agent-endless.jsonl');
    const subagents = ['s/subagents/agent-a.jsonl', 's/subagents/workflows/w/agent-b.jsonl'];
    expect(found()).toEqual([{ file: 's.jsonl', subagents }]);
    expect(found('s.jsonl')).toEqual([{ file: 's.jsonl', subagents }]);
  });

  it('finds each file once, even with circular links', () => {
    put('a.jsonl', 'b/c.jsonl');
    const links = { 'a-first.jsonl': 'b/c.jsonl', again: 'b', 'b/circle': '..', 'gone.jsonl': 'nowhere' };
    for (const [name, target] of Object.entries(links)) link(target, name);
    link('/dev/zero', 'endless.jsonl');
    expect(found()).toEqual(alone('a.jsonl', 'b/c.jsonl'));
  });

  it('follows links to folders once each, and never to parents', () => {
    put('in/a.jsonl', 'far/b/c.jsonl');
    link('../far/b', 'in/linked');
    link('../far/b', 'in/twice');
    link('../..', 'far/b/up');
    link('/', 'in/disk');
    expect(found('in')).toEqual(alone('in/a.jsonl', 'in/linked/c.jsonl'));
  });

  it('attaches subagent logs to the session that they name', () => {
    put('s1.jsonl', 's2.jsonl', 'agent-none.jsonl');
    const row = (sessionId: string) => JSON.stringify({ isSidechain: true, sessionId, type: 'user' });
    writeFileSync(join(folder, 'agent-b.jsonl'), row('s1'));
    writeFileSync(join(folder, 'agent-a.jsonl'), row('s1'));
    writeFileSync(join(folder, 'agent-c.jsonl'), row('gone'));
    const s1 = { file: 's1.jsonl', subagents: ['agent-a.jsonl', 'agent-b.jsonl'] };
    expect(found('s1.jsonl')).toEqual([s1]);
    expect(found()).toEqual([...alone('agent-c.jsonl', 'agent-none.jsonl'), s1, ...alone('s2.jsonl')]);
  });

  it('finds a session that is linked to as its own subagent', () => {
    put('s1.jsonl', 's1/subagents/x');
    link('../../s1.jsonl', 's1/subagents/agent-a.jsonl');
    expect(found('s1.jsonl').map(({ file }) => file)).toEqual(['s1.jsonl']);
  });

  it('finds the other files next to a link to itself', () => {
    put('a.jsonl');
    link('loop.jsonl', 'loop.jsonl');
    const { sources, faults } = findAllSources([folder], undefined);
    expect(sources.map(({ file }) => relative(folder, file))).toEqual(['a.jsonl']);
    expect(faults.map(({ message }) => message)).toEqual([
      expect.stringMatching(/loop\.jsonl: .*too many symbolic links/),
    ]);
  });

  it('stdin', () => {
    expect(findSources('-')).toEqual([{ file: '-', subagents: [] }]);
  });
});

it('attaches a log that is given together with its session', () => {
  put('s.jsonl', 's/subagents/agent-a.jsonl', 'gone/subagents/agent-b.jsonl');
  const paths = ['s/subagents/agent-a.jsonl', 's.jsonl', 'gone/subagents/agent-b.jsonl'].map((name) =>
    join(folder, name),
  );
  const { sources } = findAllSources(paths, undefined);
  expect(sources.map(({ file }) => relative(folder, file))).toEqual(['s.jsonl', 'gone/subagents/agent-b.jsonl']);
});

it('names compressed, rotated and kept recordings in a folder once', () => {
  const skipped = ['a.jsonl.gz', 's/subagents/agent-b.jsonl.1.gz', 'a.jsonl.1', 'b.ndjson.bak', 'c.jsonl~'];
  put('a.jsonl', 's.jsonl', 's/subagents/agent-a.jsonl', 'a.jsonl.wakatime', 'a.txt.gz', ...skipped);
  const all = findAllSources([folder, join(folder, 's.jsonl')], undefined);
  expect(all.sources.map(({ file }) => relative(folder, file))).toEqual(['a.jsonl', 's.jsonl']);
  expect(all.skipped.map((path) => relative(folder, path)).sort()).toEqual(skipped.sort());
  expect(findAllSources([join(folder, 'a.jsonl.1')], undefined).skipped).toEqual([]);
});

describe('counts a file given in several ways once', () => {
  const all = (...names: readonly string[]) =>
    findAllSources(
      names.map((name) => (name === '-' ? name : join(folder, name))),
      undefined,
    ).sources.map(({ file, subagents }) => [file, ...subagents].map((path) => relative(folder, path)));

  beforeEach(() => {
    put('b/s.jsonl', 'b/s/subagents/agent-a.jsonl', 'a/other.jsonl');
    link('../b/s.jsonl', 'a/link.jsonl');
  });

  const session = ['b/s.jsonl', 'b/s/subagents/agent-a.jsonl'];

  it.each([
    { name: 'a folder twice', names: ['b', 'b'], expected: [session] },
    { name: 'a folder and a file of it', names: ['b/s.jsonl', 'b'], expected: [session] },
    { name: 'a link into another folder, before it', names: ['a', 'b'], expected: [['a/other.jsonl'], session] },
    { name: 'a link into another folder, behind it', names: ['b', 'a'], expected: [session, ['a/other.jsonl']] },
    { name: 'a link and its file', names: ['a/link.jsonl', 'b/s.jsonl'], expected: [session] },
    {
      name: 'a link to the log of a subagent',
      names: ['b/s/subagents/agent-a.jsonl', 'a/link.jsonl'],
      expected: [['a/link.jsonl', 'b/s/subagents/agent-a.jsonl']],
    },
  ])('$name', ({ names, expected }) => expect(all(...names)).toEqual(expected));

  it('keeps the name of the session that has subagents next to it', () => {
    put('c/t/subagents/agent-b.jsonl', 'd/t.jsonl');
    link('../d/t.jsonl', 'c/t.jsonl');
    expect(all('d', 'c')).toEqual([['c/t.jsonl', 'c/t/subagents/agent-b.jsonl']]);
  });

  it('stdin', () => {
    expect(findAllSources(['-', '-'], undefined).sources).toHaveLength(1);
  });
});

it('reports a missing path', () => {
  const path = join(folder, 'missing');
  expect(() => findSources(path)).toThrow(CtxbError);
  expect(() => findSources(path)).toThrow(path);
});

it.skipIf(process.getuid?.() === 0)('finds the neighbors of an unreadable folder', () => {
  put('a.jsonl', 'locked/b.jsonl', 'open/c.jsonl');
  chmodSync(join(folder, 'locked'), 0);
  try {
    const { sources, faults } = findAllSources([folder], undefined);
    expect(sources.map(({ file }) => relative(folder, file))).toEqual(['a.jsonl', 'open/c.jsonl']);
    expect(faults.map(({ message }) => message)).toEqual([
      expect.stringContaining(`${join(folder, 'locked')}: cannot`),
    ]);
  } finally {
    chmodSync(join(folder, 'locked'), 0o700);
  }
});
