import { describe, expect, it } from 'vitest';
import { DEFAULTS } from '../../../src/config/defaults.ts';
import type { Policy } from '../../../src/core/governor/policy.ts';
import type { SessionSummary } from '../../../src/replay/summary.ts';
import { unpack } from '../../../src/report/replay-html/page/session.ts';
import type { PageData } from '../../../src/report/replay-html/page-data.ts';
import { replayHtml } from '../../../src/report/replay-html/page-data.ts';
import { aSession, pageDataOf, whatIfOf } from '../../support/replay-report.ts';

/** What the page reads out of the file. */
function read(session: SessionSummary, policy?: Policy) {
  const text = replayHtml('<script>"data of the page"</script>', pageDataOf([session], policy)).slice(8, -9);
  const [info] = (JSON.parse(text) as PageData).sessions;
  if (info === undefined) throw new Error('expected a session');
  return { text, info, session: unpack(info) };
}

describe('page data', () => {
  it('has every figure of every call', () => {
    const given = aSession({ calls: 150 });
    const { session } = read(given);
    expect(session.calls).toHaveLength(150);
    for (const [index, call] of (given.series ?? []).entries()) {
      const { messageId, window, usd, billedOutput, ...figures } = call;
      const found = session.calls[index] ?? expect.unreachable();
      const kinds = session.added.flatMap(({ kind, tokens }) => (tokens[index] ? [[kind, tokens[index]]] : []));
      // What was written anew is what is neither input nor read.
      const cacheCreation = figures.context - figures.cacheRead - figures.input;
      expect({
        ...found,
        added: Object.fromEntries(kinds),
      }).toMatchObject({ ...figures, cacheCreation });
      expect(found.usd).toBeCloseTo(usd ?? Number.NaN, 5);
    }
    expect(session.calls.at(-1)?.spent).toBeCloseTo(given.cost.usd ?? 0, 3);
  });

  it('has the thresholds of the policy in tokens of the window, ascending', () => {
    const thresholds = { ...DEFAULTS.thresholds, compact: 150_000 };
    expect(read(aSession({}), { ...DEFAULTS, thresholds }).info.levels).toEqual([
      { name: 'warning', tokens: 100_000 },
      { name: 'critical', tokens: 140_000 },
      { name: 'compact', tokens: 150_000 },
      // Below claude's own trigger, 167,000, by the room that asking for the document needs.
      { name: 'handoff', tokens: 159_000 },
    ]);
  });

  it('has no list that only finds copies or adds up calls', () => {
    const ledger = { numbers: [1], times: [0], models: ['m'], microUsd: [1], usages: [] };
    const { info } = read({ ...aSession({ calls: 1 }), ledger, keys: Float64Array.of(7) });
    expect(info).not.toHaveProperty('ledger');
    expect(info).not.toHaveProperty('keys');
  });

  it('has only the largest results, largest first', () => {
    const { info } = read(aSession({ calls: 900 }));
    const sizes = info.results.map(({ tokens }) => tokens);
    expect(sizes).toHaveLength(100);
    expect(sizes).toEqual(sizes.toSorted((a, b) => b - a));
    const many = pageDataOf(Array.from({ length: 500 }, (_, seed) => aSession({ seed })));
    for (const { results } of many.sessions) expect(results).toHaveLength(20);
  });

  it('has the estimated context with ctxb', () => {
    const { calls } = read(aSession({ calls: 3, whatIf: whatIfOf([10, 20, 30]) })).session;
    expect(calls.map(({ withCtxb }) => withCtxb)).toEqual([10, 20, 30]);
  });

  it.each([
    { name: 'an end of the element', text: '</script><img src=x>', kept: '</script><img src=x>' },
    { name: 'a comment', text: '<!-- <script>', kept: '<!-- <script>' },
    { name: 'control characters and lines', text: 'a\u001b[31m\nb\u0000', kept: 'a[31m b' },
    { name: 'a turn of direction', text: 'txt.\u202eexe\u2066', kept: 'txt.exe' },
    { name: 'half a character', text: '\ud83d', kept: '\ud83d' },
  ])('cannot be broken by $name', ({ text, kept }) => {
    const given = aSession({
      file: text,
      sessionId: text,
      model: text,
      prompts: [{ turn: 1, line: 1, t: null, text, tokens: 1 }],
    });
    const { text: json, info } = read(given);
    expect(json).not.toMatch(/[<>&]/);
    const found = [info.file, info.sessionId, info.model, info.prompts[0]?.text];
    expect(found).toEqual(found.map(() => kept));
  });
});
