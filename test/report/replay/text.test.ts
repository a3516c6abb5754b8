import { describe, expect, it } from 'vitest';
import { decisionText } from '../../../src/messages.ts';
import type { SessionSummary } from '../../../src/replay/summary.ts';
import { sums, text } from '../../../src/report/replay/session-list.ts';
import { compactionOf, pageOf, summaryOf, WARNING, written } from '../../support/session-summary.ts';

describe('one session', () => {
  it('has a line for each fact', () => {
    expect(written(text, [summaryOf()])).toBe(`  file      session.ndjson
  session   Claude Code 2.1.197 · claude-sonnet-4-5 · s1
  window    200,000 tokens (result)
  context   largest call 160,000 (80%), last 31,500 (measured)
  traffic   3 turns, 5 calls; 1 subagent, largest 9,400 tokens
  cost      $0.71
  subagent  a: 2 calls, 18,000 tokens, $0.02, peak 9,400
  compacted by ctxb at 160,008 (predicted 160,002), to 31,000
  ctxb      turn 1, call 3: ${decisionText(WARNING)}
  lines     1,019
`);
  });

  it.each<{ name: string; session: SessionSummary; has?: string; lacks?: string }>([
    { name: 'nothing to do', session: summaryOf({ actions: [] }), has: 'ctxb      nothing to do' },
    {
      name: 'no cost where none is known',
      session: summaryOf({ cost: { usd: null, computed: false } }),
      lacks: '  cost  ',
    },
    {
      name: 'a cost that claude did not report',
      session: summaryOf({ cost: { usd: 0.708, computed: true } }),
      has: 'cost      $0.71 (from list prices where claude reported no cost)\n',
    },
    {
      name: 'a cost out of a log of claude, which reports none',
      session: summaryOf({ dialect: 'session', cost: { usd: 0.708, computed: true } }),
      has: 'cost      $0.71 (from list prices)\n',
    },
    {
      name: 'a cost without calls of which it is not known',
      session: summaryOf({ cost: { usd: 0.708, computed: true, unpriced: 'glm-5.1' } }),
      has: '  The cost is a lower bound, because glm-5.1 has no known price: cost.prices sets that of a model.\n',
    },
    {
      name: 'no origin where none is known',
      session: summaryOf({ claudeCodeVersion: null, model: null, sessionId: null }),
      lacks: '  session  ',
    },
    {
      name: 'nothing measured',
      session: summaryOf({
        calls: 0,
        actions: [],
        compactions: [],
        context: { last: 0, peak: 0, peakFraction: null, basis: 'none' },
      }),
      has: 'not measured',
      lacks: 'nothing to do',
    },
    {
      name: 'an estimate, without a peak that was never measured',
      session: summaryOf({ calls: 0, context: { last: 1_234, peak: 0, peakFraction: null, basis: 'estimated' } }),
      has: 'context   last 1,234 (estimated)',
    },
    {
      name: "claude's own compaction, without its figures",
      session: summaryOf({
        compactions: [
          compactionOf({ trigger: 'auto', by: 'claude', preTokens: null, gaugeBefore: 167_000, firstAfter: null }),
        ],
      }),
      has: 'compacted by claude itself at 167,000 predicted\n',
    },
    {
      name: 'a compaction that a recording begins with',
      session: summaryOf({
        compactions: [compactionOf({ trigger: 'auto', by: 'claude', preTokens: 998_659, gaugeBefore: 0 })],
      }),
      has: 'compacted by claude itself at 998,659, to ',
    },
    {
      name: 'odd lines',
      session: summaryOf({ lines: { total: 9, unknown: 2, malformed: 1 } }),
      has: 'lines     9, 2 of unknown type, 1 malformed',
    },
    {
      name: 'one of each',
      session: summaryOf({ turns: 1, calls: 1, subagents: [] }),
      has: 'traffic   1 turn, 1 call\n',
    },
  ])('$name', ({ session, has = '', lacks }) => {
    expect(written(text, [session])).toContain(has);
    if (lacks) expect(written(text, [session])).not.toContain(lacks);
  });

  it('removes control sequences of a recording', () => {
    const steering = '\u001b]0;title\u0007\u001b[2J';
    expect(written(text, [summaryOf({ model: steering, sessionId: steering, file: steering })])).not.toMatch(
      /[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/,
    );
  });
});

describe('several sessions', () => {
  const at = (time: string) => ({ first: null, last: new Date(time).getTime() });

  it('have a row each, and a row of totals', () => {
    const sessions = [
      summaryOf({ time: at('2026-03-31T14:05:00'), project: '/src/dev/api' }),
      summaryOf({ time: at('2026-01-02T09:00:00'), calls: 2_000, compactions: [], context: { peakFraction: 0.951 } }),
      summaryOf({
        time: at('2025-12-31T09:00:00'),
        cost: { usd: null, computed: false },
        model: 'glm-5.1',
        prompt: null,
      }),
      summaryOf({ project: '/web', model: 'claude-opus-4-5-20251101', cost: { usd: 1234.5, computed: false } }),
    ];
    expect(
      written(text, sessions),
    ).toBe(`project     date          first pr…  model       peak  comp.  calls         cost
dev/api     Mar 31 14:05  mend the…  sonnet-4-5   80%      1      5        $0.71
/project    Jan 02 09:00  mend the…  sonnet-4-5   95%      0  2,000        $0.71
/project    2025-12-31    session.…  glm-5.1      80%      1      5            –
/web        –             mend the…  opus-4-5     80%      1      5    $1,234.50
────────────────────────────────────────────────────────────────────────────────
4 sessions                                        95%      3  2,015  ≥ $1,235.92
`);
  });

  it('have whole dates if there is room, and ids if requested', () => {
    const sessions = [summaryOf({ time: at('2026-03-31T14:05:00') }), summaryOf({ sessionId: 's2' })];
    const page = pageOf({ columns: 140, list: { ids: true } });
    const [heading, first] = written(text, sessions, { page }).split('\n');
    expect(heading).toMatch(/^project +date +session +first prompt +model +peak +comp\. +calls +cost$/);
    expect(first).toMatch(/^\/project +2026-03-31 14:05 +s1 +mend the lexer +sonnet-4-5 +80% +1 +5 +\$0\.71$/);
  });

  it('keep ids whole on a terminal, instead of the prompt if there is no room for both', () => {
    const sessions = ['a', 'b'].map((letter) => summaryOf({ sessionId: letter.repeat(36) }));
    for (const columns of [80, 120, 140]) {
      const page = pageOf({ columns, edge: columns, list: { ids: true } });
      const lines = written(text, sessions, { page }).split('\n');
      expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(columns);
      expect(lines[1]).toContain('a'.repeat(36));
      expect(lines[0]?.includes('first prompt')).toBe(columns > 80);
    }
  });

  it('suggest options on a terminal', () => {
    const sessions = [summaryOf(), summaryOf()];
    const shown = written(text, sessions, { page: pageOf({ columns: 80, edge: 80 }) });
    expect(shown).toContain('  More: --detail (each turn), --ids, ');
    expect(written(text, sessions)).not.toContain('More:');
  });

  it('are limited as requested, with totals of all', () => {
    const shown = written(
      text,
      [1, 2, 3].map(() => summaryOf()),
      { page: pageOf({ list: { limit: 1 } }) },
    );
    expect(shown.match(/mend the lexer/g)).toHaveLength(1);
    expect(shown).toContain('3 sessions');
    expect(shown).toContain('  2 rows left out, but included in the sums: --limit 0 shows all.\n');
  });

  it('report copied calls', () => {
    const from = [{ session: 's1', calls: 3 }];
    const copied = { from, calls: 3, compactions: 1, usd: 0.7 };
    const shown = written(text, [summaryOf(), summaryOf({ sessionId: 's2', copied })]);
    expect(shown).toMatch(
      /0 +2 +\$0\.0080\n─+\n2 sessions +80% +1 +7 +\$0\.72\n {2}3 calls copied into other sessions/,
    );
    expect(written(text, [summaryOf({ copied })])).toContain(
      'copied    3 calls copied from s1, which count there ($0.70)\n',
    );
  });

  it('name a folder of Windows like any other', () => {
    const sessions = ['C:\\Users\\dev\\shop', 'C:\\Users\\dev\\api'].map((project) => summaryOf({ project }));
    expect(written(text, sessions)).toMatch(/^shop .*\n^api /m);
  });

  it('stay aligned if a prompt has wide characters', () => {
    const shown = written(text, [summaryOf({ prompt: '構文解析器を直して' }), summaryOf()]);
    expect(shown).toContain('\n/project  –     構文解析器を直して  sonnet-4-5');
  });

  it.each([
    { name: 'some', window: { tokens: 200_000, source: 'result' }, whose: '1 session' },
    { name: 'all', window: { tokens: null, source: 'unknown' }, whose: '2 sessions' },
  ] as const)('report that the window of $name is unknown', ({ window, whose }) => {
    const unknown = { tokens: null, source: 'unknown' } as const;
    const sessions = [summaryOf({ file: 'a.jsonl', window: unknown }), summaryOf({ file: 'b.jsonl', window })];
    const last = written(text, sessions).trimEnd().split('\n').at(-1);
    expect(last).toBe(`  The window of ${whose} is unknown: --window sets it.`);
  });

  it('keep their columns on a terminal without room for a prompt', () => {
    const sessions = Array.from({ length: 12 }, (_, at) => summaryOf({ file: `s${at}`, time: { first: 0, last: 0 } }));
    const lines = written(text, sessions, { page: pageOf({ columns: 38, edge: 38 }) })
      .split('\n')
      .slice(0, 15);
    expect(new Set(lines.map((line) => line.length)).size).toBe(1);
    expect(lines.at(-1)).toMatch(/^12 /);
  });

  it('are not counted if they add nothing to the sums', () => {
    const ledger = { numbers: [1], times: [1_000], models: [null], microUsd: [1_000], usages: [] };
    const [cost, time] = [
      { usd: 0.001, computed: true },
      { first: 1_000, last: 9_000 },
    ];
    const session = summaryOf({ ledger, calls: 1, compactions: [], cost, time });
    const lines = written(sums, [session], { page: pageOf({ list: { by: 'day', since: 5_000 } }) }).split('\n');
    expect(lines.at(-2)).toMatch(/^0 days +0 +0 +0/);
  });

  it.each(['day', 'project', 'model'] as const)('keep the name of each %s in sums on a narrow terminal', (by) => {
    const sessions = ['a', 'b'].map((file) => summaryOf({ file, model: `claude-${file}`, project: `/home/${file}` }));
    const lines = written(sums, sessions, { page: pageOf({ columns: 38, edge: 38, list: { by } }) }).split('\n');
    expect(lines[0]).toMatch(new RegExp(`^${by} `));
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(38);
  });

  it.each([40, 60, 80, 120, 200])('fit into %d columns', (columns) => {
    const sessions = ['0276a600-2f22-4d2b-844c-3feb9c5aa108', '1dac1b6d-223c-4476-a42a-cedaae0d8a42'].map((id) =>
      summaryOf({ file: `/home/dev/.claude/projects/-home-dev-${id}/${id}.jsonl`, calls: 60 }),
    );
    const lines = written(text, sessions, { page: pageOf({ columns }) })
      .trimEnd()
      .split('\n');
    for (const line of lines) expect([...line].length).toBeLessThanOrEqual(Math.max(columns, 55));
    expect(lines).toHaveLength(5);
  });
});
