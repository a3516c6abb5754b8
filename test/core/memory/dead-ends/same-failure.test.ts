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
  storyOf,
} from '../../../support/entries.ts';

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
};

function refused(said: string): Call {
  return { name: 'Edit', title: 'a.ts', input: 'a', outcome: 'refused', said };
}

const DECLINED = refused("The user doesn't want to proceed with this tool use. The tool use was rejected");

function byAgent(agent: string, call: Call): Call {
  return { ...call, agent };
}

describe('the same failure', () => {
  it.each<Case>([
    { name: 'twice in a row', entries: [TEST, TEST], story: ['2 found: same failure'] },
    {
      name: 'again and again',
      entries: [TEST, TEST, TEST, TEST],
      story: ['2 found: same failure', '3 again: same failure', '4 again: same failure'],
    },
    {
      name: 'with a look at files in between',
      entries: [TEST, looked('Read', 'a.ts'), ran('git diff | head -20'), ran('cat a.ts 2>/dev/null'), TEST],
      story: ['5 found: same failure'],
    },
    { name: 'with an edit in between', entries: [TEST, changed('a.ts'), TEST], story: [] },
    {
      name: 'with edits in between, for the third time',
      entries: [TEST, changed('a.ts'), TEST, changed('a.ts'), TEST],
      story: [],
    },
    {
      name: 'twice in a row after an edit',
      entries: [TEST, changed('a.ts'), TEST, TEST],
      story: ['4 found: same failure'],
    },
    {
      name: 'with an edit by a subagent in between',
      entries: [TEST, byAgent('helper', changed('a.ts')), TEST],
      story: [],
    },
    {
      name: 'with a command in between that may have changed something',
      entries: [TEST, ran('npm ci'), TEST],
      story: [],
    },
    { name: 'with a prompt in between', entries: [TEST, PROMPT, TEST], story: [] },
    {
      name: 'with an edit in between that failed',
      entries: [TEST, refused('no such text'), TEST],
      story: ['3 found: same failure'],
    },
    {
      name: 'it says something else the second time',
      entries: [TEST, failed('npm test', 'Error: bang')],
      story: ['2 found: same failure'],
    },
    { name: 'by two agents, once each', entries: [TEST, byAgent('helper', TEST)], story: [] },
    { name: 'a permission that is refused', entries: [REFUSED, REFUSED], story: ['2 found: same failure'] },
    {
      name: 'not: a person declines it',
      entries: [DECLINED, DECLINED],
      story: [],
    },
    { name: 'cancelled', entries: [1, 2, 3].map(() => ({ ...TEST, outcome: 'cancelled' })), story: [] },
    {
      name: 'success clears',
      entries: [TEST, TEST, changed('a.ts'), ran('npm test')],
      story: ['2 found: same failure', '4 cleared: same failure'],
    },
    {
      name: 'success clears with the output cut in another way',
      entries: [TEST, TEST, ran('cd /app && CI=1 npm test 2>&1 | tail -20')],
      story: ['2 found: same failure', '3 cleared: same failure'],
    },
    {
      name: 'a pipe that hides failures does not clear',
      entries: [TEST, TEST, ran('npm test | tail -5', {}, { failures: '2 failed' })],
      story: ['2 found: same failure'],
    },
    {
      name: 'it is found again after it was cleared',
      entries: [TEST, TEST, ran('npm test'), TEST, TEST],
      story: ['2 found: same failure', '3 cleared: same failure', '5 found: same failure'],
    },
    {
      name: 'a success between failures starts anew',
      entries: [TEST, ran('npm test'), TEST],
      story: [],
    },
  ])('$name', ({ entries, story }) => {
    expect(storyOf(entries)).toEqual(story);
  });

  it('is reported with its evidence', () => {
    const run = failed('npm test', 'Error: boom', { failures: '2 failed' });
    expect(deadEndsOf([run, run, run])).toEqual([
      {
        key: expect.any(String),
        cause: 'same failure',
        text: '`npm test` failed 3 times without a change in between: 2 failed',
        evidence: ['c1', 'c2', 'c3'],
        count: 3,
        first: 1_000,
        last: 3_000,
      },
    ]);
  });

  it.each([
    {
      name: 'the line that names the error',
      entries: [TEST, TEST],
      text: '`npm test` failed 2 times without a change in between: Error: boom',
    },
    {
      name: 'a refusal',
      entries: [REFUSED, REFUSED],
      text: '`deploy --now` was refused 2 times without a change in between: This command requires approval',
    },
  ])('is reported with $name', ({ entries, text }) => {
    expect(deadEndsOf(entries)[0]?.text).toBe(text);
  });

  it('keeps the first and the newest ids of long evidence', () => {
    const evidence = deadEndsOf(Array.from({ length: 40 }, () => TEST))[0]?.evidence ?? [];
    expect(evidence).toHaveLength(20);
    expect([evidence[0], evidence[1], evidence[19]]).toEqual(['c1', 'c22', 'c40']);
  });
});
