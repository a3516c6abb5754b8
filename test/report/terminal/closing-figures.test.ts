import { describe, expect, it } from 'vitest';
import type { Decision, FactTally } from '../../../src/core/governor/decisions.ts';
import { initialState } from '../../../src/core/governor/initial-state.ts';
import { NO_FACTS } from '../../../src/core/memory/notebook/fact.ts';
import { createClosingFigures } from '../../../src/report/terminal/closing-figures.ts';
import { callLine, drive, initLine, runWith } from '../../support/governor.ts';

const tally = (counts: Partial<FactTally>): FactTally => ({ ...NO_FACTS, ...counts });

// The figures are all that is read of a decision here.
function receipt(
  all: Partial<FactTally>,
  kept: Partial<FactTally>,
  given: Partial<FactTally> = {},
  relief = 'compaction',
): Decision {
  return { kind: 'receipt', relief, all: tally(all), kept: tally(kept), given: tally(given) } as Decision;
}

function closing(decisions: readonly Decision[], notes?: string): string {
  const figures = createClosingFigures();
  for (const decision of decisions) figures.add(decision);
  return figures.texts({ ...initialState(runWith()), notes }).join('\n');
}

function cutResult(tokens: number, left: number): Decision {
  return { kind: 'cut-result', tool: 'Bash', tokens, left, path: '/p/.context/tool-results/toolu_1.txt' } as Decision;
}

describe('what is told of working memory at the end', () => {
  it.each([
    { title: 'nothing happened', decisions: [], says: '' },
    {
      title: 'one relief, whose line was told when it happened',
      decisions: [receipt({ prompts: 3, paths: 2 }, { prompts: 2, paths: 2 }, { prompts: 1, paths: 2 })],
      says: 'ctxb gave 3 facts back',
    },
    {
      title: 'one fact',
      decisions: [receipt({ again: 1 }, { again: 1 }, { again: 1 })],
      says: 'ctxb gave 1 fact back',
    },
    {
      title: 'several',
      decisions: [
        receipt({ prompts: 700, failing: 2 }, { prompts: 650 }, { prompts: 600 }),
        receipt({ prompts: 700, deadEnds: 9 }, { prompts: 660, deadEnds: 5 }, { prompts: 600, numbers: 4 }),
      ],
      says: '2 compactions together kept 1,310 of 1,400 prompts, 0 of 2 failing commands, 5 of 9 dead ends; ctxb gave 1,204 facts back',
    },
    {
      title: 'of either kind',
      decisions: [receipt({ prompts: 1 }, { prompts: 1 }, {}, 'handoff'), receipt({ prompts: 2 }, { prompts: 2 })],
      says: '2 compactions and handoffs together kept 3 of 3 prompts',
    },
  ])('$title', ({ decisions, says }) => {
    expect(closing(decisions)).toBe(says);
  });

  it('names where the notes are', () => {
    const decisions = [receipt({ paths: 1 }, { paths: 1 })];
    expect(closing(decisions, '.context/sessions/a')).toBe('the notes are in .context/sessions/a');
  });
});

describe('what compacting has saved', () => {
  /** At the end of a run with a relief, whose calls cost so much, and claude alone would have. */
  function told(usd: number, alone: number, model = 'claude-sonnet-4-5'): string {
    const figures = createClosingFigures();
    figures.add(receipt({ paths: 1 }, { paths: 1 }));
    const state = initialState(runWith());
    const microUsd = { real: usd * 1_000_000, alone: alone * 1_000_000 };
    const relief = { ...state.relief, alone: { ...state.relief.alone, microUsd } };
    return figures.texts({ ...state, relief, session: { ...state.session, model } }).join('\n');
  }

  it.each([
    { title: 'is told', usd: 1, alone: 1.35, says: 'compacting saved about $0.35' },
    {
      title: 'is told where it is a loss',
      usd: 1.12,
      alone: 1,
      says: 'compacting cost about $0.12 more than claude alone would have',
    },
    { title: 'is not worth a line', usd: 1, alone: 1.004, says: '' },
  ])('$title', ({ usd, alone, says }) => {
    expect(told(usd, alone)).toBe(says);
  });

  it('is not told without a price', () => {
    expect(told(1, 2, 'another-model')).toBe('');
  });
});

describe('what is told of subagents at the end', () => {
  const agent = (id: string, used: number) => callLine(used, { parent_tool_use_id: id });

  it.each([
    { title: 'none', lines: [], says: '' },
    {
      title: 'one',
      lines: [agent('a', 30_000)],
      says: /^1 subagent made 1 call with 30,00\d tokens, about \$0\.0\d{1,3}; peak 30,000$/,
    },
    {
      title: 'several',
      lines: [agent('a', 30_000), agent('b', 90_000), agent('b', 91_000)],
      says: /^2 subagents made 3 calls with 211,00\d tokens, about \$0\.06; the dearest: one \$0\.05 \(2 calls, peak 91,000\)$/,
    },
  ])('$title', ({ lines, says }) => {
    const driver = drive();
    driver.claude(initLine(), ...lines);
    expect(createClosingFigures().texts(driver.state).join('\n')).toMatch(says);
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
      decisions: [cutResult(9_000, 8_000), receipt({ paths: 1 }, {}), cutResult(20_000, 500)],
      says: ['cut 2 tool results by about 20,500 tokens; the full results are in /p/.context/tool-results'].join('\n'),
    },
  ])('$title', ({ decisions, says }) => {
    expect(closing(decisions)).toBe(says);
  });
});
