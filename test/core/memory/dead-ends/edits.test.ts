import { describe, expect, it } from 'vitest';
import { type Call, type Draft, deadEndsOf, ran, storyOf, swapped } from '../../../support/entries.ts';

interface Case {
  readonly name: string;
  readonly entries: readonly Draft[];
  readonly story: readonly string[];
}

const COMMIT = ran('git commit -m x');
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
      name: 'two of one file, one of them made again',
      entries: [
        swapped('a', 'x', 'y'),
        swapped('a', 'p', 'q'),
        swapped('a', 'y', 'x'),
        swapped('a', 'q', 'p'),
        swapped('a', 'p', 'q'),
      ],
      story: ['3 found: edit reverted', '4 again: edit reverted', '5 cleared: edit reverted'],
    },
    { name: 'not: committed in between', entries: [swapped('a', 'x', 'y'), COMMIT, swapped('a', 'y', 'x')], story: [] },
    {
      name: 'a person wants it back before the commit',
      entries: [swapped('a', 'x', 'y'), { ...SPLIT, text: 'revert that, then commit' }, swapped('a', 'y', 'x')],
      story: ['3 found: edit reverted'],
    },
    {
      name: 'not: committed by a command among others',
      entries: [swapped('a', 'x', 'y'), ran('git add -A && git commit'), swapped('a', 'y', 'x')],
      story: [],
    },
    ...['git commit --dry-run', 'git commit-tree a', 'echo git commit'].map((text) => ({
      name: `where nothing is committed by ${text}`,
      entries: [swapped('a', 'x', 'y'), ran(text), swapped('a', 'y', 'x')],
      story: ['3 found: edit reverted'],
    })),
    { name: 'not: a third text', entries: [swapped('a', 'x', 'y'), swapped('a', 'y', 'z')], story: [] },
    { name: 'not: in another file', entries: [swapped('a', 'x', 'y'), swapped('b', 'y', 'x')], story: [] },
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

  it('is reported with the newest evidence', () => {
    const entries = [swapped('a', 'x', 'y'), swapped('a', 'p', 'q'), swapped('a', 'y', 'x'), swapped('a', 'q', 'p')];
    expect(deadEndsOf(entries)).toMatchObject([
      {
        text: 'Edit `a` took back an edit: the old text is there again',
        count: 2,
        evidence: ['c2', 'c4'],
        first: 3_000,
        last: 4_000,
      },
    ]);
  });
});
