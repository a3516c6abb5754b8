import { describe, expect, it } from 'vitest';
import { type Call, changed, type Draft, deadEndsOf, looked, ran, storyOf, swapped } from '../../../support/entries.ts';

interface Case {
  readonly name: string;
  readonly entries: readonly Draft[];
  readonly story: readonly string[];
}

const COMMIT = ran('git commit -m x');
const LOOK = looked('Read', 'b.ts');
const SPLIT: Draft = { kind: 'prompt', t: 0, text: 'now make two commits of it', pictures: 0 };

function by(agent: string, call: Call): Call {
  return { ...call, agent };
}

describe('a reverted edit', () => {
  it.each<Case>([
    {
      name: 'by the opposite edit',
      entries: [swapped('a', 'x', 'y'), ran('npm test'), swapped('a', 'y', 'x')],
      story: ['3 found: edit reverted'],
    },
    {
      name: 'and made again',
      entries: [swapped('a', 'x', 'y'), swapped('a', 'y', 'x'), swapped('a', 'x', 'y')],
      story: ['2 found: edit reverted', '3 cleared: edit reverted'],
    },
    {
      name: 'and made and taken back again',
      entries: [swapped('a', 'x', 'y'), swapped('a', 'y', 'x'), swapped('a', 'x', 'y'), swapped('a', 'y', 'x')],
      story: ['2 found: edit reverted', '3 cleared: edit reverted', '4 found: edit reverted'],
    },
    {
      name: 'one of two',
      entries: [swapped('a', 'x', 'y'), swapped('a', 'p', 'q'), swapped('a', 'y', 'x')],
      story: ['3 found: edit reverted'],
    },
    {
      name: 'two of one file',
      entries: [swapped('a', 'x', 'y'), swapped('a', 'p', 'q'), swapped('a', 'y', 'x'), swapped('a', 'q', 'p')],
      story: ['3 found: edit reverted', '4 grown: edit reverted'],
    },
    {
      name: 'two of one file, one of them made again',
      entries: [
        swapped('a', 'x', 'y'),
        swapped('a', 'p', 'q'),
        swapped('a', 'y', 'x'),
        swapped('a', 'q', 'p'),
        swapped('a', 'p', 'q'),
      ],
      story: ['3 found: edit reverted', '4 grown: edit reverted'],
    },
    { name: 'not: committed in between', entries: [swapped('a', 'x', 'y'), COMMIT, swapped('a', 'y', 'x')], story: [] },
    {
      name: 'a person wants it back before the commit',
      entries: [swapped('a', 'x', 'y'), { ...SPLIT, text: 'revert that, then commit' }, swapped('a', 'y', 'x')],
      story: ['3 found: edit reverted'],
    },
    { name: 'not: a third text', entries: [swapped('a', 'x', 'y'), swapped('a', 'y', 'z')], story: [] },
    { name: 'not: in another file', entries: [swapped('a', 'x', 'y'), swapped('b', 'y', 'x')], story: [] },
    { name: 'not: an edit that changes nothing', entries: [swapped('a', 'x', 'x'), swapped('a', 'x', 'x')], story: [] },
    {
      name: 'not: an edit that failed',
      entries: [swapped('a', 'x', 'y'), { ...swapped('a', 'y', 'x'), outcome: 'failed' }],
      story: [],
    },
    {
      name: 'not: by another agent',
      entries: [swapped('a', 'x', 'y'), by('helper', swapped('a', 'y', 'x'))],
      story: [],
    },
  ])('$name', ({ entries, story }) => {
    expect(storyOf(entries)).toEqual(story);
  });

  it('is reported with its evidence', () => {
    const entries = [swapped('a', 'x', 'y'), swapped('a', 'p', 'q'), swapped('a', 'y', 'x'), swapped('a', 'q', 'p')];
    expect(deadEndsOf(entries)).toMatchObject([
      {
        text: '2 edits of `a` were taken back: the old text is there again',
        count: 2,
        evidence: ['c1', 'c3', 'c2', 'c4'],
        first: 1_000,
        last: 4_000,
      },
    ]);
  });
});

describe('discarded changes', () => {
  const EDIT = changed('src/a.ts');
  it.each<Case>([
    {
      name: 'git checkout of the file',
      entries: [EDIT, ran('git checkout -- src/a.ts')],
      story: ['2 found: changes discarded'],
    },
    {
      name: 'git restore of its folder',
      entries: [EDIT, ran('git restore src')],
      story: ['2 found: changes discarded'],
    },
    {
      name: 'git restore in a subfolder',
      entries: [EDIT, ran('git restore a.ts')],
      story: ['2 found: changes discarded'],
    },
    {
      name: 'git checkout of all',
      entries: [EDIT, ran('git checkout .')],
      story: ['2 found: changes discarded'],
    },
    {
      name: 'git reset --hard',
      entries: [EDIT, LOOK, ran('git reset --hard')],
      story: ['3 found: changes discarded'],
    },
    {
      name: 'an absolute path',
      entries: [changed('/repo/src/a.ts'), ran('git checkout src/a.ts')],
      story: ['2 found: changes discarded'],
    },
    {
      name: 'not: another file',
      entries: [EDIT, ran('git checkout src/b.ts')],
      story: [],
    },
    {
      name: 'not: a name that ends alike',
      entries: [changed('src/data.ts'), ran('git checkout a.ts')],
      story: [],
    },
    { name: 'not: nothing was edited', entries: [LOOK, ran('git reset --hard')], story: [] },
    { name: 'not: after a commit', entries: [EDIT, COMMIT, ran('git reset --hard')], story: [] },
    {
      name: 'not: an edit that failed',
      entries: [{ ...EDIT, outcome: 'failed' }, ran('git checkout .')],
      story: [],
    },
    {
      name: 'not: new files, which git leaves alone',
      entries: [changed('n.ts', 'created'), ran('git checkout .')],
      story: [],
    },
    {
      name: 'a new file that is named',
      entries: [changed('n.ts', 'created'), ran('git checkout n.ts')],
      story: ['2 found: changes discarded'],
    },
    {
      name: 'not twice',
      entries: [EDIT, ran('git checkout .'), ran('git checkout .')],
      story: ['2 found: changes discarded'],
    },
  ])('$name', ({ entries, story }) => {
    expect(storyOf(entries)).toEqual(story);
  });

  it('is reported with its evidence', () => {
    const entries = [changed('a.ts'), changed('b.ts'), changed('a.ts'), ran('git reset --hard')];
    expect(deadEndsOf(entries)).toMatchObject([
      {
        text: 'changes to `b.ts` and 1 more file were thrown away with git reset',
        evidence: ['c2', 'c3', 'c4'],
        count: 1,
        first: 2_000,
        last: 4_000,
      },
    ]);
  });
});
