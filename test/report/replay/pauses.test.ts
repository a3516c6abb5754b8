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
  { name: 'no pause', lines: [call(0, 0, 100_000), call(5, 100_000, 1_000)], row: undefined },
  {
    name: 'everything was written again',
    lines: [call(0, 0, 100_000), call(6, 0, 101_000), call(12, 101_000, 10)],
    row: '  cache     lost in 1 pause: 100,000 tokens written again for $0.38 instead of $0.03',
  },
  {
    name: 'twice',
    lines: [call(0, 0, 80_000), call(6, 0, 160_000), call(12, 0, 170_000)],
    row: '  cache     lost in 2 pauses: 240,000 tokens written again for $0.90 instead of $0.07',
  },
  { name: 'the cache was still there', lines: [call(0, 0, 100_000), call(6, 100_000, 1_000)], row: undefined },
  { name: 'kept for an hour', lines: [call(0, 0, 100_000, true), call(59, 100_000, 1_000)], row: undefined },
  {
    name: 'longer than an hour',
    lines: [call(0, 0, 100_000, true), call(61, 0, 101_000, true)],
    row: '  cache     lost in 1 pause: 100,000 tokens written again for $0.60 instead of $0.03',
  },
  {
    name: 'a compaction in the pause',
    lines: [call(0, 0, 100_000), boundaryLine('manual', 100_000), call(6, 0, 101_000)],
    row: undefined,
  },
])('one row sums up what pauses have cost: $name', ({ lines, row }) => {
  const rows = sessionRows(summaryOf(lines));
  expect(rows.find((each) => each.startsWith('  cache'))).toBe(row);
  expect(rows.join()).not.toContain('the prompt cache was lost');
});
