import { describe, expect, it } from 'vitest';
import { type Call, changed, type Draft, deadEndsOf, failed, looked, ran, storyOf } from '../../../support/entries.ts';

interface Case {
  readonly name: string;
  readonly entries: readonly Draft[];
  readonly story: readonly string[];
}

const TEST = failed('npm test');
const REFUSED: Call = {
  ...ran('deploy --now', {}, { exit: null }),
  outcome: 'refused',
  said: 'This command requires approval',
  signature: 'This command requires approval',
};

function refused(said: string): Call {
  return { name: 'Edit', title: 'a.ts', input: 'a', outcome: 'refused', said, output: said, signature: said };
}

function byAgent(agent: string, call: Call): Call {
  return { ...call, agent };
}

describe('the same error', () => {
  it.each<Case>([
    {
      name: 'three times, by different calls',
      entries: [failed('make a'), failed('make b'), failed('make c')],
      story: ['3 found: same error'],
    },
    {
      name: 'by different programs',
      entries: [
        failed('cargo build'),
        changed('a.rs'),
        failed('cargo check'),
        changed('a.rs'),
        failed('cargo test --lib'),
      ],
      story: ['5 found: same error'],
    },
    {
      name: 'two ways, three times, with edits in between',
      entries: [failed('make a'), changed('x'), failed('make b'), changed('x'), failed('make a'), failed('make c')],
      story: ['5 found: same error', '6 grown: same error'],
    },
    { name: 'one way only', entries: [TEST, changed('x'), TEST], story: [] },
    {
      name: 'a success of the same program in between',
      entries: [failed('pytest -k a'), failed('pytest -k b'), ran('pytest -k c'), failed('pytest -k d')],
      story: [],
    },
    {
      name: 'a success of another program in between',
      entries: [failed('make a'), failed('make b'), ran('git status'), failed('make d')],
      story: ['4 found: same error'],
    },
    {
      name: 'a success of one of the programs clears',
      entries: [failed('cargo build'), failed('cargo check'), failed('cargo test'), ran('cargo check --all')],
      story: ['3 found: same error', '4 cleared: same error'],
    },
    {
      name: 'different errors',
      entries: [failed('make a', 'Error: a'), failed('make b', 'Error: b'), failed('make c', 'Error: c')],
      story: [],
    },
    {
      name: 'words that name no error',
      entries: [failed('./a', 'bye'), failed('./b', 'bye'), failed('./c', 'bye')],
      story: [],
    },
    { name: 'nothing said', entries: [failed('a', ''), failed('b', ''), failed('c', '')], story: [] },
    {
      name: 'files that are looked for',
      entries: ['a', 'b', 'c'].map((path) => ({
        ...looked('Read', path),
        outcome: 'failed',
        signature: 'File does not exist.',
      })),
      story: [],
    },
    {
      name: 'files that are looked for with commands',
      entries: ['cat a', 'head b', 'ls c'].map((text) => failed(text, 'No such file or directory')),
      story: [],
    },
    {
      name: 'commands that take too long',
      entries: ['a', 'b', 'c'].map((text) => failed(text, 'Command timed out after N')),
      story: [],
    },
    {
      name: 'an edit of one file, three times in different words',
      entries: ['1', '2', '3'].map((input) => ({
        ...refused('String to replace not found in file.'),
        outcome: 'failed',
        input,
      })),
      story: ['3 found: same error'],
    },
    {
      name: 'edits of different files',
      entries: ['1', '2', '3'].map((input) => ({
        ...refused('String to replace not found in file.'),
        outcome: 'failed',
        input,
        title: input,
      })),
      story: [],
    },
    {
      name: 'several programs that need a permission',
      entries: ['deploy a', 'publish b', 'release c'].map((text) => ({
        ...REFUSED,
        ...ran(text),
        outcome: 'refused',
        said: 'This command requires approval',
      })),
      story: [],
    },
    {
      name: 'one program that needs a permission, asked for in many ways',
      entries: ['deploy --a', 'deploy --b', 'deploy --c'].map((text) => ({
        ...ran(text),
        outcome: 'refused',
        said: 'This command requires approval',
        signature: 'This command requires approval',
      })),
      story: ['3 found: same error'],
    },
    {
      name: 'by three agents',
      entries: ['x', 'y', 'z'].map((agent) => byAgent(agent, failed(`make ${agent}`))),
      story: [],
    },
  ])('$name', ({ entries, story }) => {
    expect(storyOf(entries)).toEqual(story);
  });

  it('is told with its evidence', () => {
    expect(deadEndsOf([failed('cargo build'), failed('cargo check'), failed('cargo build -r')])).toMatchObject([
      {
        text: '`cargo build`, `cargo check`: failed 3 times with the same error, tried in 3 ways: Error: boom',
        evidence: ['c1', 'c2', 'c3'],
        count: 3,
      },
    ]);
  });
});
