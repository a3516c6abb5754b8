import { describe, expect, it } from 'vitest';
import {
  type Cost,
  costAfterRestart,
  EMPTY_COST,
  isComputed,
  readCost,
  readCounter,
  readCounterAtStart,
  toMicroUsd,
  totalMicroUsd,
  toUsd,
} from '../../../../src/core/governor/cost/cost.ts';
import { PRICES } from '../../../../src/core/governor/cost/prices.ts';
import { decodeObject } from '../../../../src/core/protocol/decode.ts';
import type { Event } from '../../../../src/core/protocol/events.ts';
import { contextOf } from '../../../../src/core/protocol/usage.ts';
import type { Line } from '../../../support/governor.ts';
import { eventsOf, FIXTURE_RECORDINGS, fixture, SHARED_RECORDINGS, TRANSCRIPTS } from '../../../support/recordings.ts';

const SONNET = 'claude-sonnet-4-5';

const read = (cost: Cost, events: readonly Event[]) =>
  events.reduce((sum, event) => readCost(sum, event, { prices: PRICES, version: undefined }), cost);
const readLines = (cost: Cost, ...lines: readonly Line[]) => read(cost, lines.map(decodeObject));

const result = (total_cost_usd?: number): Line => ({ type: 'result', subtype: 'success', total_cost_usd });
const init = (claude_code_version: string): Line => ({ type: 'system', subtype: 'init', claude_code_version });

/** A line of a call: at Sonnet's prices, 1,000 input tokens are 3,000 micro-dollars and an output token 15. */
function call(id: string, input_tokens: number, more: Line = {}): Line {
  const { model = SONNET, output_tokens = 1, text = '', thread = null, stop_reason = null } = more;
  const message = { id, model, stop_reason, content: [{ type: 'text', text }], usage: { input_tokens, output_tokens } };
  return { type: 'assistant', message, parent_tool_use_id: thread };
}

const figures = (cost: Cost) => ({ microUsd: totalMicroUsd(cost), computed: isComputed(cost), known: cost.known });

/** What claude's counter said, its resets added up: an account of its own, made in dollars. */
function reportedUsd(events: readonly Event[]): number {
  const totals = events.flatMap((event) =>
    event.kind === 'result' && event.costUsd !== undefined ? [event.costUsd] : [],
  );
  const ends = totals.filter((total, index) => (totals[index + 1] ?? 0) < total);
  return ends.reduce((sum, total) => sum + total, 0);
}

const withoutReports = (events: readonly Event[]) =>
  events.map((event) => (event.kind === 'result' ? { ...event, costUsd: undefined } : event));

/** Up to 2.1.87 claude counted what is cached for an hour at the price of five minutes. */
function countsHours(events: readonly Event[]): boolean {
  const version = events.find((event) => event.kind === 'init')?.version ?? '';
  return Number(version.split('.')[2]) > 87;
}

function withoutHour(event: Event): Event {
  if (event.kind !== 'assistant' || event.usage === undefined) return event;
  const { cacheCreationHour: _, ...usage } = event.usage;
  return { ...event, usage };
}

const RECORDINGS = [...FIXTURE_RECORDINGS, ...SHARED_RECORDINGS, ...TRANSCRIPTS]
  .filter(({ name }) => name.endsWith('.ndjson') && !name.includes('dialogue'))
  .map(({ name, path }) => ({ name, events: eventsOf(path) }))
  .filter(({ events }) => reportedUsd(events) > 0);

describe('real recordings', () => {
  it.each(RECORDINGS)('$name: claude reports override computed costs', ({ events }) => {
    const reports = events.findLastIndex(({ kind }) => kind === 'result');
    const { microUsd, ...rest } = figures(read(EMPTY_COST, events.slice(0, reports + 1)));
    expect(rest).toEqual({ computed: false, known: true });
    expect(Math.abs(microUsd - reportedUsd(events) * 1_000_000)).toBeLessThan(2);
  });

  it.each(RECORDINGS)('$name: without reports, no more is computed than was reported', ({ events }) => {
    const counted = countsHours(events) ? events : events.map(withoutHour);
    const { microUsd, computed } = figures(read(EMPTY_COST, withoutReports(counted)));
    expect(microUsd).toBeLessThanOrEqual(reportedUsd(events) * 1_000_000 + 2);
    expect(computed).toBe(microUsd > 0);
  });

  it('with partial messages the computed cost equals the reported one', () => {
    const events = eventsOf(fixture('partial.ndjson'));
    expect(totalMicroUsd(read(EMPTY_COST, withoutReports(events)))).toBe(toMicroUsd(reportedUsd(events)));
  });
});

describe('computed costs between reports', () => {
  it.each([
    { title: 'a call', lines: [call('m1', 1_000)], microUsd: 3_015 },
    { title: 'several lines of one call', lines: [call('m1', 1_000), call('m1', 1_000)], microUsd: 3_015 },
    { title: 'several calls', lines: [call('m1', 1_000), call('m2', 2_000)], microUsd: 9_030 },
    { title: 'lines without an id are calls of their own', lines: [call('', 1_000), call('', 1_000)], microUsd: 6_030 },
    {
      title: 'a placeholder of the output gives way to the text',
      lines: [call('m1', 1_000, { text: 'x'.repeat(200) }), call('m1', 1_000, { text: 'y'.repeat(200) })],
      microUsd: 4_500,
    },
    {
      title: 'the larger of two output counts',
      lines: [call('m1', 1_000, { output_tokens: 90 }), call('m1', 1_000, { output_tokens: 8 })],
      microUsd: 4_350,
    },
    {
      title: 'a final output count beats the text',
      lines: [call('m1', 1_000, { text: 'x'.repeat(4_000), output_tokens: 10, stop_reason: 'end_turn' })],
      microUsd: 3_150,
    },
    {
      title: 'main thread and subagents side by side',
      lines: [
        call('m1', 1_000),
        call('s1', 1_000, { thread: 'a' }),
        call('t1', 1_000, { thread: '__proto__' }),
        call('m1', 1_000),
        call('s1', 1_000, { thread: 'a' }),
        call('s2', 1_000, { thread: 'a' }),
      ],
      microUsd: 12_060,
    },
    { title: 'synthetic lines', lines: [call('m1', 1_000, { model: '<synthetic>' })], microUsd: 0 },
    { title: 'all-zero usage', lines: [call('m1', 0)], microUsd: 0 },
  ])('$title', ({ lines, microUsd }) => {
    const known = microUsd > 0;
    expect(figures(readLines(EMPTY_COST, ...lines))).toEqual({ microUsd, computed: known, known });
  });

  it('take the final output count of a thread from its partial messages', () => {
    const delta = { type: 'message_delta', usage: { output_tokens: 100 } };
    const partial = { type: 'stream_event', event: delta, parent_tool_use_id: null };
    const cost = readLines(EMPTY_COST, call('m1', 1_000), call('s1', 1_000, { thread: 'a' }), partial);
    expect(totalMicroUsd(cost)).toBe(4_500 + 3_015);
  });

  it('take the output of the last step from partial messages', () => {
    const steps = [
      { type: 'message', input_tokens: 1_000, output_tokens: 40 },
      { type: 'message', input_tokens: 2_000, output_tokens: 60 },
    ];
    const usage = { input_tokens: 3_000, output_tokens: 100, iterations: steps };
    const event = decodeObject({ type: 'stream_event', event: { type: 'message_delta', usage } });
    expect(event).toMatchObject({ kind: 'partial', outputTokens: 60, usage: { input: 2_000 } });
  });

  it('name a model without a price, and count nothing for it until a report', () => {
    const cost = readLines(EMPTY_COST, call('m1', 1_000, { model: 'glm-5.1' }));
    expect({ ...figures(cost), unpriced: cost.unpriced }).toEqual({
      microUsd: 0,
      computed: false,
      known: false,
      unpriced: 'glm-5.1',
    });
    expect(figures(readLines(cost, result(0.5)))).toEqual({ microUsd: 500_000, computed: false, known: true });
  });
});

describe('reports', () => {
  const MOVES: { title: string; lines: Line[]; microUsd: number; computed?: boolean }[] = [
    { title: 'nothing', lines: [], microUsd: 0 },
    { title: 'one takes the place of what was computed', lines: [call('m1', 1_000), result(0.5)], microUsd: 500_000 },
    { title: 'they are cumulative', lines: [result(0.5), result(0.75)], microUsd: 750_000 },
    { title: 'a call after one is added', lines: [result(0.5), call('m1', 1_000)], microUsd: 503_015, computed: true },
    {
      title: 'a call that goes on after one is counted again, as no report knows of it',
      lines: [call('s1', 1_000, { thread: 'a' }), result(0.5), call('s1', 1_000, { thread: 'a' })],
      microUsd: 503_015,
      computed: true,
    },
    {
      title: '/clear sets the counter to 0 (2.1.329)',
      lines: [result(0.5), result(0), result(0.2)],
      microUsd: 700_000,
    },
    { title: '/clear leaves it alone (2.1.197)', lines: [result(0.5), result(0.5), result(0.7)], microUsd: 700_000 },
    { title: 'a reset that is seen late', lines: [result(0.5), result(0.2)], microUsd: 700_000 },
    {
      title: 'calls before a reset that nobody reported',
      lines: [result(0.5), call('m1', 1_000), result(0), result(0.2)],
      microUsd: 703_015,
      computed: true,
    },
    {
      title: 'a counter that stands still does not know of a call',
      lines: [result(0.5), call('s1', 1_000, { thread: 'a' }), result(0.5)],
      microUsd: 503_015,
      computed: true,
    },
    { title: 'a back-end that reports 0', lines: [call('m1', 1_000), result(0)], microUsd: 3_015, computed: true },
    { title: 'a back-end that reports nothing', lines: [call('m1', 1_000), result()], microUsd: 3_015, computed: true },
    {
      title: 'a result without a figure in between',
      lines: [call('m1', 1_000), result(), result(0.5)],
      microUsd: 500_000,
    },
    { title: 'a figure that is none', lines: [result(0.5), result(-1), result(1e300)], microUsd: 500_000 },
    { title: 'the dust of binary fractions', lines: [result(0.26583239999999997)], microUsd: 265_832 },
  ];

  it.each(MOVES)('$title', ({ lines, microUsd, computed = false }) => {
    expect(figures(readLines(EMPTY_COST, ...lines))).toMatchObject({ microUsd, computed });
  });
});

describe('another process', () => {
  const before = readLines(EMPTY_COST, result(0.5), call('m1', 1_000));
  const open = 3_015;

  it('begins at 0, and the unreported costs of the last one stay computed', () => {
    const cost = readLines(costAfterRestart(before, 'fresh'), init('2.1.329'), call('n1', 1_000), result(0.25));
    expect(figures(cost)).toEqual({ microUsd: 750_000 + open, computed: true, known: true });
  });

  it.each([
    { title: '2.1.197 begins at 0 also with --resume', version: '2.1.197', reports: 0.25, microUsd: 750_000 + open },
    { title: 'even where that is more than before', version: '2.1.276', reports: 0.75, microUsd: 1_250_000 + open },
    { title: 'a version that carries on all', version: '2.1.277', reports: 0.75, microUsd: 500_000 + open + 3_015 },
    { title: 'or, after a crash, nothing', version: '3.0.0', reports: 0.004, microUsd: 500_000 + open + 3_015 },
  ])('$title', ({ version, reports, microUsd }) => {
    const cost = readLines(costAfterRestart(before, 'resumed'), init(version), call('n1', 1_000), result(reports));
    expect(totalMicroUsd(cost)).toBe(microUsd);
    expect(totalMicroUsd(readLines(cost, init(version), call('n2', 1_000), result(reports + 0.1)))).toBe(
      microUsd + 100_000,
    );
  });

  it.each([
    { title: 'more than before', reports: 0.75, microUsd: 750_000 + open },
    { title: 'less', reports: 0.25, microUsd: 750_000 + open },
  ])('without a price, a first report of $title is compared with the last one', ({ reports, microUsd }) => {
    const unpriced = call('n1', 1_000, { model: 'glm-5.1' });
    const cost = readLines(costAfterRestart(before, 'resumed'), init('2.1.329'), unpriced, result(reports));
    expect(totalMicroUsd(cost)).toBe(microUsd);
  });

  it('counts to the micro-dollar if claude was asked before its first call', () => {
    const opened = readCounterAtStart(costAfterRestart(before, 'resumed'), 0.5);
    expect(totalMicroUsd(opened)).toBe(500_000 + open);
    const cost = readLines(opened, init('2.1.329'), call('n1', 1_000), result(0.75));
    expect(totalMicroUsd(cost)).toBe(750_000 + open);
  });

  it('does not count the cost of the session before the run', () => {
    const opened = readCounterAtStart(costAfterRestart(EMPTY_COST, 'resumed'), 12.5);
    expect(figures(opened)).toEqual({ microUsd: 0, computed: false, known: false });
    expect(figures(readLines(opened, result(12.75)))).toEqual({ microUsd: 250_000, computed: false, known: true });
  });

  it('ignores an opening of a counter that began at 0', () => {
    expect(readCounterAtStart(before, 0.5)).toBe(before);
  });
});

it('counts a requested report within a turn like any other', () => {
  const cost = readCounter(readLines(EMPTY_COST, call('m1', 1_000), call('m2', 1_000)), 0.0065);
  expect(figures(cost)).toEqual({ microUsd: 6_500, computed: false, known: true });
  expect(toUsd(totalMicroUsd(cost))).toBe(0.0065);
});

it('keeps little state for any number of calls', () => {
  const lines = Array.from({ length: 2_000 }, (_, index) => call(`m${index}`, 1_000, { text: 'x'.repeat(100) }));
  const cost = readLines(EMPTY_COST, ...lines);
  expect(cost.calls).toHaveLength(1);
  expect(totalMicroUsd(cost)).toBe(2_000 * 3_375);
});

it('prefers prices of the policy to built-in ones', () => {
  const own = { 'claude-sonnet': { input: 1_000_000, output: 0, cacheWrite: 0, cacheWriteHour: 0, cacheRead: 0 } };
  const usage = { input_tokens: 2_000_000, output_tokens: 5 };
  const message = { id: 'm1', model: 'claude-sonnet-4-5', content: [], usage };
  const event = decodeObject({ type: 'assistant', message, parent_tool_use_id: null });
  expect(totalMicroUsd(readCost(EMPTY_COST, event, { prices: {}, version: undefined, isRecording: true }))).toBe(
    6_000_075,
  );
  expect(totalMicroUsd(readCost(EMPTY_COST, event, { prices: own, version: undefined, isRecording: true }))).toBe(
    2_000_000,
  );
});

describe('a recording with results of several processes', () => {
  function counted(...lines: readonly Line[]): number {
    let cost: Cost = EMPTY_COST;
    let sessionId: string | undefined;
    for (const event of lines.map(decodeObject)) {
      cost = readCost(cost, event, { prices: PRICES, version: undefined, isRecording: true, sessionId });
      if (event.kind === 'init') ({ sessionId } = event);
    }
    return toUsd(totalMicroUsd(cost));
  }
  const turn = (id: string, thousands: number, total: number) => [
    call(id, thousands * 1_000),
    {
      ...result(total),
      usage: { input_tokens: thousands * 1_000, output_tokens: 200 },
      modelUsage: { [SONNET]: { contextWindow: 200_000 } },
    },
  ];

  it('adds up counters that begin at 0, even if each is larger than the one before', () => {
    expect(counted(...turn('a', 10, 0.033), ...turn('b', 30, 0.093), ...turn('c', 20, 0.063))).toBeCloseTo(0.189, 6);
  });

  it('continues a counter across gaps of the recording', () => {
    expect(counted(...turn('a', 10, 0.033), ...turn('b', 30, 0.126), result(0.2), ...turn('c', 20, 0.263))).toBe(0.263);
  });

  it.each([
    { counter: 'began at 0', total: 0.063 },
    { counter: 'continued that of the session', total: 0.096 },
  ])('adds the calls of a killed process, if the next counter $counter', ({ total }) => {
    const killed = [init('2.1.332'), call('b', 10_000)];
    expect(counted(...turn('a', 10, 0.033), ...killed, init('2.1.332'), ...turn('c', 20, total))).toBeCloseTo(0.126, 4);
  });

  it.each([
    { forks: 'the second one cheaper', first: 30, second: 20 },
    { forks: 'the second one dearer', first: 20, second: 30 },
    { forks: 'both as dear', first: 30, second: 30 },
  ])('counts the cost before two forks of a session once: $forks', ({ first, second }) => {
    const session = (session_id: string) => ({ ...init('2.1.332'), session_id });
    const usd = (thousands: number) => thousands * 0.003 + 0.003;
    const begun = [session('a'), ...turn('a', 10, 0.033)];
    const forks = [first, second].flatMap((thousands, at) => [
      session(`fork-${at}`),
      ...turn(`b${at}`, thousands, 0.033 + usd(thousands)),
      session(`fork-${at}`),
      ...turn(`c${at}`, 10, 0.066 + usd(thousands)),
    ]);
    expect(counted(...begun, ...forks)).toBeCloseTo(0.033 + usd(first) + usd(second) + 0.066, 9);
  });

  it('does not take a turn that a subagent outlived for a killed process', () => {
    const outlived = call('s', 10_000, { thread: 'toolu_1' });
    expect(counted(...turn('a', 10, 0.033), outlived, init('2.1.332'), ...turn('b', 20, 0.126))).toBe(0.126);
  });
});

/** What claude 2.1.332 counts for calls of these forms, at the prices of its models. */
describe('a call of several inferences', () => {
  const step = (input_tokens: number, more: object = {}) => ({
    type: 'message',
    input_tokens,
    output_tokens: 100,
    ...more,
  });
  const sum = (input_tokens: number, iterations: readonly object[], more: object = {}, model = SONNET): Line => ({
    type: 'assistant',
    parent_tool_use_id: null,
    message: {
      id: 'm',
      model,
      stop_reason: 'end_turn',
      content: [],
      usage: { input_tokens, output_tokens: 200, ...more, iterations },
    },
  });

  it.each([
    {
      name: 'two steps, whose sum stands at the top',
      line: sum(30_000, [step(10_000), step(20_000)]),
      microUsd: 93_000,
      used: 20_000,
    },
    {
      name: 'advice of another model',
      line: sum(30_000, [
        step(10_000),
        step(8_000, { type: 'advisor_message', model: 'claude-opus-4-5' }),
        step(20_000),
      ]),
      microUsd: 93_000 + 42_500,
      used: 20_000,
    },
    {
      name: 'advice of a model without a price, which is missing',
      line: sum(30_000, [
        step(8_000, { type: 'advisor_message', model: 'claude-opus-4-5' }),
        step(8_000, { type: 'advisor_message', model: 'somebody-else' }),
        step(10_000),
        step(20_000),
      ]),
      microUsd: 93_000 + 42_500,
      used: 20_000,
      unpriced: 'somebody-else',
    },
    {
      name: 'an answer that was given up, which is not billed',
      line: sum(20_000, [step(90_000), step(20_000, { type: 'fallback_message' })]),
      microUsd: 63_000,
      used: 20_000,
    },
    {
      name: 'two steps in the United States, with a search, and advice',
      line: sum(
        30_000,
        [step(10_000), step(8_000, { type: 'advisor_message', model: 'claude-opus-4-5' }), step(20_000)],
        { inference_geo: 'us', server_tool_use: { web_search_requests: 1 } },
      ),
      microUsd: 102_300 + 46_750 + 10_000,
      used: 20_000,
    },
    {
      name: 'two steps in fast mode, and advice, which is not fast',
      line: sum(
        30_000,
        [step(10_000), step(8_000, { type: 'advisor_message', model: 'claude-opus-4-8' }), step(20_000)],
        { speed: 'fast' },
        'claude-opus-4-8',
      ),
      microUsd: 2 * 155_000 + 42_500,
      used: 20_000,
    },
  ])('$name', ({ line, microUsd, used, unpriced }) => {
    const event = decodeObject(line);
    const cost = readLines(EMPTY_COST, line);
    expect([figures(cost).microUsd, cost.unpriced]).toEqual([microUsd, unpriced]);
    expect(event.kind === 'assistant' && event.usage && contextOf(event.usage)).toBe(used);
  });
});
