import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { DEFAULTS } from '../../../src/config/defaults.ts';
import { callsIn } from '../../../src/replay/ledger.ts';
import { createLightReplay } from '../../../src/replay/light/light-replay.ts';
import { createQuickReader, createSkipper } from '../../../src/replay/light/quick-reader.ts';
import { createLineFeed } from '../../../src/replay/read/line-feed.ts';
import { runForReplay } from '../../../src/replay/replay-run.ts';
import { createSessionReplay } from '../../../src/replay/session-replay.ts';
import { createRandom } from '../../support/random.ts';
import { FIXTURE_RECORDINGS, FOUND_LOGS, linesOf, SHARED_RECORDINGS, TRANSCRIPTS } from '../../support/recordings.ts';
import { sampled, sized } from '../../support/size.ts';
import { unmasked } from '../../support/unmasked.ts';
import { gapped, killed, oddLog, torn } from './odd-log.ts';

const how = { run: runForReplay(DEFAULTS), mask: unmasked };

/** Reads a recording in pieces, all in one buffer that is written over, as from a file. */
function feedTo(feed: ReturnType<typeof createLineFeed>, bytes: Buffer): void {
  const chunk = Buffer.alloc(4_096);
  for (let from = 0; from < bytes.length; from += chunk.length) {
    feed.push(chunk.subarray(0, bytes.copy(chunk, 0, from, from + chunk.length)));
  }
  feed.end();
}

function readLightly(bytes: Buffer) {
  const replay = createLightReplay(how);
  feedTo(createLineFeed(replay.line, undefined, createQuickReader(replay)), bytes);
  const found = replay.found('a.jsonl');
  return found && { ...found, ledger: callsIn(found) };
}

/** @param skips whether parts of rows are skipped, as from a file @param series whether texts are needed */
function replayFully(bytes: Buffer, skips = false, series = true) {
  const replay = createSessionReplay({ ...how, series });
  feedTo(createLineFeed(replay.line, undefined, skips ? createSkipper(replay.needsTexts) : undefined), bytes);
  const summary = replay.summary('a.jsonl');
  return { ...summary, ledger: callsIn(summary) };
}

/** A full reading skips parts of rows, and more of them if no texts are needed. */
function expectSkipped(bytes: Buffer, full: ReturnType<typeof replayFully>, what?: string): void {
  const { series: _, prompts: __, results: ___, ...withoutSeries } = full;
  expect(replayFully(bytes, true), what).toEqual(full);
  expect(replayFully(bytes, true, false), what).toEqual(withoutSeries);
}

/** What a full reading says of what a light one says. */
function lightPartOf({ series: _, prompts: __, results: ___, ...summary }: ReturnType<typeof replayFully>) {
  const { ledger, compactions, context, ...whole } = summary;
  const { last: ____, basis: _____, ...shares } = context;
  const { turns, traffic, actions, growth, subagents, oddities, ...figures } = whole;
  return {
    ...figures,
    context: shares,
    ledger,
    compactions: compactions.map(({ how: _, line: __, gaugeBefore: ___, firstAfter: ____, ...rest }) => rest),
  };
}

const readFully = (bytes: Buffer) => lightPartOf(replayFully(bytes));

describe('a light replay equals a full one', () => {
  const recordings = [...FIXTURE_RECORDINGS, ...SHARED_RECORDINGS, ...sampled(TRANSCRIPTS), ...FOUND_LOGS];

  it.each(recordings)('for $name', ({ path }) => {
    const bytes = readFileSync(path);
    const full = replayFully(bytes);
    const light = readLightly(bytes);
    if (full.dialect === 'session') expect(light).toEqual(lightPartOf(full));
    else expect(light).toBeUndefined();
    expectSkipped(bytes, full);
  });

  it('for odd logs, complete and truncated', () => {
    let told = 0;
    for (let seed = 1; seed <= sized(50, 20_000); seed++) {
      const random = createRandom(seed);
      const log = oddLog(random);
      for (const bytes of [log, torn(log, random), torn(log, random), killed(log, random)]) {
        const light = readLightly(bytes);
        if (light === undefined) continue;
        told++;
        const full = replayFully(bytes);
        expect(light, `seed ${seed}`).toEqual(lightPartOf(full));
        expectSkipped(bytes, full, `seed ${seed}`);
      }
    }
    expect(told).toBeGreaterThan(sized(100, 40_000));
  });
});

describe('a series of calls of one form', () => {
  /** Rows whose ids and counts come from few values, so that they return in every order. */
  function seriesLog(seed: number): Buffer {
    const random = createRandom(seed);
    const ids = random.whole(2, 6);
    const origin = { parentUuid: null, isSidechain: false, sessionId: 's1', version: '2.1.29', cwd: '/home' };
    const rowAt = (at: number) => {
      const timestamp = new Date(Date.UTC(2026, 4, 1, 10, 0, random.whole(at, at + 3))).toISOString();
      const shared = { ...origin, uuid: `row ${random.chance(0.9) ? at : 0}`, timestamp };
      const id = (random.chance(0.8) ? 'msg_01AbCdEfGhIjKlMnOp' : 'm') + random.whole(1, ids);
      const usage = {
        input_tokens: random.pick([4, 4, 4, 0, 5]),
        cache_creation_input_tokens: random.pick([0, 0, 700]),
        cache_read_input_tokens: random.pick([0, 1_000, 30_000, 90_000, 230_000]),
        output_tokens: random.pick([1, 30, 400]),
      };
      const stop_reason = random.chance(0.9) ? 'tool_use' : null;
      const model = random.chance(0.9) ? 'claude-opus-4-6' : 'claude-haiku-4-5';
      const text = [{ type: 'text', text: 'x'.repeat(random.whole(1, 50)) }];
      const result = [{ type: 'tool_result', tool_use_id: 't', content: 'y' }];
      const compactMetadata = { trigger: 'auto', preTokens: 5_000, postTokens: 900 };
      const isSidechain = random.chance(0.05);
      return {
        answer: {
          ...shared,
          isSidechain,
          ...(isSidechain && { agentId: 'a1' }),
          type: 'assistant',
          message: { id, model, role: 'assistant', content: text, stop_reason, usage },
        },
        result: { ...shared, type: 'user', message: { role: 'user', content: result } },
        prompt: { ...shared, type: 'user', message: { role: 'user', content: 'again' } },
        boundary: { ...shared, type: 'system', subtype: 'compact_boundary', compactMetadata },
        other: { type: 'last-prompt', lastPrompt: 'again', sessionId: 's1' },
      }[random.weighted({ answer: 12, result: 5, prompt: 1, boundary: 0.4, other: 0.5 })];
    };
    return Buffer.from(Array.from({ length: 60 }, (_, at) => `${JSON.stringify(rowAt(at))}\n`).join(''));
  }

  it('adds up to the figures of a full replay', () => {
    for (let seed = 1; seed <= sized(60, 3_000); seed++) {
      const bytes = seriesLog(seed);
      expect(readLightly(bytes), `seed ${seed}`).toEqual(readFully(bytes));
    }
  });
});

/** Rows of one form, one for each usage. @param id of the message */
const answers = (...usages: readonly (readonly [id: string, usage: object])[]) =>
  usages.map(([id, counts], at) => {
    const usage = { input_tokens: 4, output_tokens: 9, ...counts };
    const content = [{ type: 'text', text: 'x' }];
    const message = {
      id: `msg_01AbCdEfGhIjKlMnOp${id}`,
      model: 'claude-opus-4-6',
      content,
      stop_reason: 'end_turn',
      usage,
    };
    const origin = { parentUuid: null, isSidechain: false, sessionId: 's1', version: '2.1.29' };
    return { ...origin, type: 'assistant', message, uuid: `row ${at}`, timestamp: '2026-05-01T10:00:00.000Z' };
  });

const searches = (id: string, web_search_requests: number) =>
  [id, { server_tool_use: { web_search_requests } }] as const;
const written = (id: string, total: number | null | undefined, parts: object) =>
  [id, { cache_creation_input_tokens: total, cache_creation: parts }] as const;
const minutes = (ephemeral_5m_input_tokens: number) => ({ ephemeral_5m_input_tokens });
const both = (first: number, ephemeral_1h_input_tokens: number) => ({ ...minutes(first), ephemeral_1h_input_tokens });

it.each([
  {
    name: 'an answer whose searches only its last row reports',
    rows: answers(...['1', '2', '3'].flatMap((id) => [searches(id, 0), searches(id, 2)])),
  },
  {
    name: 'a part of what is written to the cache, without the sum',
    rows: answers(
      written('1', undefined, minutes(500)),
      written('2', undefined, minutes(700)),
      written('3', undefined, minutes(0)),
    ),
  },
  {
    name: 'the parts, and 0 or null as their sum',
    rows: answers(
      written('1', 0, both(0, 0)),
      written('2', 0, both(500, 0)),
      written('3', 0, both(0, 700)),
      written('4', null, both(1, 2)),
      written('5', null, both(3, 4)),
    ),
  },
])('for $name', ({ rows }) => {
  const bytes = Buffer.from(rows.map((each) => `${JSON.stringify(each)}\n`).join(''));
  const light = readLightly(bytes);
  expect(light).toEqual(readFully(bytes));
  expect(light?.cost.usd).toBeGreaterThan(0);
});

it.each([
  '2026-05-01T10:00:00.250Z',
  '2026-05-01T10:59:59.999Z',
  '2026-05-01T10:30:59.999Z',
  '2026-05-01T10:30:60.000Z',
  '2026-05-01T10:30:0a.000Z',
  '2026-05-01T10:30:00.0a0Z',
  '2026-05-01T10:60:00.000Z',
  '2026-05-01T10:00:60.000Z',
  '2026-05-01T10:0a:00.000Z',
  '2026-05-01T10:00:00,000Z',
  '2026-05-01T10:00:00.000z',
  '2026-05-01T10:00:00.0001',
  '2026-05-01T10:00:00Z',
  '2026-05-01T10:00:00.000+02:00',
  '2026-05-01T24:00:00.000Z',
  '2026-05-01T24:00:01.000Z',
  '2026-02-31T10:00:00.000Z',
  '2026-13-01T10:00:00.000Z',
  'yesterday',
  '',
])('for the time %j after a usual one, and before one', (odd) => {
  const rows = answers(['1', {}], ['2', {}], ['3', {}], ['4', {}], ['5', {}], ['6', {}]);
  const usual = '2026-05-01T10:30:00.500Z';
  for (const times of [
    [usual, usual, usual, odd, usual, odd],
    [odd, odd, odd, usual, odd, odd],
  ]) {
    const timed = rows.map((row, at) => JSON.stringify({ ...row, timestamp: times[at] }));
    const bytes = Buffer.from(timed.map((line) => `${line}\n`).join(''));
    expect(readLightly(bytes)).toEqual(readFully(bytes));
  }
});

it.each([
  { type: 'last-prompt', lastPrompt: 'again', leafUuid: 'row 1', sessionId: 's1' },
  { type: 'summary', summary: 'A title', leafUuid: null },
  { type: 'permission-mode', permissionMode: 'plan', sessionId: 's1' },
  { type: 'attachment', attachment: 'none', sessionId: 's1' },
  { type: 'queue-operation', operation: 'enqueue', timestamp: '2026-05-02T10:00:00.000Z', sessionId: 's1' },
  { type: 'custom-title', customTitle: 'A title', uuid: 'row 2', sessionId: 's1' },
  { type: 'tag', from: 'claude', t: 5, line: 'no JSON' },
  { type: 'system', subtype: 'compact_boundary', sessionId: 's1' },
  { type: 'no known type', text: 'x' },
])('for lines of plain values such as %j', (line) => {
  // The last ones have the id of a row, and another time.
  const others = [line, { ...line, text: 'y' }, line, { ...line, ...('uuid' in line && { uuid: 'row 4' }) }];
  const timed = 'timestamp' in line ? { ...line, timestamp: '2026-05-03T10:00:00.000Z' } : line;
  const rows = answers(['1', {}], ['2', {}], ['3', {}], ['4', {}], ['5', {}]).flatMap((row, at) => [
    row,
    others[at] ?? timed,
  ]);
  const bytes = Buffer.from(rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
  expect(readLightly(bytes)).toEqual(readFully(bytes));
});

it.each([
  ['another version with another price', { version: '2.1.300' }],
  ['another folder', { cwd: '/elsewhere' }],
  ['another session', { sessionId: 's2' }],
  ['a subagent', { isSidechain: true, agentId: 'a1' }],
])('for a line that repeats a call in %s', (_, other) => {
  const rows = answers(['1', {}], ['2', {}], ['2', {}], ['3', {}]).map((row, at) => {
    const message = { ...row.message, model: 'claude-sonnet-5' };
    return { ...row, message, ...(at === 2 ? other : {}) };
  });
  const bytes = Buffer.from(rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
  expect(readLightly(bytes)).toEqual(readFully(bytes));
});

it('for odd logs with a gap anywhere, unless only a full replay detects the broken line', () => {
  let told = 0;
  for (let seed = 1; seed <= sized(200, 20_000); seed++) {
    const random = createRandom(seed);
    const bytes = gapped(oddLog(random), random);
    const light = readLightly(bytes);
    if (light === undefined) continue;
    const full = readFully(bytes);
    if (full.lines.malformed > light.lines.malformed) continue;
    told++;
    expect(light, `seed ${seed}`).toEqual(full);
  }
  expect(told).toBeGreaterThan(sized(100, 10_000));
});

describe('a row with the form of an earlier one', () => {
  it('is not parsed', () => {
    const thin = createQuickReader({ areResultsUnused: () => true, areTextsUnused: () => false });
    const rows = FIXTURE_RECORDINGS.filter(({ name }) => name.endsWith('.session.jsonl'))
      .flatMap(({ path }) => linesOf(path))
      .filter((line) => /^.{60,}"type":"(?:tool_result|tool_use)"/.test(line))
      .map((line) => Buffer.from(line));
    const read = rows.map((line) => thin(line, 0, line.length)?.kind);
    expect(read.filter((kind) => kind !== 'value').length).toBeGreaterThan(rows.length / 2);
  });

  it('is not parsed if it has only plain values, and no other text', () => {
    const thin = createQuickReader({ areResultsUnused: () => true, areTextsUnused: () => true });
    const lineWith = (lastPrompt: string) => JSON.stringify({ type: 'last-prompt', lastPrompt, sessionId: 's1' });
    const lines = [
      lineWith('a'),
      lineWith('b'),
      ` ${lineWith('c')}`,
      lineWith('d') + lineWith('e'),
      lineWith('f').slice(0, -1),
    ];
    const kinds = lines.map((line) => thin(Buffer.from(line), 0, line.length)?.kind);
    expect(kinds).toEqual(['value', 'unread', 'value', undefined, undefined]);
  });
});
