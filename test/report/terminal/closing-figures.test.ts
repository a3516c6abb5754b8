import { describe, expect, it } from 'vitest';
import type { Decision, FactTally } from '../../../src/governor/actions.ts';
import { createClosingFigures } from '../../../src/report/terminal/closing-figures.ts';

function tally(paths: number, commands: number, numbers: number, deadEnds: number): FactTally {
  return { paths, commands, numbers, deadEnds };
}

const NONE = tally(0, 0, 0, 0);

// The figures are all that is read of a decision here.
function survival(all: FactTally, kept: FactTally): Decision {
  return { kind: 'survival', all, kept, given: NONE } as Decision;
}

function recall(given: FactTally): Decision {
  return { kind: 'recall', given } as Decision;
}

function closing(decisions: readonly Decision[], notes?: string): string {
  const figures = createClosingFigures();
  for (const decision of decisions) figures.add(decision);
  return figures.texts(notes).join('\n');
}

function cutResult(tokens: number, left: number): Decision {
  return { kind: 'cut-result', tool: 'Bash', tokens, left, path: '/p/.context/tool-results/toolu_1.txt' } as Decision;
}

describe('what is told of working memory at the end', () => {
  it.each([
    { title: 'nothing happened', decisions: [], says: '' },
    { title: 'no summary was seen', decisions: [recall(tally(1, 0, 0, 0))], says: '' },
    {
      title: 'one compaction',
      decisions: [recall(tally(2, 1, 0, 0)), survival(tally(3, 2, 0, 1), tally(1, 0, 0, 0))],
      says: 'the summary kept 1 of 3 paths, 0 of 2 commands, 0 of 1 dead ends; ctxb gave 3 facts back',
    },
    {
      title: 'one fact',
      decisions: [recall(tally(0, 1, 0, 0)), survival(tally(0, 1, 0, 0), NONE)],
      says: 'the summary kept 0 of 1 commands; ctxb gave 1 fact back',
    },
    {
      title: 'several, of which one could tell the summary only later',
      decisions: [
        recall(tally(600, 0, 0, 0)),
        survival(tally(700, 0, 0, 0), tally(50, 0, 0, 0)),
        recall(tally(500, 0, 4, 0)),
        recall(tally(100, 0, 0, 0)),
        survival(tally(700, 0, 9, 0), tally(60, 0, 5, 0)),
      ],
      says: '2 summaries together kept 110 of 1,400 paths, 5 of 9 numbers; ctxb gave 1,204 facts back',
    },
  ])('$title', ({ decisions, says }) => {
    expect(closing(decisions)).toBe(says);
  });

  it('names where the notes are', () => {
    const decisions = [survival(tally(1, 0, 0, 0), tally(1, 0, 0, 0))];
    expect(closing(decisions, '.context/sessions/a')).toBe(
      'the summary kept 1 of 1 paths; ctxb gave 0 facts back; the notes are in .context/sessions/a',
    );
  });
});

describe('what is told of results of tools at the end', () => {
  it.each([
    {
      title: 'one was cut',
      decisions: [cutResult(9_000, 8_000)],
      says: 'cut 1 tool result by about 1,000 tokens; the full results are in /p/.context/tool-results',
    },
    {
      title: 'several were cut, and a context was compacted',
      decisions: [cutResult(9_000, 8_000), survival(tally(1, 0, 0, 0), NONE), cutResult(20_000, 500)],
      says: [
        'the summary kept 0 of 1 paths; ctxb gave 0 facts back',
        'cut 2 tool results by about 20,500 tokens; the full results are in /p/.context/tool-results',
      ].join('\n'),
    },
  ])('$title', ({ decisions, says }) => {
    expect(closing(decisions)).toBe(says);
  });
});
