import { describe, expect, it } from 'vitest';
import type { Decision } from '../../../src/core/governor/decisions.ts';
import type { GovernorState } from '../../../src/core/governor/state.ts';
import { changedIn } from '../../../src/core/governor/steps.ts';
import { createClosingFigures, type RunEnd } from '../../../src/report/terminal/terminal.ts';
import { callLine, drive, initLine, resultLine } from '../../support/governor.ts';

const END = { ms: 7_200 };

const COMPACTED = { kind: 'compacted', verdict: 'success' } as Decision;
const NATIVE = { kind: 'native-compaction' } as Decision;
const HANDED_OVER = { kind: 'handed-over' } as Decision;

function closing(decisions: readonly Decision[], state: GovernorState, end: RunEnd = END): string {
  const figures = createClosingFigures();
  for (const decision of decisions) figures.add(decision);
  return figures.texts(state, end).join('\n');
}

/** Two turns with a call each. */
function played(): GovernorState {
  const driver = drive();
  for (const turn of [1, 2]) {
    driver.prompt('More.');
    driver.claude(initLine(), callLine(40_000 * turn), resultLine({ total_cost_usd: 0.1 * turn }));
  }
  return driver.state;
}

describe('the line at the end of a run', () => {
  it.each([
    {
      title: 'without a relief',
      decisions: [],
      says: /^2 turns, 2 calls in 7\.2 s; largest call 80k of 200k tokens \(40%\); \$0\.\d\d$/,
    },
    {
      title: 'with compactions by anybody, and a handoff',
      decisions: [COMPACTED, NATIVE, HANDED_OVER],
      says: /; \$0\.\d\d, about \$0\.\d\d less than claude alone; 2 compactions and 1 handoff$/,
    },
    {
      title: 'does not count a compaction that failed',
      decisions: [{ ...COMPACTED, verdict: 'failed' } as Decision],
      says: /; \$0\.\d\d$/,
    },
  ])('$title', ({ decisions, says }) => {
    expect(closing(decisions, played())).toMatch(says);
  });

  it('marks a cost that claude has not reported', () => {
    const driver = drive();
    driver.prompt('More.');
    driver.claude(initLine(), callLine(40_000));
    expect(closing([], driver.state)).toMatch(/; about \$0\.\d\d$/);
  });

  it('names the notes and the record', () => {
    const notes = '.context/sessions/a';
    expect(closing([], changedIn(played(), 'session', { notes }), { ...END, record: 'run.ndjson' })).toMatch(
      /; notes: \.context\/sessions\/a; record: run\.ndjson$/,
    );
  });

  it('is omitted if claude did nothing', () => {
    expect(closing([], drive().state)).toBe('');
  });

  it.each([
    { title: 'what was saved', real: 1, alone: 1.35, says: ', about $0.35 less than claude alone; ' },
    { title: 'what was lost', real: 1.12, alone: 1, says: ', about $0.12 more than claude alone; ' },
    {
      title: 'that the accounts cannot tell a saving from none',
      real: 1,
      alone: 1.019,
      says: ', about as much as claude alone; ',
    },
    { title: 'nor a loss', real: 1.019, alone: 1, says: ', about as much as claude alone; ' },
  ])('says $title', ({ real, alone, says }) => {
    const state = played();
    const microUsd = { real: real * 1_000_000, baseline: alone * 1_000_000 };
    const relief = { ...state.relief, baseline: { ...state.relief.baseline, open: undefined, microUsd } };
    expect(closing([COMPACTED], { ...state, relief })).toContain(says);
  });

  it('says that claude alone would have left a prompt unanswered', () => {
    const state = played();
    const relief = { ...state.relief, baseline: { ...state.relief.baseline, gaveUp: true } };
    expect(closing([COMPACTED], { ...state, relief })).toMatch(
      /; \$0\.\d\d; claude alone would probably not have answered every prompt; /,
    );
  });

  it('omits the comparison without a price', () => {
    const state = played();
    const gauge = { ...state.gauge, call: null };
    const session = { ...state.session, model: 'another-model' };
    expect(closing([COMPACTED], { ...state, gauge, session })).not.toContain('claude alone');
  });
});

it('lists unanswered prompts at the end, and how to continue', () => {
  const driver = drive();
  driver.prompt('Read the files.');
  driver.prompt('Write down what they say about the calendar, and the clock.');
  const left = { kind: 'left-undone', prompts: ['a', 'b'], reason: 'the run was stopped' } as unknown as Decision;
  expect(closing([left], driver.state)).toBe(
    'the run was stopped: 2 prompts not answered (“Read the files.”, “Write down what they say about the ca...”); continue with ctxb run --resume-run',
  );
  expect(closing([left], driver.state, { ms: 0, isResumable: false })).toMatch(/not answered \(.*”\)$/);
});
