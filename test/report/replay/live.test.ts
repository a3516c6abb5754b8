import { describe, expect, it } from 'vitest';
import type { SessionSummary } from '../../../src/replay/summary.ts';
import { createLiveLines, createLiveText } from '../../../src/report/replay/live.ts';
import { judged, pageOf } from '../../support/session-summary.ts';

/** A session as it was after some of its calls. */
function upTo(session: SessionSummary, calls: number): SessionSummary {
  return {
    ...session,
    calls,
    series: session.series?.slice(0, calls) ?? [],
    compactions: session.compactions.filter(({ call }) => call <= calls),
    actions: session.actions.filter(({ at }) => at.call <= calls),
  };
}

describe('for a person', () => {
  it('each call is told once, with what followed from it', async () => {
    const session = await judged('compact.ndjson');
    const view = createLiveText(pageOf());
    expect(view(upTo(session, 0), false)).toBe('');
    expect(view(upTo(session, 2), false)).toBe(
      '  call     1   100,000  50%\n  call     2   130,000  65%   +30,000  · Bash 100, answer 30\n',
    );
    expect(view(upTo(session, 2), false)).toBe('');
    expect(view(session, true)).toBe(`  call     3   160,000  80%   +30,000  · Bash 100, answer 30
  policy    turn 1, call 3: warning: the context is 80% full (160,003 of 200,000 tokens, measured)
  compacted by /compact at 160,008 (predicted 150,000), to 31,000
  call     4    31,000  16%  -129,000  · summary 200, answer 30
  call     5    31,500  16%      +500  · Bash 100, answer 30
`);
  });

  it('a compaction is told once it is known where it led, or that nothing follows', async () => {
    const session = await judged('compact.ndjson');
    const open = upTo(session, 3);
    const compactions = open.compactions.map((each) => ({ ...each, firstAfter: null }));
    const view = createLiveText(pageOf());
    expect(view({ ...open, compactions }, false)).not.toContain('compacted');
    const told = '  compacted by /compact at 160,008 (predicted 150,000)';
    expect(createLiveText(pageOf())({ ...open, compactions }, true)).toContain(`${told}\n`);
    expect(view(upTo(session, 4), false)).toMatch(/^ {2}compacted by .*, to 31,000\n {2}call {5}4 /);
  });

  it('names what left the context at its call, once', async () => {
    const session = await judged('compact.ndjson');
    const examples = [{ call: 2, line: 9, expected: 120_000, found: 90_000 }];
    const oddities = [{ kind: 'drop', cause: 'context-editing', count: 1, examples }] as const;
    const view = createLiveText(pageOf());
    view({ ...upTo(session, 1), oddities: [] }, false);
    expect(view({ ...upTo(session, 2), oddities }, false)).toBe(
      `  call     2   130,000  65%   +30,000  · Bash 100, answer 30
  drop      call 2: the context became smaller (in the middle of a turn, not announced): 90,000 tokens instead of 120,000
`,
    );
    expect(view({ ...session, oddities }, true)).not.toContain('drop');
  });

  it('of what is there already the last ten calls', async () => {
    const session = await judged('native-mid-turn.session.jsonl');
    const [call] = session.series ?? [];
    if (call === undefined) throw new Error('no call');
    const series = Array.from({ length: 15 }, (_, at) => ({ ...call, number: at + 1 }));
    const view = createLiveText(pageOf());
    const shown = view({ ...session, series, actions: [] }, false);
    expect(shown.match(/ {2}call/g)).toHaveLength(10);
    // It was after the fourth call.
    expect(shown).not.toContain('compacted');
  });
});

describe('for a program', () => {
  it('a call is told when nothing of it will change', async () => {
    const session = await judged('compact.ndjson');
    const view = createLiveLines();
    const calls = (text: string) =>
      text
        .split('\n')
        .slice(0, -1)
        .map((line) => (JSON.parse(line) as { call: number }).call);
    expect(calls(view(upTo(session, 1), false))).toEqual([]);
    expect(calls(view(upTo(session, 3), false))).toEqual([1, 2]);
    expect(calls(view(upTo(session, 3), false))).toEqual([]);
    expect(calls(view(session, false))).toEqual([3, 4]);
    expect(calls(view(session, true))).toEqual([5]);
  });
});
