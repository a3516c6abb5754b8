import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { DEFAULTS } from '../../src/config/defaults.ts';
import { toUsd } from '../../src/core/governor/cost/cost.ts';
import { microUsdOf, priceFor } from '../../src/core/governor/cost/prices.ts';
import type { Event } from '../../src/core/protocol/events.ts';
import { hasNoInput } from '../../src/core/protocol/usage.ts';
import { sumOf } from '../../src/core/text/sum-of.ts';
import { CtxbError } from '../../src/errors.ts';
import { markCopies } from '../../src/replay/copies.ts';
import { callsIn, ledgerOf } from '../../src/replay/ledger.ts';
import { readValues } from '../../src/replay/read/read-values.ts';
import { type ReplayOptions, replaySource } from '../../src/replay/replay.ts';
import { findSources } from '../../src/replay/sources.ts';
import { eventsOf, FIXTURE_RECORDINGS, fixture, SHARED_RECORDINGS } from '../support/recordings.ts';
import { unmasked } from '../support/unmasked.ts';

function options(more: Partial<ReplayOptions> = {}): ReplayOptions {
  return { policy: DEFAULTS, series: false, stdin: Readable.from([]), mask: unmasked, ...more };
}

const SOURCES = findSources(fixture('.')).map((source) => ({ name: basename(source.file), source }));

describe('the summary of a recording', () => {
  it.each(['tool-turn.session.jsonl', 'native-mid-turn.session.jsonl', 'crossing.session.jsonl'])(
    'adds up the calls of %s to the cost of the session, if all of it is computed',
    async (name) => {
      // As if each answer were cut off: its output count is a placeholder.
      const text = readFileSync(fixture(name), 'utf8').replaceAll(/"stop_reason":"\w+"/g, '"stop_reason":null');
      const stdin = Readable.from([Buffer.from(text)]);
      const { series = [], cost } = await replaySource({ file: '-', subagents: [] }, options({ series: true, stdin }));
      const sum = series.reduce((usd, call) => usd + (call.usd ?? 0), 0);
      expect(series.some(({ outputKnown }) => !outputKnown)).toBe(true);
      expect(sum).toBeCloseTo(cost.usd ?? Number.NaN, 9);
    },
  );

  it.each([
    { retention: false, kinds: ['value', 'parts'] },
    { retention: true, kinds: ['value'] },
  ])('skips what no figure needs, but not for notes (retention: $retention)', async ({ retention, kinds }) => {
    const seen = new Set<string>();
    const read: typeof readValues = (file, how, onLine) =>
      readValues(file, how, (line) => {
        seen.add(line.kind);
        onLine(line);
      });
    const file = fixture('native-mid-turn.session.jsonl');
    await replaySource({ file, subagents: [] }, options({ retention, read }));
    expect([...seen]).toEqual(kinds);
  });

  it.each(SOURCES)('$name matches the figures checked by hand', async ({ name, source }) => {
    const expected = fixture(name.replace(/\.(ndjson|jsonl)$/, '.expected.json'));
    const [shown] = markCopies([await replaySource(source, options())]);
    const { file, ledger, keys, ...summary } = shown ?? expect.unreachable();
    expect(basename(file)).toBe(name);
    expect({ file: name, ...summary }).toEqual(JSON.parse(readFileSync(expected, 'utf8')));
    expect(callsIn({ ledger }).filter(({ main }) => main)).toHaveLength(summary.calls);
    expect(keys.length).toBeGreaterThanOrEqual(summary.calls);
  });

  it.each([...FIXTURE_RECORDINGS, ...SHARED_RECORDINGS])(
    '$name: each call counts once, at one price',
    async ({ path: file }) => {
      const session = await replaySource({ file, subagents: [] }, options({ series: true }));
      const { series = [], ledger, cost } = session;
      expect(session.calls).toBe(new Set(eventsOf(file).flatMap(callId)).size);
      const { usages } = ledgerOf({ ledger });
      const calls = callsIn({ ledger }).map((call, at) => ({ ...call, usage: usages[at] ?? expect.unreachable() }));
      const main = calls.filter((call) => call.main);
      expect(main.map(({ microUsd }) => microUsd && toUsd(microUsd))).toEqual(series.map(({ usd }) => usd));
      const others = calls.filter((call) => !call.main);
      const priced = others.map(({ model, usage }) => {
        const price = priceFor(model, {}, undefined);
        return price === undefined ? null : microUsdOf(usage, price);
      });
      expect(priced).toEqual(others.map(({ microUsd }) => microUsd));
      if (cost.computed) expect(toUsd(sumOf(calls, ({ microUsd }) => microUsd ?? 0))).toBe(cost.usd ?? 0);
    },
  );

  it('has one entry per call if the series is requested', async () => {
    const { series } = await replaySource(
      { file: fixture('partial.ndjson'), subagents: [] },
      options({ series: true }),
    );
    const common = { turn: 1, model: 'claude-sonnet-4-5', window: 200_000, input: 4, outputKnown: true };
    expect(series).toEqual([
      {
        ...common,
        number: 1,
        line: 8,
        t: null,
        messageId: 'msg_standin_0001',
        context: 30_000,
        cacheCreation: 9_996,
        cacheRead: 20_000,
        output: 38,
        billedOutput: 38,
        predicted: null,
        usd: 0.044067,
        added: {},
      },
      {
        ...common,
        number: 2,
        line: 25,
        t: 1795231153299,
        messageId: 'msg_standin_0002',
        context: 30_500,
        cacheCreation: 496,
        cacheRead: 30_000,
        output: 10,
        billedOutput: 10,
        predicted: 30_055,
        usd: 0.011022,
        added: { answer: 84, Bash: 17 },
      },
    ]);
  });

  it('has no peak and no share without measured calls', async () => {
    const result = { type: 'result', num_turns: 2, modelUsage: { 'claude-opus-5-5': { contextWindow: 1_000_000 } } };
    const stdin = Readable.from([Buffer.from(JSON.stringify(result))]);
    expect(await replaySource({ file: '-', subagents: [] }, options({ stdin }))).toMatchObject({
      window: { tokens: 1_000_000 },
      context: { peak: 0, peakFraction: null },
    });
  });

  it('breaks the series at a compaction, which has no prediction', async () => {
    const { series } = await replaySource(
      { file: fixture('compact.ndjson'), subagents: [] },
      options({ series: true }),
    );
    expect(series?.map(({ predicted }) => predicted)).toEqual([null, 100_100, 130_100, null, 31_100]);
  });
});

describe('reading', () => {
  it('reads stdin as `-`, in chunks of any size', async () => {
    const bytes = readFileSync(fixture('tool-turn.ndjson'));
    const stdin = Readable.from(
      Array.from({ length: Math.ceil(bytes.length / 7) }, (_, at) => bytes.subarray(at * 7, at * 7 + 7)),
    );
    const summary = await replaySource({ file: '-', subagents: [] }, options({ stdin }));
    expect(summary).toMatchObject({
      file: '-',
      calls: 3,
      context: { last: 21_200 },
      lines: { total: 7, malformed: 0 },
    });
  });

  it('reads a last line without a newline', async () => {
    const whole = readFileSync(fixture('tool-turn.ndjson'));
    const stdin = Readable.from([whole.subarray(0, whole.length - 1)]);
    expect(await replaySource({ file: '-', subagents: [] }, options({ stdin }))).toMatchObject({
      turns: 1,
      lines: { total: 7 },
    });
  });

  it("does not count rows of claude's bookkeeping as odd", async () => {
    const rows = ['bridge-session', 'continued-in', 'memory-mode'].map((type) =>
      JSON.stringify({ type, sessionId: 's1' }),
    );
    const stdin = Readable.from([Buffer.from(rows.join('\n'))]);
    const { lines } = await replaySource({ file: '-', subagents: [] }, options({ stdin }));
    expect(lines).toEqual({ total: 3, unknown: 0, malformed: 0 });
  });

  it('counts odd lines, except blank ones', async () => {
    const stdin = Readable.from([
      Buffer.from('\n{"type":"new"}\nnot json\n  \r\n[1]\n{"type":"system","subtype":"new"}\n'),
    ]);
    const { lines } = await replaySource({ file: '-', subagents: [] }, options({ stdin }));
    expect(lines).toEqual({ total: 4, unknown: 2, malformed: 2 });
  });

  it('reports the name of a missing file', async () => {
    const failing = replaySource({ file: fixture('missing.ndjson'), subagents: [] }, options());
    await expect(failing).rejects.toBeInstanceOf(CtxbError);
    await expect(failing).rejects.toMatchObject({
      code: 'unreadable-input',
      message: expect.stringContaining('missing.ndjson'),
    });
  });
});

function callId(event: Event): string[] {
  if (event.kind !== 'assistant' || event.isSynthetic || event.subagent !== null) return [];
  return event.usage && !hasNoInput(event.usage) ? [event.messageId] : [];
}
