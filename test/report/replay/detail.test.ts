import { describe, expect, it } from 'vitest';
import { detail } from '../../../src/report/replay/detail.ts';
import { judged, summaryOf, WARNING, written } from '../../support/session-summary.ts';

const AGENT = { kind: null, peak: 1, calls: 1, tokens: 1, usd: 0, estimated: false };

describe('the story of a session', () => {
  it('lists turn after turn, with compactions and decisions in their places', async () => {
    expect(written(detail, [await judged('compact.ndjson')])).toBe(`  file      compact.ndjson
  session   Claude Code 2.1.197 · claude-sonnet-4-5 · 2ca20535-eb66-43be-96ec-4185d43d4749
  window    200,000 tokens (result)
  context   largest call 160,000 (80%), last 31,500 (measured)
  traffic   3 turns, 5 calls
  cost      $0.71
  turn 1: 3 calls, 100,000 → 160,000 (80%)
    grew by   Bash 200, answer 60
  ctxb      turn 1, call 3: warning: the context is 80% full (160,003 of 200,000 tokens, measured)
  compacted by /compact at 160,008 (predicted 150,000), to 31,000
  turn 3: 2 calls, 31,000 → 31,500 (16%)
    grew by   summary 200, Bash 100, answer 60
  lines     19
`);
  });

  it('shows the share of a first turn whose window is reported at its end', async () => {
    const session = await judged('compact.ndjson');
    const series = session.series?.map((call) => ({ ...call, window: call.turn === 1 ? null : call.window })) ?? [];
    expect(written(detail, [{ ...session, series }])).toContain('turn 1: 3 calls, 100,000 → 160,000 (80%)\n');
  });

  it('shows a compaction in mid-turn in its place', async () => {
    expect(written(detail, [await judged('native-mid-turn.session.jsonl')])).toContain(`
  turn 1: 4 calls, 70,000 → 115,000 (57%)
    prompt    Do the very long thing.
    grew by   Bash 300, answer 90, prompt 20
  compacted by claude itself at 115,032 (predicted 150,000), to 33,000
  turn 1 continues: 2 calls, 33,000 → 33,700 (17%)
    grew by   Bash 200, summary 200, answer 60
`);
  });

  it.each([
    { name: 'subagent.ndjson', figures: '2 calls, peak 9,400, $0.0072' },
    { name: 'subagent.session.jsonl', figures: '2 calls, peak 9,400, $0.0075' },
  ])('puts subagents into their turn: $name', async ({ name, figures }) => {
    const [, turn = ''] = written(detail, [await judged(name)]).split(/^(?= {2}turn 1)/m);
    expect(turn).toContain(`\n    subagent  general-purpose, ${figures}: Count the files.\n`);
  });

  it('shows the known figures of a session without known calls', () => {
    const text = written(detail, [summaryOf({ subagents: [{ ...AGENT, id: 'a', peak: 9_400, calls: 2 }] })]);
    expect(text).toContain('\n    subagent  2 calls, peak 9,400, $0.00: a\n');
    const estimated = summaryOf({ subagents: [{ ...AGENT, id: 'b', estimated: true }] });
    expect(written(detail, [estimated])).toContain('\n    subagent  about 1 call, peak 1, $0.00: b\n');
    expect(text).toContain('\n  compacted by ctxb');
    expect(text).not.toContain('turn 1:');
  });

  it('names the six largest sources of growth', async () => {
    const session = await judged('tool-turn.ndjson');
    const added = Object.fromEntries(['A', 'B', 'C', 'D', 'E', 'F', 'G', 'H'].map((tool, at) => [tool, 10 * (at + 1)]));
    const series = session.series?.slice(0, 1).map((call) => ({ ...call, added }));
    expect(written(detail, [{ ...session, ...(series && { series }) }])).toContain(
      'grew by   H 80, G 70, F 60, E 50, D 40, C 30, others 30\n',
    );
  });

  it('separates sessions by an empty line', async () => {
    const session = await judged('tool-turn.ndjson');
    expect(written(detail, [session, session]).match(/\n\n {2}file /g)).toHaveLength(1);
  });

  it('removes control sequences of a recording', async () => {
    const steering = '\u001b]0;title\u0007\u001b[2J';
    const session = await judged('native-mid-turn.session.jsonl');
    const text = written(detail, [
      {
        ...session,
        file: steering,
        prompts: session.prompts?.map((prompt) => ({ ...prompt, text: steering })) ?? [],
        subagents: [{ ...AGENT, id: steering, task: steering }],
        actions: [WARNING],
      },
    ]);
    expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
  });
});
