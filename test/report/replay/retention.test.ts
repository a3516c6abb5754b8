import { expect, it } from 'vitest';
import { NO_FACTS } from '../../../src/core/memory/notebook/fact.ts';
import type { RecordedRelief } from '../../../src/replay/recorded-items.ts';
import { retention } from '../../../src/report/replay/retention.ts';
import { pageOf, summaryOf, written } from '../../support/session-summary.ts';

const RELIEF: RecordedRelief = {
  relief: 'compaction',
  actual: true,
  all: { ...NO_FACTS, again: 1200 },
  kept: { ...NO_FACTS, again: 900 },
  given: { ...NO_FACTS, again: 300 },
  gone: [],
  stayed: [],
  call: 2,
  line: 2,
};

it.each([44, 60, 80])('keeps tables within %d columns, and each figure next to its share', (columns) => {
  const session = summaryOf({ file: `${'long/'.repeat(20)}session.jsonl`, retention: [RELIEF] });
  const lines = written(retention, [session], { page: pageOf({ columns, edge: columns }) }).split('\n');
  const rows = lines.filter((line) => /^ {2}.*(\d|known|with ctxb)$/.test(line) || line.endsWith('%'));
  for (const line of rows) expect(line.length).toBeLessThanOrEqual(columns);
  for (const part of ['  600   50%', '  900   75%']) expect(rows.filter((line) => line.includes(part))).toHaveLength(3);
});
