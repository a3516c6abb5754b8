import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { createMerge } from '../../src/replay/merge.ts';
import { readPartials } from '../../src/replay/partials.ts';
import type { SessionSummary } from '../../src/replay/summary.ts';
import { partial } from '../../src/report/replay/exports.ts';
import { createRandom } from '../support/random.ts';
import { FIXTURE_RECORDINGS } from '../support/recordings.ts';
import { judged, summaryOf, written } from '../support/session-summary.ts';

const part = (sessions: readonly SessionSummary[], faults: readonly string[] = []) =>
  written(partial, sessions, { faults });

async function merged(...partials: readonly string[]) {
  const merge = createMerge();
  const faults = await readPartials(['-'], Readable.from(partials.map((text) => Buffer.from(text))), merge);
  return { sessions: merge.sessions(), repeated: merge.repeated, faults };
}

const lines = (total: number) => ({ total, unknown: 0, malformed: 0 });
/** One recording as it was read at different times, on different machines. */
const GROWING = [10, 20, 20, 30].map((total, at) =>
  summaryOf({ file: `/machine${at}/s.jsonl`, lines: lines(total), time: { first: 1, last: total } }),
);

describe('merging', () => {
  it('gives the same whatever the order, the grouping, and how often', async () => {
    const names = FIXTURE_RECORDINGS.map(({ name }) => name).filter((name) => !name.includes('/'));
    const all = [...(await Promise.all(names.map(judged))), ...GROWING];
    const expected = (await merged(part(all))).sessions;
    expect(expected).toHaveLength(names.length + 1);
    const { next: random } = createRandom(7);
    for (let round = 0; round < 50; round++) {
      const groups = Array.from({ length: 4 }, () => all.filter(() => random() < 0.6));
      const rest = all.filter((session) => !groups.some((group) => group.includes(session)));
      const [a = '', b = '', c = '', d = ''] = [...groups, rest].map((group) => part(shuffled(group, random)));
      const left = part((await merged(a, b)).sessions);
      const right = part((await merged(c, d, part(rest), a)).sessions);
      expect((await merged(left, right)).sessions).toEqual(expected);
      expect((await merged(right, left, left)).sessions).toEqual(expected);
    }
  });

  it('takes a session of which neither window nor cost is known', async () => {
    const unknown = summaryOf({
      window: { tokens: null, source: 'unknown' },
      context: { peakFraction: null },
      cost: { usd: null, computed: false },
    });
    expect(await merged(part([unknown]))).toMatchObject({ sessions: [unknown], faults: [] });
  });

  it('of a recording that has grown the longest counts', () => {
    const merge = createMerge();
    for (const session of GROWING) merge.add(session);
    expect(merge.sessions()).toEqual([GROWING[3]]);
    expect(merge.repeated).toBe(3);
  });

  it('a summary with its calls says more than one without', () => {
    const merge = createMerge();
    for (const session of [summaryOf(), summaryOf({ series: [] }), summaryOf()]) merge.add(session);
    expect(merge.sessions()).toEqual([summaryOf({ series: [] })]);
  });

  it.each<{ name: string; other: Partial<SessionSummary>; same: boolean }>([
    { name: 'the same file', other: {}, same: true },
    { name: 'the same file in another folder', other: { file: '/elsewhere/session.ndjson' }, same: true },
    { name: 'another file of the session', other: { file: 'other.ndjson' }, same: false },
    { name: 'another session, both from stdin', other: { sessionId: 's2' }, same: false },
    { name: 'another beginning of the session', other: { opening: 'fedcba9876543210' }, same: false },
    { name: 'the log of the session that the stream is of', other: { dialect: 'session' }, same: false },
  ])('$name: $same', ({ other, same }) => {
    const merge = createMerge();
    merge.add(summaryOf());
    merge.add(summaryOf(other));
    expect(merge.sessions()).toHaveLength(same ? 1 : 2);
  });

  it('empty files are told apart by where they lie', () => {
    const merge = createMerge();
    for (const file of ['a/s.ndjson', 'b/s.ndjson', 'a/s.ndjson']) merge.add(summaryOf({ file, opening: null }));
    expect(merge.sessions().map(({ file }) => file)).toEqual(['a/s.ndjson', 'b/s.ndjson']);
  });
});

describe('partials', () => {
  it('come back as they were, calls included', async () => {
    const sessions = [await judged('compact.ndjson'), await judged('subagent.session.jsonl')];
    expect(await merged(part(sessions))).toEqual({ sessions, repeated: 0, faults: [] });
  });

  it('may have no session', async () => {
    expect(await merged(part([]), part([summaryOf()]))).toMatchObject({ sessions: [summaryOf()], faults: [] });
  });

  it('tell what could not be read where they were made', async () => {
    const { sessions, faults } = await merged(part([summaryOf()], ['gone.ndjson: cannot be read']));
    expect(sessions).toHaveLength(1);
    expect(faults).toMatchObject([{ code: 'unreadable-input', message: 'gone.ndjson: cannot be read' }]);
  });

  const whole = part([summaryOf({ sessionId: 'a' }), summaryOf({ sessionId: 'b' })]);
  const [opening = '', a = '', b = ''] = whole.split(/(?<=\n)/);
  const next = part([summaryOf({ sessionId: 'c' })]);
  it.each([
    { name: 'cut off after a line', text: opening + a, says: '- is cut off (1 session of it counted)', left: 1 },
    { name: 'cut off after many', text: opening + a.repeat(1_200), says: '(1,200 sessions of it counted)', left: 1 },
    {
      name: 'cut off within a line',
      text: opening + a + b.slice(0, -9),
      says: '-, line 3 is not a partial, or is damaged',
      left: 1,
    },
    { name: 'cut off, another behind it', text: opening + a + next, says: 'is cut off (1 session', left: 2 },
    { name: 'a line is missing', text: whole.replace(a, '') + next, says: 'is cut off (1 session', left: 2 },
    {
      name: 'a damaged line',
      text: whole.replace(a, '{"file":"a"}\n') + next,
      says: 'line 2 is not a partial',
      left: 2,
    },
    {
      name: 'a figure that is none',
      text: whole.replace(a, a.replace(/"total":\d+/, '"total":"x"')) + next,
      says: 'line 2 is not a partial',
      left: 2,
    },
    {
      name: 'a figure of pauses that is none',
      text: whole.replace(a, a.replace('"turns"', '"pauses":{"count":"x"},"turns"')) + next,
      says: 'line 2 is not a partial',
      left: 2,
    },
    { name: 'without its opening', text: a + b, says: '- is not a partial', left: 0 },
    {
      name: 'a report',
      text: '{\n  "version": 1,\n  "sessions": []\n}\n',
      says: 'make it again with ctxb replay --partial',
      left: 0,
    },
    {
      name: 'a recording',
      text: '{"type":"system"}\n{"type":"result"}\n',
      says: 'make one with ctxb replay --partial',
      left: 0,
    },
    {
      name: 'of another version',
      text: next + whole.replace('"version":2', '"version":3'),
      says: 'another version of ctxb (3, expected 2)',
      left: 1,
    },
    { name: 'nothing', text: '', says: '- is empty: make a partial with ctxb replay --partial', left: 0 },
  ])('are refused, and what is whole of them counts: $name', async ({ text, says, left }) => {
    const { sessions, faults } = await merged(text);
    expect(faults.map(({ message }) => message)).toEqual([expect.stringContaining(says)]);
    expect(sessions).toHaveLength(left);
  });

  it('names a file that is not there', async () => {
    const faults = await readPartials(['/no/such.part'], Readable.from([]), createMerge());
    expect(faults).toMatchObject([{ code: 'unreadable-input', message: expect.stringContaining('/no/such.part') }]);
  });
});

function shuffled<T>(items: readonly T[], random: () => number): T[] {
  return items
    .map((item) => ({ item, key: random() }))
    .sort((a, b) => a.key - b.key)
    .map(({ item }) => item);
}
