import { describe, expect, it } from 'vitest';
import type { Decision } from '../../src/governor/actions.ts';
import { decisionText } from '../../src/messages.ts';
import type { SessionSummary } from '../../src/replay/summary.ts';
import { counted, dollars, percent, tokens } from '../../src/report/figures.ts';
import { onOneLine, PLAIN } from '../../src/report/style.ts';
import { summaryText } from '../../src/report/summary-text.ts';

const WARNING: Decision = {
  kind: 'warn',
  at: { turn: 0, call: 3 },
  reason: '160002 tokens have crossed 140000 of 200000',
  gauge: {
    used: 160_000,
    predicted: 160_002,
    window: 200_000,
    windowSource: 'assumed',
    fraction: 0.80001,
    basis: 'measured',
  },
};

const CONTEXT = { peakCall: 3, curve: [30_000, 90_000, 160_000, 31_000, 31_500] };
const NO_USAGE = { input: 0, cacheCreation: 0, cacheRead: 0, output: 0 };
const COMPACTED = { by: 'ctxb', call: 3, line: 400 } as const;

const SESSION: SessionSummary = {
  file: 'session.ndjson',
  sessionId: 's1',
  dialect: 'stream',
  claudeCodeVersion: '2.1.197',
  model: 'claude-sonnet-4-5',
  window: { tokens: 200_000, source: 'result' },
  turns: 3,
  calls: 5,
  context: { ...CONTEXT, last: 31_500, peak: 160_000, peakFraction: 0.8, basis: 'measured' },
  compactions: [{ ...COMPACTED, trigger: 'manual', preTokens: 160_008, gaugeBefore: 160_002, firstAfter: 31_000 }],
  actions: [WARNING],
  project: '/project',
  time: { first: null, last: null },
  traffic: { main: NO_USAGE, subagents: NO_USAGE },
  growth: { prompt: 20, Read: 100_000 },
  oddities: [],
  largest: [],
  cost: { usd: 0.708, computed: false },
  lineage: [],
  subagents: [{ id: 'a', peak: 9_400, calls: 2 }],
  lines: { total: 1_019, unknown: 0, malformed: 0 },
};

const text = (...sessions: readonly Partial<SessionSummary>[]) =>
  summaryText({ version: 1, sessions: sessions.map((changes) => ({ ...SESSION, ...changes })) }, PLAIN);

describe('the summary for a person', () => {
  it('says everything in a few lines', () => {
    expect(text({})).toBe(`session.ndjson
  session   Claude Code 2.1.197 · claude-sonnet-4-5 · s1
  window    200,000 tokens (result)
  context   peak 160,000 (80%), last 31,500 (measured)
  traffic   3 turns, 5 calls; 1 subagent, largest 9,400 tokens
  cost      $0.71
  compacted by /compact at 160,008 (predicted 160,002), to 31,000
  policy    turn 1, call 3: ${decisionText(WARNING)}
  lines     1,019
`);
  });

  it.each<{ name: string; changes: Partial<SessionSummary>; has?: string; lacks?: string }>([
    { name: 'nothing to do', changes: { actions: [] }, has: 'policy    nothing to do' },
    { name: 'no cost where none is known', changes: { cost: { usd: null, computed: false } }, lacks: 'cost' },
    {
      name: 'a cost that claude did not report',
      changes: { cost: { usd: 0.708, computed: true } },
      has: 'cost      $0.71 (in part computed from list prices)\n',
    },
    {
      name: 'the sessions that the work went on under',
      changes: { lineage: [{ from: 's1', to: 's2', reason: 'handed over', context: 171_000 }] },
      has: 'lineage   s1 → s2: handed over at 171,000\n',
    },
    {
      name: 'no origin where none is known',
      changes: { claudeCodeVersion: null, model: null, sessionId: null },
      lacks: '  session',
    },
    {
      name: 'nothing measured',
      changes: { calls: 0, actions: [], context: { ...CONTEXT, last: 0, peak: 0, peakFraction: 0, basis: 'none' } },
      has: 'nothing was measured',
      lacks: 'nothing to do',
    },
    {
      name: 'an estimate, without a peak that was never measured',
      changes: { calls: 0, context: { ...CONTEXT, last: 1_234, peak: 0, peakFraction: 0, basis: 'estimated' } },
      has: 'context   last 1,234 (estimated)',
    },
    {
      name: "claude's own compaction, without its figures",
      changes: {
        compactions: [{ ...COMPACTED, trigger: 'auto', preTokens: null, gaugeBefore: 167_000, firstAfter: null }],
      },
      has: 'compacted by claude itself at 167,000 predicted\n',
    },
    {
      name: 'odd lines',
      changes: { lines: { total: 9, unknown: 2, malformed: 1 } },
      has: 'lines     9, 2 of unknown type, 1 malformed',
    },
    { name: 'one of each', changes: { turns: 1, calls: 1, subagents: [] }, has: 'traffic   1 turn, 1 call\n' },
  ])('$name', ({ changes, has = '', lacks }) => {
    expect(text(changes)).toContain(has);
    if (lacks) expect(text(changes)).not.toContain(lacks);
  });

  it('puts an empty line between sessions', () => {
    expect(text({ file: 'a' }, { file: 'b' })).toMatch(/^a\n(?: .*\n)+\nb\n(?: .*\n)+$/);
  });

  it('says that there are none', () => {
    expect(text()).toBe('no recordings found\n');
  });

  it('lets nothing from a recording steer the terminal', () => {
    const steering = '\u001b]0;title\u0007\u001b[2J';
    expect(text({ model: steering, sessionId: steering, file: steering })).not.toMatch(
      /[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/,
    );
  });
});

describe('figures', () => {
  it.each([
    { name: 'thousands', text: tokens(1_234_567), expected: '1,234,567' },
    { name: 'below a thousand', text: tokens(999.6), expected: '1,000' },
    { name: 'a share', text: percent(0.705), expected: '71%' },
    { name: 'an amount', text: dollars(0.4217), expected: '$0.42' },
    { name: 'less than a cent', text: dollars(0.0042), expected: '$0.0042' },
    { name: 'nothing', text: dollars(0), expected: '$0.00' },
    { name: 'one', text: counted(1, 'turn'), expected: '1 turn' },
    { name: 'none', text: counted(0, 'turn'), expected: '0 turns' },
  ])('$name: $expected', ({ text, expected }) => {
    expect(text).toBe(expected);
  });

  it('text on several lines is put on one', () => {
    expect(onOneLine('a\n\tb\r\u0000')).toBe('a b');
  });
});
