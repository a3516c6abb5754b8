import { describe, expect, it } from 'vitest';
import { nameOf } from '../../src/core/governor/decisions.ts';
import { TIMERS } from '../../src/core/governor/effects.ts';
import type { Input, OwnEvent } from '../../src/core/governor/input.ts';
import { readRecord, readRecordedRun, recordRun, toRecord } from '../../src/core/governor/record.ts';
import { decodeLine } from '../../src/core/protocol/decode.ts';
import type { Fields } from '../../src/core/protocol/fields.ts';
import { createSessionReplay } from '../../src/replay/session-replay.ts';
import {
  callLine,
  decisions,
  drive,
  exitEvent,
  initLine,
  type Line,
  policyWith,
  resultLine,
  runWith,
  userLine,
} from '../support/governor.ts';
import { asRead, COMPACT_TURNS, fixture, linesOf } from '../support/recordings.ts';
import { unmasked } from '../support/unmasked.ts';

const raw = (line: Line) => JSON.stringify(line);

const OWN_EVENTS: readonly OwnEvent[] = [
  { kind: 'begin' },
  { kind: 'interrupt' },
  { kind: 'state', to: 'testing' },
  { kind: 'dead-end', text: 'it does not work' },
  { kind: 'earlier', entry: { a: 1 } },
  { kind: 'notes', path: '.context/sessions/s1' },
  { kind: 'handoff-written', path: 'h.md', text: '## Goal', by: 'agent', problems: ['one'] },
  { kind: 'handoff-written', path: undefined, text: '## Goal', by: 'memory', problems: [] },
  { kind: 'project-cost', others: 1_500_000, earlier: 0 },
  { kind: 'cost-answer', limitUsd: 2.5 },
  { kind: 'cost-answer', limitUsd: undefined },
  { kind: 'ask', ask: { what: 'compact', now: true }, by: { from: 'command', id: '0123abcd' } },
  {
    kind: 'recovered',
    finished: false,
    openTool: 'Bash make',
    answers: ['u'],
    document: undefined,
    spent: { settled: 0, open: 0, raised: {}, agents: 0, lost: 0 },
  },
  {
    kind: 'recovered',
    finished: true,
    openTool: undefined,
    answers: [],
    document: { path: 'h.md', text: '## Goal' },
    spent: { settled: 0, open: 0, raised: {}, agents: 0, lost: 0 },
  },
  exitEvent({ delivered: ['u'], finished: true }),
  exitEvent({ code: 0, signal: undefined, logged: false }),
];

/** Every kind of input, with the line it came from where it was one. */
const INPUTS: readonly { name: string; input: Input; line?: string }[] = [
  ...[initLine(), callLine(20_000), resultLine()].map((line) => ({
    name: `claude: ${String(line.type)}`,
    input: { t: 5, from: 'claude' as const, event: decodeLine(raw(line)) },
    line: raw(line),
  })),
  { name: 'claude: no JSON', input: { t: 5, from: 'claude', event: decodeLine('boom') }, line: 'boom' },
  ...[userLine('ü "x" \\'), { type: 'control_request', request_id: 'r', request: { subtype: 'initialize' } }].map(
    (line) => ({
      name: `caller: ${String(line.type)}`,
      input: { t: 6, from: 'caller' as const, event: decodeLine(raw(line)), line: raw(line) },
      line: raw(line),
    }),
  ),
  { name: 'caller: no JSON', input: { t: 6, from: 'caller', event: decodeLine('boom'), line: 'boom' }, line: 'boom' },
  { name: 'caller: an empty object', input: { t: 6, from: 'caller', event: decodeLine('{}'), line: '{}' }, line: '{}' },
  { name: 'caller: the end', input: { t: 7, from: 'caller', event: { kind: 'end' } } },
  ...TIMERS.map((timer) => ({
    name: `timer: ${timer}`,
    input: { t: 8, from: 'timer' as const, event: { kind: 'timeout' as const, timer } },
  })),
  ...OWN_EVENTS.map((event) => ({ name: `ctxb: ${event.kind}`, input: { t: 9, from: 'ctxb' as const, event } })),
];

describe('a record', () => {
  it.each(INPUTS)('reproduces the input: $name', ({ input, line }) => {
    const written = JSON.stringify(toRecord(input, line));
    expect(readRecord(JSON.parse(written) as Fields, 0)).toEqual(input);
  });

  it('starts with the settings of its run', () => {
    const run = runWith({ policy: policyWith({ task: 'ship it' }), resumes: true });
    const written = JSON.parse(JSON.stringify(recordRun(run, 1))) as Fields;
    // What is undefined is left out of JSON, and means the same.
    expect(readRecordedRun(written)).toEqual(JSON.parse(JSON.stringify(run)));
  });

  it.each([
    { name: 'a plain line', value: initLine() },
    {
      name: 'an opening of another version',
      value: { t: 0, from: 'ctxb', line: '{"type":"ctxb_run","version":99,"run":{}}' },
    },
    {
      name: 'a line of claude that talks about one',
      value: { t: 0, from: 'claude', line: '{"type":"ctxb_run","version":1,"run":{}}' },
    },
  ])('does not start with $name', ({ value }) => {
    expect(readRecordedRun(value)).toBeUndefined();
  });

  it.each([
    { name: 'a plain line', value: initLine() },
    { name: 'an envelope of someone else', value: { from: 'elsewhere', line: '{}' } },
    { name: 'an envelope without a line', value: { from: 'claude', t: 1 } },
  ])('does not contain $name', ({ value }) => {
    expect(readRecord(value, 0)).toBeUndefined();
  });

  it.each([
    { name: 'a request that no version knows', line: { type: 'ctxb_ask', ask: { what: 'explode' }, by: {} } },
    { name: 'a request that is none', line: { type: 'ctxb_ask' } },
    { name: 'an event that no version knows', line: { type: 'ctxb_later' } },
  ])('requests nothing by $name', ({ line }) => {
    const envelope = { t: 1, from: 'ctxb', line: JSON.stringify(line) };
    expect(readRecord(envelope, 0)).toEqual({ t: 1, from: 'ctxb', event: { kind: 'begin' } });
  });

  it('replays to the same decisions', () => {
    const run = runWith();
    const lines: string[] = [JSON.stringify(recordRun(run, 0))];
    const driver = drive(run);
    const note = (input: Input, line?: string) => lines.push(JSON.stringify(toRecord(input, line)));
    const claude = (...all: readonly Line[]) => {
      for (const line of all) note({ t: 1, from: 'claude', event: decodeLine(raw(line)) }, raw(line));
      driver.claude(...all);
    };
    const caller = (line: Line) => {
      note({ t: 1, from: 'caller', event: decodeLine(raw(line)), line: raw(line) }, raw(line));
      driver.caller(line);
    };
    note({ t: 0, from: 'ctxb', event: { kind: 'begin' } });
    driver.begin();
    caller(userLine('Do it.', { uuid: 'u1' }));
    claude(initLine(), callLine(20_000), callLine(160_000), resultLine());
    caller(userLine('Next.', { uuid: 'u2' }));
    claude(...COMPACT_TURNS.success, initLine(), callLine(30_000), resultLine());
    note({ t: 2, from: 'caller', event: { kind: 'end' } });
    driver.callerEnd();

    const replay = createSessionReplay({ run: runWith({ mode: 'replay' }), series: false, mask: unmasked });
    for (const line of lines) replay.line(asRead(line));
    const summary = replay.summary('record');
    expect(decisions(driver.actions).map(nameOf)).toEqual(['warn', 'compact', 'compacted', 'landed']);
    expect(summary.actions).toEqual(decisions(driver.actions));
    expect(summary).toMatchObject({ dialect: 'stream', turns: 2, calls: 3 });
  });
});

describe('the dialect', () => {
  it.each([
    { name: 'compact.ndjson', dialect: 'stream' },
    { name: 'compact.dialogue.ndjson', dialect: 'stream' },
    { name: 'tool-turn.session.jsonl', dialect: 'session' },
  ])('of $name is $dialect', ({ name, dialect }) => {
    const replay = createSessionReplay({ run: runWith({ mode: 'replay' }), series: false, mask: unmasked });
    for (const line of linesOf(fixture(name))) replay.line(asRead(line));
    expect(replay.summary(name).dialect).toBe(dialect);
  });
});

it('takes the earliest time of a log that Claude Code rewrote with its newest lines first', () => {
  const replay = createSessionReplay({ run: runWith({ mode: 'replay' }), series: false, mask: unmasked });
  const lines = [
    { type: 'queue-operation', operation: 'enqueue', timestamp: '2026-07-29T11:43:47.000Z' },
    { ...userLine('hello'), timestamp: '2026-07-28T21:09:00.000Z' },
    { ...callLine(20_000), timestamp: '2026-07-29T11:45:37.000Z' },
  ];
  for (const line of lines) replay.line(asRead(raw(line)));
  const time = { first: Date.parse('2026-07-28T21:09:00.000Z'), last: Date.parse('2026-07-29T11:45:37.000Z') };
  expect(replay.summary('x.jsonl').time).toEqual(time);
});

it('takes the folder in which the session began as its project, not that of the first call', () => {
  const replay = createSessionReplay({ run: runWith({ mode: 'replay' }), series: false, mask: unmasked });
  const lines = [
    { ...userLine('hello'), cwd: '/home/dev/shop' },
    { ...callLine(20_000), cwd: '/home/dev/shop/src' },
  ];
  for (const line of lines) replay.line(asRead(raw(line)));
  expect(replay.summary('x.jsonl').project).toBe('/home/dev/shop');
});

it.each([
  ['<ide_opened_file>The user opened a.ts.</ide_opened_file>', 'fix the bug', 'fix the bug'],
  ['<ide_selection>The user selected line 3.</ide_selection>\nfix the bug', '', 'fix the bug'],
  [
    '<command-message>fix</command-message>\n<command-name>/fix</command-name>\n<command-args>it</command-args>',
    '',
    '/fix it',
  ],
])('shows a prompt as it was typed: %s %s', (first, second, typed) => {
  const replay = createSessionReplay({ run: runWith({ mode: 'replay' }), series: true, mask: unmasked });
  const content = [first, second].filter(Boolean).map((text) => ({ type: 'text', text }));
  replay.line(asRead(raw({ ...userLine(''), message: { role: 'user', content } })));
  const { prompt, prompts } = replay.summary('x.jsonl');
  expect([prompt, prompts?.[0]?.text]).toEqual([typed, typed]);
});

it.each([
  { options: {}, needs: false },
  { options: { retention: false, whatIf: false }, needs: false },
  { options: { retention: true }, needs: true },
  { options: { whatIf: true }, needs: true },
  { options: { series: true }, needs: true },
  { options: { explain: '1' }, needs: true },
])('needs the texts after the first call with $options: $needs', ({ options, needs }) => {
  const replay = createSessionReplay({ run: runWith({}), mask: unmasked, series: false, ...options });
  expect(replay.needsTexts()).toBe(true);
  for (const line of [initLine(), userLine('hello'), callLine(20_000)]) replay.line(asRead(raw(line)));
  expect(replay.needsTexts()).toBe(needs);
});
