import { expect, it } from 'vitest';
import { createSessionReplay } from '../../../src/replay/session-replay.ts';
import { sessionRows } from '../../../src/report/replay/session-rows.ts';
import { boundaryLine, callLine, type Line, runWith } from '../../support/governor.ts';
import { asRead } from '../../support/recordings.ts';
import { unmasked } from '../../support/unmasked.ts';

/** A call so many minutes after the beginning, with what it found in the cache and what it wrote to it. */
function call(minute: number, read: number, written: number, hour = false): Line {
  const line = callLine(read + written);
  const usage = {
    input_tokens: 0,
    cache_read_input_tokens: read,
    cache_creation_input_tokens: written,
    cache_creation: { [hour ? 'ephemeral_1h_input_tokens' : 'ephemeral_5m_input_tokens']: written },
    output_tokens: 1,
  };
  return {
    ...line,
    timestamp: new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString(),
    message: { ...(line.message as Line), usage },
  };
}

function summaryOf(lines: readonly Line[]) {
  const replay = createSessionReplay({ run: runWith({ mode: 'replay' }), series: false, mask: unmasked });
  for (const line of lines) replay.line(asRead(JSON.stringify(line)));
  return replay.summary('x');
}

it.each([
  { name: 'no pause', lines: [call(0, 0, 100_000), call(5, 100_000, 1_000)], pauses: undefined },
  {
    name: 'everything was read again',
    lines: [call(0, 0, 100_000), call(6, 0, 101_000)],
    pauses: { count: 1, expired: 1, tokens: 100_000, usd: 0.375, cachedUsd: 0.03 },
  },
  {
    name: 'all but the beginning',
    lines: [call(0, 0, 100_000), call(6, 20_000, 81_000)],
    pauses: { count: 1, expired: 1, tokens: 80_000, usd: 0.3, cachedUsd: 0.024 },
  },
  {
    name: 'the context had become smaller too',
    lines: [call(0, 0, 100_000), call(6, 0, 60_000)],
    pauses: { count: 1, expired: 1, tokens: 60_000, usd: 0.225, cachedUsd: 0.018 },
  },
  {
    name: 'twice',
    lines: [call(0, 0, 80_000), call(6, 0, 160_000), call(12, 0, 170_000)],
    pauses: { count: 2, expired: 2, tokens: 240_000, usd: 0.9, cachedUsd: 0.072 },
  },
  {
    name: 'the cache was still there',
    lines: [call(0, 0, 100_000), call(6, 100_000, 1_000)],
    pauses: { count: 1, expired: 0, tokens: 0, usd: 0, cachedUsd: 0 },
  },
  { name: 'kept for an hour', lines: [call(0, 0, 100_000, true), call(59, 100_000, 1_000)], pauses: undefined },
  {
    name: 'longer than an hour',
    lines: [call(0, 0, 100_000, true), call(61, 0, 100_000, true)],
    pauses: { count: 1, expired: 1, tokens: 100_000, usd: 0.6, cachedUsd: 0.03 },
  },
  {
    name: 'each reading prolongs its life',
    lines: [call(0, 0, 100_000), call(4, 100_000, 0), call(8, 100_000, 0)],
    pauses: undefined,
  },
  {
    name: 'a compacted context is another one',
    lines: [call(0, 0, 100_000), boundaryLine('auto', 100_000), call(6, 0, 30_000)],
    pauses: undefined,
  },
])('$name', ({ lines, pauses }) => {
  expect(summaryOf(lines).pauses).toEqual(pauses);
});

it.each([
  {
    name: 'with what it cost',
    lines: [call(0, 0, 100_000), call(6, 0, 101_000), call(12, 101_000, 10)],
    row: '  cache     expired in 1 of 2 pauses longer than its life: 100,000 tokens read again for $0.38 instead of $0.03',
  },
  {
    name: 'without any cost',
    lines: [call(0, 0, 100_000), call(6, 100_000, 10)],
    row: '  cache     expired in 0 of 1 pause longer than its life',
  },
])('the report tells of them $name', ({ lines, row }) => {
  expect(sessionRows(summaryOf(lines))).toContain(row);
});
