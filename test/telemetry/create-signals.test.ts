import { describe, expect, it } from 'vitest';
import { isDecision } from '../../src/core/governor/decisions.ts';
import { initialState } from '../../src/core/governor/initial-state.ts';
import type { Input } from '../../src/core/governor/input.ts';
import type { Run } from '../../src/core/governor/state.ts';
import { step } from '../../src/core/governor/step.ts';
import { decodeObject } from '../../src/core/protocol/decode.ts';
import { createSignals } from '../../src/telemetry/create-signals.ts';
import type { Attributes, Metric, OpenSpan, Sink } from '../../src/telemetry/signal.ts';
import {
  boundaryLine,
  callLine,
  exitEvent,
  initLine,
  type Line,
  resultLine,
  runWith,
  statusLine,
  toolResultLine,
  userLine,
} from '../support/governor.ts';
import type { Judged } from '../support/model/model-run.ts';
import { play } from '../support/model/streams.ts';

/** What a sink was given. Spans are known by what they are and their number: `turn 1`. */
type Signal =
  | (OfSpan & { readonly kind: 'start'; readonly name: string; readonly parent: string | undefined })
  | (OfSpan & { readonly kind: 'event'; readonly name: string })
  | (OfSpan & { readonly kind: 'end'; readonly error: string | undefined })
  | { readonly kind: 'measure'; readonly metric: Metric; readonly value: number; readonly attributes: Attributes };

interface OfSpan {
  readonly span: string;
  readonly t: number;
  readonly attributes: Attributes;
}

const KINDS = [
  [/^ctxb\.run$/, 'run'],
  [/^invoke_agent/, 'turn'],
  [/^chat/, 'call'],
  [/^ctxb\.compaction$/, 'compaction'],
  [/^ctxb\.handoff$/, 'handoff'],
] as const;

function recordingSink() {
  const signals: Signal[] = [];
  const ids = new Map<OpenSpan, string>();
  const sink: Sink = {
    start(name, t, attributes, parent) {
      const [, kind = name] = KINDS.find(([pattern]) => pattern.test(name)) ?? [];
      const before = [...ids.values()].filter((id) => id.startsWith(kind)).length;
      const span = kind === 'run' ? kind : `${kind} ${before + 1}`;
      signals.push({ kind: 'start', span, name, t, attributes, parent: parent && ids.get(parent) });
      const open: OpenSpan = {
        event: (event, at, about) => void signals.push({ kind: 'event', span, name: event, t: at, attributes: about }),
        end: (at, about, error) => void signals.push({ kind: 'end', span, t: at, attributes: about, error }),
      };
      ids.set(open, span);
      return open;
    },
    measure: (metric, value, attributes = {}) => void signals.push({ kind: 'measure', metric, value, attributes }),
  };
  return { sink, signals };
}

/** All signals of a run that was judged so. */
function signalsOf(judged: readonly Judged[], exitCode = 0): Signal[] {
  const { sink, signals } = recordingSink();
  const run = createSignals(sink, judged[0]?.input.t ?? 0);
  for (const one of judged) {
    run.see(one);
    for (const action of one.actions.filter(isDecision)) run.decided(action, one.input.t);
  }
  const last = judged.at(-1);
  if (last !== undefined) run.end(last.input.t, last.after, exitCode);
  return signals;
}

type Happening = Line | Input['event'];

/** What happens in a run, a second apart; a plain object with a `type` is a line of claude's. */
function judgedOf(happenings: readonly Happening[], changes: Partial<Run> = {}): Judged[] {
  let state = initialState(runWith({ mode: 'observe', ...changes }));
  return happenings.map((happening, at) => {
    const before = state;
    const input = inputOf(happening, (at + 1) * 1_000);
    const { state: after, actions } = step(before, input);
    state = after;
    return { input, raw: undefined, before, after, actions };
  });
}

function inputOf(happening: Happening, t: number): Input {
  if ('kind' in happening) return { t, from: 'ctxb', event: happening } as Input;
  if (happening.type !== 'user' || !('uuid' in happening)) return { t, from: 'claude', event: decodeObject(happening) };
  return { t, from: 'caller', event: decodeObject(happening), line: JSON.stringify(happening) };
}

const begin = { kind: 'begin' } as const;
const prompt = (uuid: string): Line => userLine('Do the thing in /home/me/secret.txt.', { uuid });

interface SpanSeen {
  readonly name: string;
  readonly parent: string | undefined;
  readonly from: number;
  readonly to: number | undefined;
  readonly error: string | undefined;
}

/** Spans in order of their beginning, with seconds. */
function spansOf(signals: readonly Signal[]): SpanSeen[] {
  return signals.flatMap((signal) => {
    if (signal.kind !== 'start') return [];
    const end = signals.find((other) => other.kind === 'end' && other.span === signal.span);
    const { t: to, error } = end?.kind === 'end' ? end : { t: undefined, error: undefined };
    return [{ name: signal.name, parent: signal.parent, from: signal.t / 1000, to: to && to / 1000, error }];
  });
}

function sumOf(signals: readonly Signal[], metric: string): number {
  return signals.reduce((sum, one) => (one.kind === 'measure' && one.metric === metric ? sum + one.value : sum), 0);
}

const TURN = 'invoke_agent claude-code';
const CALL = 'chat claude-sonnet-4-5';

describe('spans', () => {
  it('a turn of two calls', () => {
    const lines = [
      begin,
      prompt('a'),
      initLine(),
      callLine(30_000),
      toolResultLine('ok'),
      callLine(40_000),
      resultLine(),
    ];
    expect(spansOf(signalsOf(judgedOf(lines)))).toEqual([
      { name: 'ctxb.run', parent: undefined, from: 1, to: 7, error: undefined },
      { name: TURN, parent: 'run', from: 2, to: 7, error: undefined },
      { name: CALL, parent: 'turn 1', from: 2, to: 4, error: undefined },
      { name: CALL, parent: 'turn 1', from: 5, to: 6, error: undefined },
    ]);
  });

  it.each<{ name: string; happenings: readonly Happening[]; spans: readonly Partial<SpanSeen>[] }>([
    {
      name: 'a turn that ends in an error',
      happenings: [initLine(), callLine(30_000), resultLine({ is_error: true, subtype: 'error_max_turns' })],
      spans: [{ name: TURN, to: 5, error: 'error_max_turns' }, { name: CALL }],
    },
    {
      name: 'a turn in which claude dies',
      happenings: [initLine(), callLine(30_000), exitEvent({ signal: 'SIGKILL' })],
      spans: [
        { name: TURN, error: 'interrupted' },
        { name: CALL, to: 4 },
      ],
    },
    {
      name: 'a compaction of claude itself in mid-turn',
      happenings: [
        initLine(),
        callLine(160_000),
        statusLine({ status: 'compacting' }),
        boundaryLine('auto', 160_000),
        callLine(40_000),
        resultLine(),
      ],
      spans: [
        { name: TURN },
        { name: CALL },
        { name: 'ctxb.compaction', parent: 'turn 1', from: 5, to: 6, error: undefined },
        { name: CALL },
      ],
    },
    {
      name: 'one of the caller, in a version that says nothing before it',
      happenings: [initLine(), boundaryLine('manual', 160_000), resultLine()],
      spans: [{ name: TURN }, { name: 'ctxb.compaction', from: 4, to: 4, error: undefined }],
    },
    {
      name: 'one that fails',
      happenings: [
        initLine(),
        statusLine({ status: 'compacting' }),
        statusLine({ compact_result: 'failed', compact_error: 'Error during compaction: x' }),
        resultLine(),
      ],
      spans: [{ name: TURN }, { name: 'ctxb.compaction', from: 4, to: 5, error: 'failed' }],
    },
    {
      name: 'one that is under way at the end',
      happenings: [initLine(), statusLine({ status: 'compacting' })],
      spans: [
        { name: TURN, error: 'interrupted' },
        { name: 'ctxb.compaction', error: 'unfinished' },
      ],
    },
  ])('$name', ({ happenings, spans }) => {
    const found = spansOf(signalsOf(judgedOf([begin, prompt('a'), ...happenings])));
    expect(found.slice(1)).toMatchObject(spans);
    expect(found).toHaveLength(spans.length + 1);
  });

  it('the run itself fails with its exit code', () => {
    const [run] = spansOf(signalsOf(judgedOf([begin]), 143));
    expect(run).toMatchObject({ name: 'ctxb.run', error: 'exit_143' });
  });
});

it('says every figure only when it changes', () => {
  const lines = [begin, prompt('a'), initLine(), callLine(30_000), callLine(30_000), resultLine(), resultLine()];
  const figures = signalsOf(judgedOf(lines)).filter(
    (one) => one.kind === 'measure' && one.metric === 'ctxb.context.window',
  );
  expect(figures).toHaveLength(1);
});

it('tells how much of each usage limit is used, and that one comes near', () => {
  const told = (utilization: number): Line => ({
    type: 'rate_limit_event',
    rate_limit_info: { status: 'allowed', rateLimitType: 'five_hour', utilization, resetsAt: 1_795_318_980 },
  });
  const signals = signalsOf(judgedOf([begin, prompt('a'), initLine(), told(0.5), told(0.5), told(0.92)]));
  const shares = signals.filter((one) => one.kind === 'measure' && one.metric === 'ctxb.limit.utilization');
  expect(shares).toMatchObject([
    { value: 0.5, attributes: { 'ctxb.limit': 'five_hour' } },
    { value: 0.92, attributes: { 'ctxb.limit': 'five_hour' } },
  ]);
  expect(signals).toContainEqual(
    expect.objectContaining({
      kind: 'event',
      name: 'ctxb.usage-limit',
      attributes: expect.objectContaining({ 'ctxb.share': 0.92 }),
    }),
  );
});

it('counts what it has cost, once', () => {
  const lines = [begin, prompt('a'), initLine(), callLine(30_000), resultLine({ total_cost_usd: 0.5 }), resultLine()];
  expect(sumOf(signalsOf(judgedOf(lines)), 'ctxb.cost')).toBeCloseTo(0.5, 6);
});

it('tells what compacting has saved or cost beside claude alone, once there is a difference', () => {
  const [first, last] = judgedOf([begin, prompt('a'), initLine(), callLine(30_000)]).slice(-2) as [Judged, Judged];
  const saving = (usd: number): Judged => {
    const { relief } = last.after;
    const alone = { ...relief.alone, microUsd: { alone: 1_000_000 + usd * 1_000_000, real: 1_000_000 } };
    return { ...last, before: first.before, after: { ...last.after, relief: { ...relief, alone } } };
  };
  const signals = signalsOf([saving(0), saving(0.25), saving(-0.12)]);
  const told = signals.filter((one) => one.kind === 'measure' && one.metric === 'ctxb.saved');
  expect(told).toMatchObject([{ value: 0.25 }, { value: -0.12 }]);
  expect(signals.at(-1)).toMatchObject({ kind: 'end', attributes: { 'ctxb.saved': -0.12 } });
});

describe('whatever comes', () => {
  const judgedBySeed = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16].map((seed) => play(seed).judged);
  const bySeed = judgedBySeed.map((judged) => signalsOf(judged));

  it('every span begins and ends once, within one that is open', () => {
    expect(bySeed.flatMap(spanFaults)).toEqual([]);
  });

  it('every call, and every prompt of the caller that was sent, is counted', () => {
    for (const [at, judged] of judgedBySeed.entries()) {
      const calls = judged.filter(({ before, after }) => after.gauge.calls > before.gauge.calls);
      expect(sumOf(bySeed[at] ?? [], 'ctxb.calls')).toBe(calls.length);
    }
    expect(bySeed.every((signals) => sumOf(signals, 'ctxb.prompts') > 0)).toBe(true);
  });

  it('compactions and handoffs are among it, good and bad', () => {
    const ends = bySeed.flatMap(spansOf).filter(({ name }) => name === 'ctxb.compaction' || name === 'ctxb.handoff');
    const kinds = new Set(ends.map(({ name, error }) => `${name} ${error ?? 'ok'}`));
    expect([...kinds]).toEqual(
      expect.arrayContaining(['ctxb.compaction ok', 'ctxb.compaction failed', 'ctxb.handoff ok']),
    );
  });

  it('nothing that anybody said, and no path, is in an attribute', () => {
    const texts = bySeed.flat().flatMap((signal) => textsIn(signal.attributes));
    expect(texts.length).toBeGreaterThan(100);
    expect(texts.filter((text) => !/^[\w.:[\]-]+$/.test(text))).toEqual([]);
  });
});

function textsIn(attributes: Attributes): string[] {
  return Object.values(attributes).filter((value) => typeof value === 'string');
}

type SpanSignal = Exclude<Signal, { readonly kind: 'measure' }>;

/** What is wrong with the spans of a run: of which one is missing, twice there, or left open. */
function spanFaults(signals: readonly Signal[]): string[] {
  const spans = signals.filter((signal): signal is SpanSignal => signal.kind !== 'measure');
  return [...new Set(spans.map(({ span }) => span))].flatMap((span) => {
    const all = spans.filter((signal) => signal.span === span);
    const [first, last] = [all[0], all.at(-1)];
    const isWhole = all.filter(({ kind }) => kind !== 'event').length === 2;
    if (first?.kind !== 'start' || last?.kind !== 'end' || !isWhole) return [`${span} begins and ends oddly`];
    if (all.some(({ t }) => t < first.t)) return [`${span} ends before it begins`];
    return span === 'run' || isOpen(signals, first) ? [] : [`${span} is in ${first.parent}, which is not open`];
  });
}

function isOpen(signals: readonly Signal[], start: Extract<Signal, { readonly kind: 'start' }>): boolean {
  const before = signals.slice(0, signals.indexOf(start));
  const isOfParent = (signal: Signal) => signal.kind !== 'measure' && signal.span === start.parent;
  return before.some(isOfParent) && !before.some((signal) => isOfParent(signal) && signal.kind === 'end');
}
