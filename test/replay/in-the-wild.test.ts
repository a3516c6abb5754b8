import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DEFAULTS } from '../../src/config/defaults.ts';
import { markCopies } from '../../src/replay/copies.ts';
import { callsIn } from '../../src/replay/ledger.ts';
import { type Depth, readSource } from '../../src/replay/replay.ts';
import { findSources } from '../../src/replay/sources.ts';
import { isFull, type SessionSummary } from '../../src/replay/summary.ts';
import { sumsBy } from '../../src/replay/sums.ts';
import { ownFigures } from '../../src/replay/totals.ts';
import { breachesOf } from '../../src/report/replay/gates.ts';
import { unmasked } from '../support/unmasked.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ctxb-wild-'));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

type Fields = Readonly<Record<string, unknown>>;

let rows = 0;

/** A row of a session log. */
function row(sessionId: string, more: Fields): Fields {
  const uuid = `row-${++rows}`;
  const timestamp = new Date(Date.UTC(2026, 8, 1) + rows * 1_000).toISOString();
  const usual = { isSidechain: false, cwd: '/home/dev/shop', version: '2.1.300', parentUuid: null };
  return { ...usual, sessionId, uuid, timestamp, ...more };
}

function said(sessionId: string, content: unknown, more: Fields = {}): Fields {
  return row(sessionId, { type: 'user', message: { role: 'user', content }, ...more });
}

const SONNET = 'claude-sonnet-4-5-20250929';

/** Tokens: not cached, written to the cache, read from it, and output. */
function usage(input: number, written: number, read: number, output: number, more: Fields = {}): Fields {
  const cache = { cache_creation_input_tokens: written, cache_read_input_tokens: read };
  return { input_tokens: input, ...cache, output_tokens: output, ...more };
}

interface Call {
  readonly model?: string;
  readonly content?: readonly Fields[];
}

/** Without words, whose tokens would be estimated where there is no count of output. */
const TEXT = [{ type: 'text', text: '' }];

function call(sessionId: string, id: string, used: Fields, { model = SONNET, content = TEXT }: Call = {}): Fields {
  const message = { id, type: 'message', role: 'assistant', model, content, usage: used };
  return row(sessionId, { type: 'assistant', message });
}

const use = (id: string) => [{ type: 'tool_use', id, name: 'Bash', input: { command: 'ls' } }];
const result = (id: string) => [{ type: 'tool_result', tool_use_id: id, content: 'ok' }];
const ofAgent = (line: Fields): Fields => ({ ...line, isSidechain: true, agentId: 'x1' });

function put(name: string, lines: readonly (Fields | string)[]): void {
  mkdirSync(dirname(join(folder, name)), { recursive: true });
  const texts = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line)));
  writeFileSync(join(folder, name), texts.map((text) => `${text}\n`).join(''));
}

async function sessionsAt(depth: Depth) {
  const how = { policy: DEFAULTS, stdin: process.stdin, series: depth === 'full', mask: unmasked, depth };
  return markCopies(await Promise.all(findSources(folder).map((source) => readSource(source, how))));
}

/** Sessions, calls of the main thread and US dollars, which both depths find. */
async function found() {
  const [light, full] = await Promise.all([sessionsAt('light'), sessionsAt('full')]);
  const sums = [light, full].map((sessions) => {
    const ledger = sessions.flatMap(callsIn);
    const usd = ledger.reduce((sum, { microUsd }) => sum + (microUsd ?? 0), 0) / 1_000_000;
    const lines = sessions.map((session) => session.lines);
    return { sessions: sessions.length, calls: ledger.filter(({ main }) => main).length, usd, lines };
  });
  expect(sums[0]).toEqual(sums[1]);
  for (const session of full.filter(isFull)) {
    const main = callsIn(session).filter((each) => each.main);
    const series = session.series?.filter(({ copied }) => copied === undefined) ?? [];
    expect(series.map(({ model, usd }) => ({ model, usd }))).toEqual(
      main.map(({ model, microUsd }) => ({ model, usd: microUsd === null ? null : microUsd / 1_000_000 })),
    );
  }
  return { ...sums[0], full: full.filter(isFull) };
}

async function onlyOne(): Promise<SessionSummary> {
  const { full } = await found();
  expect(full).toHaveLength(1);
  return full[0] as SessionSummary;
}

describe('one row is one inference', () => {
  it('counts the last of three message iterations as the context, and bills all', async () => {
    const iterations = [usage(10, 20_000, 0, 100), usage(10, 3_000, 20_000, 200), usage(10, 1_000, 23_000, 300)];
    const typed = iterations.map((one) => ({ type: 'message', ...one }));
    put('a.jsonl', [said('s', 'go'), call('s', 'm1', usage(30, 24_000, 43_000, 600, { iterations: typed }))]);
    const { context, cost } = await onlyOne();
    expect(context.peak).toBe(24_010);
    expect(cost.usd).toBeCloseTo((30 * 3 + 24_000 * 3.75 + 43_000 * 0.3 + 600 * 15) / 1_000_000, 6);
  });

  it('bills an adviser in a subagent at the price of its own model', async () => {
    const iterations = [
      { type: 'message', ...usage(10, 20_000, 0, 100) },
      { type: 'advisor_message', model: 'claude-opus-4-5-20251101', ...usage(21_000, 0, 0, 500) },
      { type: 'message', ...usage(10, 600, 20_000, 200) },
    ];
    const asked = ofAgent(call('s', 'm2', usage(20, 20_600, 20_000, 300, { iterations })));
    put('a.jsonl', [said('s', 'go'), call('s', 'm1', usage(5, 30_000, 0, 10)), asked]);
    const { subagents, cost } = await onlyOne();
    expect(subagents[0]?.peak).toBe(20_610);
    const own = 5 * 3 + 30_000 * 3.75 + 10 * 15;
    const agent = 20 * 3 + 20_600 * 3.75 + 20_000 * 0.3 + 300 * 15 + 21_000 * 5 + 500 * 25;
    expect(cost.usd).toBeCloseTo((own + agent) / 1_000_000, 6);
  });
});

describe('the newest line of a call counts whole', () => {
  const first = usage(5_000, 0, 0, 1);
  const searches = (count: number) => ({ server_tool_use: { web_search_requests: count } });
  const inAnHour = { cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 1_000 } };
  it.each([
    { name: 'searches', lines: [usage(100, 20_000, 0, 5, searches(0)), usage(100, 20_000, 0, 500, searches(2))] },
    { name: 'a cache for an hour', lines: [usage(100, 1_000, 0, 1), usage(100, 1_000, 0, 20, inAnHour)] },
    { name: 'a cache that was told at the end', lines: [first, first, usage(10, 1_000, 40_000, 200)] },
    { name: 'a first estimate that was too high', lines: [usage(60_000, 0, 0, 1), usage(10, 1_000, 40_000, 200)] },
    { name: 'one that was written late', lines: [usage(10, 1_000, 0, 5), usage(10, 1_000, 0, 2_105), first] },
  ])('$name', async ({ lines }) => {
    const counts = lines.reduce((one, next) => (Number(next.output_tokens) >= Number(one.output_tokens) ? next : one));
    put('alone.jsonl', [said('s', 'go'), call('s', 'm', counts)]);
    const right = await onlyOne();
    const ofAgents = lines.map((line) => ofAgent(call('s', 'a', line)));
    put('alone.jsonl', [said('s', 'go'), ...lines.map((line) => call('s', 'm', line)), ...ofAgents]);
    const { context, cost, traffic, subagents } = await onlyOne();
    expect([context.peak, context.last, traffic.main]).toEqual([
      right.context.peak,
      right.context.last,
      right.traffic.main,
    ]);
    expect(cost.usd).toBeCloseTo(2 * (right.cost.usd ?? 0), 6);
    expect(subagents[0]?.usd).toBeCloseTo(right.cost.usd ?? 0, 6);
  });

  it('even of another model that has taken over the answer', async () => {
    const [stub, whole] = [usage(3, 10_000, 20_000, 1), usage(3, 30_000, 0, 260)];
    const taken = call('s', 'm1', whole, { model: 'claude-opus-4-7' });
    put('a.jsonl', [said('s', 'go'), call('s', 'm1', stub), call('s', 'm1', stub), taken]);
    const { cost, window, context } = await onlyOne();
    expect(cost.usd).toBeCloseTo((3 * 5 + 30_000 * 6.25 + 260 * 25) / 1_000_000, 6);
    expect([window.tokens, context.peakFraction]).toEqual([1_000_000, 0.030003]);
  });
});

describe('ids that do not identify a call', () => {
  it('merge snapshots of an answer without a request id into one call with the last output', async () => {
    const snapshot = (output: number, content: readonly Fields[]) =>
      call('s', 'chatcmpl-1', usage(100, 5_000, 0, output), { content });
    const first = [snapshot(9, TEXT), snapshot(9, TEXT), snapshot(159, use('t'))];
    put('a.jsonl', [
      said('s', 'go'),
      ...first,
      said('s', result('t')),
      call('s', 'chatcmpl-2', usage(100, 0, 5_100, 20)),
    ]);
    const { calls, usd } = await found();
    expect(calls).toBe(2);
    expect(usd).toBeCloseTo((100 * 3 + 5_000 * 3.75 + 159 * 15 + 100 * 3 + 5_100 * 0.3 + 20 * 15) / 1_000_000, 6);
  });

  it('keep two sessions of a gateway with a constant id apart', async () => {
    for (const name of ['s1', 's2'])
      put(`${name}.jsonl`, [said(name, name), call(name, 'msg_1', usage(100, 5_000, 0, 50))]);
    expect(await found()).toMatchObject({ sessions: 2, calls: 2, usd: 0.0396 });
  });

  it('keep two sessions of a gateway with a constant long id apart', async () => {
    for (const [name, read] of [
      ['s1', 5_000],
      ['s2', 6_000],
    ] as const)
      put(`${name}.jsonl`, [said(name, name), call(name, 'chatcmpl-000000000000', usage(100, 0, read, 50))]);
    expect(await found()).toMatchObject({ sessions: 2, calls: 2, usd: 0.0054 });
  });

  it('keep the calls of a session apart if only their last rows report usage', async () => {
    const calls = [20_000, 40_000, 60_000].flatMap((read, at) => [
      call('s', 'msg_1', usage(0, 0, 0, 0), { content: [{ type: 'text', text: 'so' }] }),
      call('s', 'msg_1', usage(0, 0, read, 900), { content: use(`t${at}`) }),
      said('s', result(`t${at}`)),
    ]);
    put('s.jsonl', [said('s', 'go'), ...calls]);
    const { calls: count, context, cost, lines } = await onlyOne();
    expect([count, context.peak, cost.usd, lines.unsized]).toEqual([3, 60_000, 0.0765, undefined]);
  });

  it('may be shared by a subagent and its session', async () => {
    put('s.jsonl', [
      said('s', 'go'),
      call('s', 'msg_1', usage(0, 5_000, 0, 50), { content: use('t') }),
      said('s', result('t')),
      call('s', 'msg_1', usage(0, 200, 5_000, 0)),
    ]);
    put('s/subagents/agent-x1.jsonl', [ofAgent(said('s', 'task')), ofAgent(call('s', 'msg_1', usage(0, 700, 0, 0)))]);
    const { sessions, calls, usd } = await found();
    expect([sessions, calls]).toEqual([1, 2]);
    expect(usd).toBeCloseTo((5_900 * 3.75 + 5_000 * 0.3 + 50 * 15) / 1_000_000, 6);
  });
});

describe('copies of calls', () => {
  const id = (at: number) => `msg_01Copied${String(at).padStart(12, '0')}`;
  const part = (first: number, end: number) =>
    Array.from({ length: end - first }, (_, at) => [
      call('s', id(first + at), usage(3, 100, 1_000, 5), { content: use(`t${first + at}`) }),
      said('s', result(`t${first + at}`)),
    ]).flat();

  it('count once where a compaction appends the history again', async () => {
    const boundary = row('s', { type: 'system', subtype: 'compact_boundary', compactMetadata: { trigger: 'manual' } });
    const summary = said('s', 'This session is being continued from a previous conversation', {
      isCompactSummary: true,
    });
    const history = [said('s', 'go'), ...part(0, 10), boundary, summary, ...part(10, 6_000)];
    put('s.jsonl', [...history, ...part(6_000, 6_001), ...history, said('s', 'on'), ...part(6_001, 6_002)]);
    const { calls, full } = await found();
    expect([calls, full[0]?.compactions.length]).toEqual([6_002, 1]);
  });

  it('count in the original if a compaction kept them, where a fork lacks their usage', async () => {
    const kept = call('s', id(1), usage(3, 1_000, 0, 5));
    const preservedMessages = { allUuids: [kept.uuid] };
    const boundary = row('s', { type: 'system', subtype: 'compact_boundary', compactMetadata: { preservedMessages } });
    const summary = said('s', 'This session is being continued', { isCompactSummary: true });
    const after = [said('s', 'on'), ...part(2, 4)];
    put('s.jsonl', [said('s', 'go'), ...part(0, 1), kept, boundary, summary, ...after]);
    const zeroed = { ...kept, message: { ...(kept.message as Fields), usage: usage(0, 0, 0, 0) } };
    put(
      'f.jsonl',
      [boundary, summary, zeroed, ...after, ...part(4, 5)].map((line) => ({ ...line, sessionId: 'f' })),
    );
    const { calls, full } = await found();
    expect([calls, full.map((session) => ownFigures(session).usdPartial)]).toEqual([5, [undefined, undefined]]);
  });

  it('count once in a fork that has other times', async () => {
    const history = [said('s', 'go'), ...part(0, 3)];
    put('s.jsonl', history);
    const copied = history.map((line) => ({ ...line, sessionId: 'f', timestamp: '2026-09-20T10:00:00.000Z' }));
    put('f.jsonl', [...copied, { ...call('f', id(9), usage(3, 20, 1_300, 5)), timestamp: '2026-09-20T10:01:00.000Z' }]);
    expect(await found()).toMatchObject({ sessions: 2, calls: 4 });
  });
});

describe('ids from a counter that restarts', () => {
  const init = (id: string) => ({ type: 'system', subtype: 'init', session_id: id, model: SONNET, tools: [] });
  const spoken = (id: string, message: string, written: number) => {
    const { sessionId: _, ...line } = call(id, message, usage(0, written, 0, 0));
    return { ...line, session_id: id, parent_tool_use_id: null };
  };
  const ended = (id: string, usd: number) => ({
    type: 'result',
    subtype: 'success',
    session_id: id,
    total_cost_usd: usd,
  });

  it('are told apart in a continued session, even if contexts grow and a shell writes in between', async () => {
    const process = (id: string, at: number, written: number) => [
      ...[init(id), spoken(id, `m${at}`, written), '+ claude -p --resume'],
      ended(id, (written * 3.75) / 1_000_000),
    ];
    put('a.ndjson', [...process('s', 1, 10_000), ...process('s', 2, 20_000), ...process('t', 3, 40_000)]);
    const { cost, lines } = await onlyOne();
    expect(cost.usd).toBeCloseTo((70_000 * 3.75) / 1_000_000, 6);
    expect(lines.malformed).toBe(3);
  });
});

describe('a counter that continues in another file', () => {
  /** The output of a process: calls that write so many tokens to the cache, and claude's counter at the end. */
  const output = (name: string, id: string, written: number, usd: number, claude_code_version = '2.1.315') =>
    put(name, [
      { type: 'system', subtype: 'init', session_id: id, model: SONNET, tools: [], claude_code_version },
      {
        type: 'assistant',
        message: call(id, `msg_01Carried${name}${id}`.padEnd(24, '0'), usage(0, written, 0, 0)).message,
        session_id: id,
      },
      { type: 'result', subtype: 'success', session_id: id, total_cost_usd: usd },
    ]);

  it('counts once, also in a fork', async () => {
    output('1.ndjson', 's', 10_000, 0.0385);
    output('2.ndjson', 's', 20_000, 0.1135);
    output('3.ndjson', 'f', 4_000, 0.1285);
    const { full, calls } = await found();
    expect([calls, full.map((session) => ownFigures(session).usd)]).toEqual([3, [0.0385, 0.075, 0.015]]);
  });

  it('begins at zero in older versions', async () => {
    output('1.ndjson', 's', 10_000, 0.0375, '2.1.150');
    output('2.ndjson', 's', 20_000, 0.075, '2.1.150');
    const { full } = await found();
    expect(full.map((session) => ownFigures(session).usd)).toEqual([0.0375, 0.075]);
  });
});

describe('unknown is not zero', () => {
  it.each([
    { name: 'all for an hour', split: [0, 10_000], usd: 0.06 },
    { name: 'a split of nothing', split: [0, 0], usd: 0.0375 },
    { name: 'a split of less than the sum', split: [0, 4_000], usd: 0.0465 },
    { name: 'a split of more than the sum', split: [0, 14_000], usd: 0.06 },
  ])('cache writes: $name', async ({ split: [minutes, hour], usd }) => {
    const cache_creation = { ephemeral_5m_input_tokens: minutes, ephemeral_1h_input_tokens: hour };
    put('a.jsonl', [said('s', 'go'), call('s', 'm1', usage(0, 10_000, 0, 0, { cache_creation }))]);
    expect((await found()).usd).toBeCloseTo(usd, 6);
  });

  it.each([
    {
      name: 'a lifetime',
      more: { cache_creation: { ephemeral_5m_input_tokens: 4_000, ephemeral_24h_input_tokens: 6_000 } },
    },
    { name: 'a speed', more: { speed: 'sprint' } },
    { name: 'a place', more: { inference_geo: 'eu' } },
    { name: 'a tier', more: { service_tier: 'flex' } },
  ])('$name of which no price is known makes the cost a lower bound', async ({ more }) => {
    const none = JSON.parse(
      JSON.stringify(more)
        .replace('6000', '0')
        .replace(/"(sprint|eu|flex)"/, 'null'),
    );
    put('a.jsonl', [
      ...[said('s', 'go'), call('s', 'm1', usage(0, 10_000, 0, 0, none))],
      ...[said('s', 'on'), call('s', 'm2', usage(0, 10_000, 0, 0, more))],
    ]);
    const session = await onlyOne();
    const [unpriced] = JSON.stringify(more).match(/sprint|eu|flex|ephemeral_24h_input_tokens/) ?? [];
    expect(session.cost).toEqual({ usd: 0.075, computed: true, unpriced });
    expect(breachesOf(session, { maxCost: 1 })).toHaveLength(1);
    expect(sumsBy([session], 'day')).toMatchObject([{ usd: 0.075, usdPartial: true }]);
  });

  const read = { cache_creation_input_tokens: 1_000, cache_read_input_tokens: 40_000 };
  const split = { cache_creation: { ephemeral_5m_input_tokens: 1_000, ephemeral_1h_input_tokens: 2_000 } };
  it.each([
    { name: 'input that is missing', counts: read, peak: 41_000, usd: 0.01575 },
    { name: 'input that is null', counts: { ...read, input_tokens: null }, peak: 41_000, usd: 0.01575 },
    { name: 'input below zero', counts: { ...read, input_tokens: -40_000 }, peak: 41_000, usd: 0.01575 },
    { name: 'the parts of a sum', counts: { input_tokens: 10, ...split }, peak: 3_010, usd: 0.01578 },
    { name: 'a sum of 0', counts: { cache_creation_input_tokens: 0, ...split }, peak: 3_000, usd: 0.01575 },
  ])('counts with $name', async ({ counts, peak, usd }) => {
    const empty = JSON.parse(JSON.stringify(counts).replaceAll(/[1-9]\d{3,}/g, '7'));
    const asked = (id: string, more: Fields) => [said('s', 'go'), call('s', id, { ...more, output_tokens: 0 })];
    put('a.jsonl', [...asked('m1', empty), ...asked('m2', counts)]);
    const first = await onlyOne();
    put('a.jsonl', asked('m1', empty));
    const { cost } = await onlyOne();
    expect([first.context.peak, first.cost.usd]).toEqual([peak, (cost.usd ?? 0) + usd]);
  });

  it.each([{ used: undefined }, { used: null }, { used: usage(0, 0, 0, 0) }, { used: { output_tokens: 5 } }])(
    'a call whose usage is $used',
    async ({ used }) => {
      const words = [{ type: 'text', text: 'done' }];
      const unsized = call('s', 'm2', used as Fields, { content: words });
      const stub = call('s', 'm3', usage(0, 0, 0, 0), { content: [] });
      const late = [usage(0, 0, 0, 0), usage(0, 2_000, 0, 9)].map((each) => call('s', 'm4', each, { content: words }));
      put('a.jsonl', [said('s', 'go'), call('s', 'm1', usage(0, 5_000, 0, 0)), unsized, stub, ...late]);
      const session = await onlyOne();
      expect([session.calls, session.lines.unsized]).toEqual([2, 1]);
      expect(ownFigures(session).usdPartial).toBe(true);
      expect(sumsBy([session], 'model')).toMatchObject([{ usdPartial: true }]);
      expect(breachesOf(session, { failOver: 0.9, maxCost: 1 })).toHaveLength(2);
      put('a.jsonl', [said('s', 'go'), unsized]);
      expect(breachesOf(await onlyOne(), { failOver: 0.9, maxCost: 1 })).toHaveLength(2);
    },
  );

  it('a model without a name has no price', async () => {
    const unnamed = call('s', 'm2', usage(0, 700, 0, 7), { model: '' });
    put('s.jsonl', [said('s', 'go'), call('s', 'm1', usage(0, 5_000, 0, 0)), unnamed]);
    const session = await onlyOne();
    expect([session.cost.unpriced, ownFigures(session).usdPartial]).toEqual(['', true]);
  });

  it('a subagent whose model has no price has no known cost', async () => {
    put('s.jsonl', [said('s', 'go'), call('s', 'm1', usage(0, 5_000, 0, 0))]);
    const agent = ofAgent(call('s', 'm2', usage(0, 700, 0, 7), { model: 'kimi-k2.5' }));
    put('s/subagents/agent-x1.jsonl', [ofAgent(said('s', 'task')), agent]);
    const { subagents, cost } = await onlyOne();
    expect(subagents[0]).toMatchObject({ usd: null, tokens: 707 });
    expect(cost).toMatchObject({ usd: 0.01875, unpriced: 'kimi-k2.5' });
  });
});

describe('a subagent whose log is missing', () => {
  const usual = { status: 'completed', content: TEXT, totalDurationMs: 9, totalToolUseCount: 2 };
  const waited = { ...usual, agentId: 'a1', totalTokens: 9_000, usage: usage(3, 0, 8_900, 97) };
  const launched = { isAsync: true, status: 'async_launched', agentId: 'a1', description: 'look', prompt: 'look' };
  const { agentId: _, status: __, ...old } = waited;
  const asked = (id: string, name: string, report: unknown): readonly Fields[] => [
    call('s', id, usage(0, 5_000, 0, 50), { content: [{ type: 'tool_use', id: `t-${id}`, name, input: {} }] }),
    said('s', result(`t-${id}`), { toolUseResult: report }),
  ];
  const log = (report: unknown): readonly Fields[] => [
    ...[said('s', 'go'), ...asked('m0', 'Bash', { stdout: '"agentId" "totalTokens":', stderr: '' })],
    ...[...asked('m1', 'Agent', report), call('s', 'm2', usage(0, 200, 5_000, 20))],
  ];
  const heard = (agentId: string) => ({ ...ofAgent(call('s', 'm9', usage(0, 700, 0, 7))), agentId });

  it.each([
    { name: 'that was waited for', report: waited, agent: 'a1' },
    { name: 'in the background', report: launched, agent: 'a1' },
    { name: 'of a version without ids', report: old, agent: 't-m1' },
  ])('$name makes the cost a lower bound', async ({ report, agent }) => {
    put('s.jsonl', log(report));
    const session = await onlyOne();
    expect(session.cost.unlogged).toEqual([{ agent, call: 2 }]);
    expect(breachesOf(session, { failOver: 0.9, maxCost: 1 })).toHaveLength(1);
    expect(sumsBy([session], 'day')).toMatchObject([{ usdPartial: true }]);
  });

  it('is not missing beside or in the log of the session', async () => {
    put('s.jsonl', log(waited));
    put('s/subagents/agent-a1.jsonl', [heard('a1')]);
    expect((await onlyOne()).cost.unlogged).toBeUndefined();
    put('s/subagents/agent-a1.jsonl', [heard('a2')]);
    expect((await onlyOne()).cost.unlogged).toHaveLength(1);
    rmSync(join(folder, 's'), { recursive: true });
    put('s.jsonl', [...log(old), { ...call('s', 'm9', usage(0, 700, 0, 7)), isSidechain: true }]);
    expect((await onlyOne()).cost.unlogged).toBeUndefined();
  });

  it('counts in the session that a fork has copied it from', async () => {
    const shared = log(waited);
    put('s.jsonl', shared);
    put('s/subagents/agent-a1.jsonl', [heard('a1')]);
    const own = call('s', 'm3', usage(0, 200, 5_000, 20));
    put(
      'fork.jsonl',
      [...shared, own].map((row) => ({ ...row, sessionId: 'f' })),
    );
    const { full } = await found();
    expect(full.map((session) => ownFigures(session).usdPartial)).toEqual([undefined, undefined]);
  });
});

describe('cost of a model without a price', () => {
  it('is the one in rows of old versions', async () => {
    const row = (id: string, costUSD: number) => ({
      ...call('s', id, usage(0, 5_000, 0, 9), { model: 'glm-4.6' }),
      costUSD,
    });
    put('s.jsonl', [said('s', 'go'), row('m1', 0.0125), row('m1', 0.0125), row('m2', 0), row('m3', 1)]);
    expect(await found()).toMatchObject({ calls: 3, usd: 1.0125 });
    const session = await onlyOne();
    expect([session.cost.usd, session.cost.unpriced]).toEqual([1.0125, undefined]);
  });

  it('is not used for a model with a price', async () => {
    put('s.jsonl', [said('s', 'go'), { ...call('s', 'm1', usage(0, 1_000, 0, 0)), costUSD: 7 }]);
    expect((await onlyOne()).cost.usd).toBe(0.00375);
  });
});

describe('the window of the model', () => {
  const log = (model: string, ...asked: readonly string[]) => {
    const row = { ...call('s', 'm1', usage(0, 150_000, 0, 10), { model }), version: '2.1.140' };
    put('a.jsonl', [...asked.map((words) => said('s', words)), said('s', 'go'), row]);
  };

  it('is the small one for Sonnet 4.6, unless the user requested the large one', async () => {
    log('claude-sonnet-4-6');
    expect((await onlyOne()).window.tokens).toBe(200_000);
    log('claude-sonnet-4-6', '<local-command-stdout>Set model to Sonnet 4.6 (1M context)</local-command-stdout>');
    expect((await onlyOne()).window.tokens).toBe(1_000_000);
  });

  it('is unknown for Opus 4.6: some plans use the large one silently', async () => {
    log('claude-opus-4-6');
    expect((await onlyOne()).window.tokens).toBeNull();
  });
});

describe('all of the input', () => {
  it('recovers a line that a crash truncated, and the one written after it', async () => {
    const [one, two, three] = [1, 2, 3].map((at) => call('s', `m${at}`, usage(0, 1_000, 0, 0)));
    const torn = JSON.stringify(two).slice(0, 120);
    put('a.jsonl', [said('s', 'go'), { ...one }, torn, { ...three }]);
    put('b.jsonl', [said('t', 'go'), `${torn}${JSON.stringify(call('t', 'm4', usage(0, 1_000, 0, 0)))}`]);
    const { calls, full } = await found();
    expect(calls).toBe(3);
    expect(full.map(({ lines }) => lines.malformed)).toEqual([1, 1]);
  });

  it('finds a row behind a torn one that has many braces, also at the end of a file', async () => {
    const code = 'if (a) {{ return {"b": 1};'.repeat(200);
    const report = { stdout: code, structuredPatch: Array.from({ length: 200 }, (_, at) => ({ lines: [code, at] })) };
    const torn = JSON.stringify(said('s', result('t'), { toolUseResult: report })).slice(0, -900);
    const spliced = (id: string) => `${torn}${JSON.stringify(call('s', id, usage(0, 1_000, 0, 0)))}`;
    put('s.jsonl', [said('s', 'go'), spliced('m1')]);
    appendFileSync(join(folder, 's.jsonl'), spliced('m2'));
    const { calls, lines } = await found();
    expect([calls, lines]).toEqual([2, [{ total: 3, unknown: 0, malformed: 2 }]]);
  });
});

describe('bytes as they were written', () => {
  it('holds a row that another process wrote into the middle of one', async () => {
    const [outer, inner] = [1, 2].map((at) => JSON.stringify(call('s', `m${at}`, usage(0, 1_000, 0, 0))));
    put('s.jsonl', [said('s', 'go'), `${outer?.slice(0, 90)}${inner}${outer?.slice(90)}`]);
    expect(await found()).toMatchObject({ calls: 2, lines: [{ malformed: 0 }] });
  });

  it('reads UTF-16, as Windows PowerShell redirects output', async () => {
    const lines = [said('s', 'go'), call('s', 'm1', usage(0, 1_000, 0, 0)), said('s', 'é 😀'.repeat(90_000))];
    const text = [...lines, call('s', 'm2', usage(0, 2_000, 0, 0))].map((line) => `${JSON.stringify(line)}\r\n`);
    writeFileSync(join(folder, 's.jsonl'), `\ufeff${text.join('')}`, 'utf16le');
    expect(await found()).toMatchObject({ calls: 2, usd: 0.01125, lines: [{ malformed: 0 }] });
  });
});

describe('rows of a later claude', () => {
  const renamed = (id: string) => ({ ...call('s', id, usage(0, 9_000, 0, 100)), type: 'model_turn' });

  it('are calls under any name if they hold an answer with its usage', async () => {
    put('s.jsonl', [said('s', 'go'), call('s', 'm1', usage(0, 5_000, 0, 50)), said('s', 'on'), renamed('m2')]);
    expect(await found()).toMatchObject({ calls: 2, lines: [{ unknown: 0 }] });
  });

  it('are the same call if they repeat it under another name', async () => {
    put('s.jsonl', [said('s', 'go'), call('s', 'm1', usage(0, 9_000, 0, 100)), renamed('m1')]);
    expect(await found()).toMatchObject({ calls: 1 });
  });

  it('can contain a copy in progress, which is not a call', async () => {
    put('s.jsonl', [said('s', 'go'), call('s', 'm1', usage(0, 5_000, 0, 50)), { ...renamed('m2'), type: 'progress' }]);
    expect(await found()).toMatchObject({ calls: 1 });
  });
});

describe('logs that were reformatted', () => {
  const rows = () => [
    ...[said('s', 'go'), call('s', 'm1', usage(0, 1_000, 0, 0)), said('s', 'on')],
    call('s', 'm2', usage(0, 2_000, 0, 0)),
  ];
  const pretty = (lines: readonly Fields[]) => lines.map((line) => `${JSON.stringify(line, null, 2)}\n`).join('');

  it.each([
    { name: 'objects over several lines', write: (lines: readonly Fields[]) => pretty(lines) },
    { name: 'an array over several lines', write: (lines: readonly Fields[]) => JSON.stringify(lines, null, 2) },
    {
      name: 'an array that begins below a blank line',
      write: (lines: readonly Fields[]) => `\n${JSON.stringify(lines, null, 2)}`,
    },
    {
      name: 'rows that end with a carriage return',
      write: (lines: readonly Fields[]) => lines.map((line) => `${JSON.stringify(line)}\r`).join(''),
    },
    {
      name: 'a file that ends in the middle of an object',
      write: (lines: readonly Fields[]) => `${pretty(lines)}{\n  "type": "user",\n`,
    },
  ])('are read as $name', async ({ write }) => {
    writeFileSync(join(folder, 's.jsonl'), write(rows()));
    expect(await found()).toMatchObject({ sessions: 1, calls: 2, usd: 0.01125 });
  });

  it('are read as an object of results', async () => {
    const object = { type: 'result', subtype: 'success', session_id: 's', total_cost_usd: 0.25, result: 'done' };
    writeFileSync(join(folder, 's.ndjson'), JSON.stringify(object, null, 2));
    const { full } = await found();
    expect(full.map(({ cost }) => cost.usd)).toEqual([0.25]);
  });

  const alone = (more: Fields) => put('s.ndjson', [{ type: 'result', is_error: false, session_id: 's', ...more }]);

  it('are read as the result of one call, and sums include that call', async () => {
    alone({ subtype: 'success', num_turns: 1, total_cost_usd: 0.25, usage: usage(4, 20_000, 0, 90) });
    const session = await onlyOne();
    expect(session).toMatchObject({ context: { peak: 20_004 }, traffic: { main: { cacheCreation: 20_000 } } });
    expect(sumsBy([session], 'day')).toMatchObject([{ calls: 1, usd: 0.25 }]);
  });

  it('show no context for an interrupted turn, because its usage is a sum', async () => {
    const sum = usage(112, 58_211, 1_120_129, 6_814);
    alone({ subtype: 'error_during_execution', num_turns: 0, total_cost_usd: 0.66, usage: sum });
    expect(await onlyOne()).toMatchObject({ calls: 0, cost: { usd: 0.66 }, window: { tokens: null } });
  });

  it('count once if a line is written twice', async () => {
    const line = { type: 'result', subtype: 'success', is_error: false, session_id: 's', uuid: 'r1', num_turns: 1 };
    const more = { total_cost_usd: 0.25, usage: usage(4, 20_000, 0, 90) };
    put(
      's.ndjson',
      [line, line].map((each) => ({ ...each, ...more })),
    );
    expect(await onlyOne()).toMatchObject({ calls: 1, cost: { usd: 0.25 } });
  });

  it.each([{ total_cost: 0.03 }, { cost_usd: 0.03 }])('name the cost as old versions did: $0', async (cost) => {
    alone({ subtype: 'success', num_turns: 3, ...cost });
    expect((await onlyOne()).cost.usd).toBe(0.03);
  });
});

describe('agents in a folder of their own', () => {
  it('belong to the session next to that folder', async () => {
    put('s.jsonl', [said('s', 'go'), call('s', 'm1', usage(0, 1_000, 0, 0))]);
    put('subagents/agent-x1.jsonl', [ofAgent(call('s', 'm9', usage(0, 4_000, 0, 0)))]);
    expect(await found()).toMatchObject({ sessions: 1, calls: 1, usd: 0.01875 });
  });

  it('compact contexts of their own', async () => {
    put('s.jsonl', [said('s', 'go'), call('s', 'm1', usage(10, 30_000, 0, 0))]);
    const boundary = row('s', { type: 'system', subtype: 'compact_boundary', compactMetadata: { trigger: 'auto' } });
    const again = (id: string) => call('s', id, usage(0, 4_000, 0, 0));
    put('s/subagents/agent-x1.jsonl', [said('s', 'task'), again('m8'), boundary, again('m9')].map(ofAgent));
    const session = await onlyOne();
    expect(session).toMatchObject({ compactions: [], oddities: [], context: { last: 30_010, basis: 'measured' } });
    expect(breachesOf(session, { maxUnplanned: 0 })).toEqual([]);
  });

  it.each(['s/subagents/', 'subagents/', ''])('without their session are one entry: %s', async (place) => {
    for (const id of ['x1', 'x2'])
      put(`${place}agent-${id}.jsonl`, [{ ...ofAgent(call('s', id, usage(0, 4_000, 0, 0))), agentId: id }]);
    expect(await found()).toMatchObject({ sessions: 1, calls: 0, usd: 0.03 });
  });
});

describe('one model by many names', () => {
  it.each([
    'us.anthropic.claude-sonnet-4-5-20250929-v1:0',
    'arn:aws:bedrock:us-west-2:123456789012:inference-profile/us.anthropic.claude-sonnet-4-5-20250929-v1:0',
    'bedrock/converse/eu.anthropic.claude-sonnet-4-5-20250929-v1:0',
    'publishers/anthropic/models/claude-sonnet-4-5@20250929',
    'openrouter/anthropic/claude-sonnet-4.5',
    'anthropic/claude-4.5-sonnet',
    'databricks-claude-sonnet-4-5',
  ])('%s', async (model) => {
    put('a.jsonl', [said('s', 'go'), call('s', 'm1', usage(0, 1_000, 0, 0), { model })]);
    expect(await onlyOne()).toMatchObject({ cost: { usd: 0.00375 }, window: { tokens: 200_000 } });
  });

  it.each(['anthropic/claude-opus-4.6-fast', 'claude-opus-4-6-fast'])(
    '%s costs as much as fast mode',
    async (model) => {
      const more = { speed: 'fast' };
      put('a.jsonl', [said('s', 'go'), call('s', 'm1', usage(0, 1_000, 0, 0), { model })]);
      put('b.jsonl', [said('t', 'go'), call('t', 'm2', usage(0, 1_000, 0, 0, more), { model: 'claude-opus-4-6' })]);
      const { full } = await found();
      expect(full.map(({ cost }) => cost.usd)).toEqual([0.0375, 0.0375]);
    },
  );

  it('a model that claude no longer knows has its last list price', async () => {
    const ids = [
      'anthropic.claude-3-haiku-20240307-v1:0',
      'claude-3-sonnet@20240229',
      'us.anthropic.claude-3-opus-v1:0',
    ];
    const counts = usage(100_000, 10_000, 100_000, 10_000);
    put('s.jsonl', [said('s', 'go'), ...ids.map((model, at) => call('s', `m${at}`, counts, { model }))]);
    const haiku = 0.025 + 0.003 + 0.003 + 0.0125;
    const sonnet = 0.3 + 0.0375 + 0.03 + 0.15;
    expect((await found()).usd).toBeCloseTo(haiku + 6 * sonnet, 6);
  });

  it('a profile that names no model has no price', async () => {
    const model = 'arn:aws:bedrock:eu-west-1:123456789012:application-inference-profile/4jqtkehs0zy3';
    put('a.jsonl', [said('s', 'go'), call('s', 'm1', usage(0, 1_000, 0, 0), { model })]);
    expect((await onlyOne()).cost.usd).toBeNull();
  });
});
