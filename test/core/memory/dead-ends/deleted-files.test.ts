import { describe, expect, it } from 'vitest';
import {
  type Call,
  changed,
  type Draft,
  deadEndsOf,
  failed,
  looked,
  PROMPT,
  ran,
  removed,
  storyOf,
} from '../../../support/entries.ts';

interface Case {
  readonly name: string;
  readonly entries: readonly Draft[];
  readonly story: readonly string[];
}

const COMMIT = ran('git commit -m x', {}, { commits: true });
const LOOK = looked('Read', 'b.ts');
const WRITE = changed('src/try.ts', 'created');

function by(agent: string, call: Call): Call {
  return { ...call, agent };
}

function printed(text: string, path: string): Call {
  return ran(text, { changes: [{ path, change: 'created' }] });
}

describe('a file that is written and deleted', () => {
  it.each<Case>([
    { name: 'unused', entries: [WRITE, LOOK, removed('src/try.ts')], story: ['3 found: written and deleted'] },
    { name: 'with its folder', entries: [WRITE, LOOK, LOOK, removed('src')], story: ['4 found: written and deleted'] },
    {
      name: 'after a command that failed with it',
      entries: [WRITE, failed('node src/try.ts'), LOOK, removed('src/try.ts')],
      story: ['4 found: written and deleted'],
    },
    {
      name: 'and written again',
      entries: [WRITE, removed('src/try.ts'), LOOK, LOOK, LOOK, WRITE],
      story: ['2 found: written and deleted', '6 cleared: written and deleted'],
    },
    {
      name: 'and written by another name at once',
      entries: [WRITE, removed('src/try.ts'), changed('src/done.ts', 'created')],
      story: ['2 found: written and deleted', '3 cleared: written and deleted'],
    },
    {
      name: 'not: written by another name before',
      entries: [WRITE, LOOK, changed('src/done.ts', 'created'), removed('src/try.ts')],
      story: [],
    },
    { name: 'not: it has served', entries: [WRITE, ran('node src/try.ts'), removed('src/try.ts')], story: [] },
    {
      name: 'not: it has served by its name only',
      entries: [WRITE, ran('cd src && node try.ts'), removed('src/try.ts')],
      story: [],
    },
    {
      name: 'not: a test that was run',
      entries: [
        changed('test/try.test.ts', 'created'),
        failed('npm test', 'Error: x', { counts: { failed: 1 } }),
        removed('test/try.test.ts'),
      ],
      story: [],
    },
    { name: 'not: committed in between', entries: [WRITE, COMMIT, removed('src/try.ts')], story: [] },
    { name: 'not: delivered with a turn', entries: [WRITE, PROMPT, removed('src/try.ts')], story: [] },
    { name: 'not: by somebody else', entries: [by('helper', WRITE), removed('src/try.ts')], story: [] },
    { name: 'not: it was there before', entries: [changed('src/try.ts'), removed('src/try.ts')], story: [] },
    { name: 'not: a name that ends alike', entries: [WRITE, removed('try.ts')], story: [] },
    ...['/tmp/x.js', '/var/folders/a/b/x.js', 'tmp/x.js', 'x.log', 'debug-x.js', 'scratch.md'].map((path) => ({
      name: `not: ${path}`,
      entries: [changed(path, 'created'), LOOK, LOOK, removed(path)],
      story: [],
    })),
    {
      name: 'not: what a command had printed',
      entries: [printed('npm run dump > out.json', 'out.json'), LOOK, removed('out.json')],
      story: [],
    },
    {
      name: 'written by a command',
      entries: [printed('cat > a.sh <<EOF\nrun\nEOF', 'a.sh'), LOOK, removed('a.sh')],
      story: ['3 found: written and deleted'],
    },
    {
      name: 'not: written by a command and read',
      entries: [printed('cat > a.md <<EOF\ntext\nEOF', 'a.md'), looked('Read', 'a.md'), removed('a.md')],
      story: [],
    },
    {
      name: 'not: written and used by one command',
      entries: [printed('echo A=1 > .env && ./run', '.env'), LOOK, removed('.env')],
      story: [],
    },
    { name: 'not: moved', entries: [WRITE, changed('src/try.ts', 'moved', 'lib/try.ts')], story: [] },
    {
      name: 'under its new name',
      entries: [WRITE, changed('src/try.ts', 'moved', 'lib/new.ts'), LOOK, removed('lib/new.ts')],
      story: ['4 found: written and deleted'],
    },
    {
      name: 'not: long ago',
      entries: [WRITE, ...Array.from({ length: 300 }, () => LOOK), removed('src/try.ts')],
      story: [],
    },
  ])('$name', ({ entries, story }) => {
    expect(storyOf(entries)).toEqual(story);
  });

  it('is told with its evidence', () => {
    const entries = [changed('src/a.ts', 'created'), changed('src/b.css', 'created'), LOOK, LOOK, removed('src')];
    expect(deadEndsOf(entries)).toMatchObject([
      {
        text: '`src/a.ts` and 1 more file were written and deleted again without having been used',
        evidence: ['c1', 'c2', 'c5'],
        count: 1,
        first: 1_000,
        last: 5_000,
      },
    ]);
  });
});
