import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, expect, it } from 'vitest';
import { DEFAULTS } from '../../src/config/defaults.ts';
import { markCopies } from '../../src/replay/copies.ts';
import { replaySource } from '../../src/replay/replay.ts';
import { dateOf, sumsBy } from '../../src/replay/sums.ts';
import { totalOf, totalsOf } from '../../src/replay/totals.ts';
import { fixture } from '../support/recordings.ts';
import { unmasked } from '../support/unmasked.ts';

const folder = mkdtempSync(join(tmpdir(), 'ctxb-sums-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Six calls, compacted by claude after the fourth. */
const LOG = readFileSync(fixture('native-mid-turn.session.jsonl'), 'utf8').trimEnd().split('\n');
const LAST_CALL = LOG.findLastIndex((line) => line.includes('"type":"assistant"'));
const [MONDAY, TUESDAY] = ['2026-11-23T12:00:00.000Z', '2026-11-24T12:00:00.000Z'];

function judged(name: string, lines: readonly string[]) {
  const file = join(folder, `${name}.jsonl`);
  writeFileSync(file, `${lines.join('\n')}\n`);
  const options = { policy: DEFAULTS, series: false, stdin: Readable.from([]), mask: unmasked };
  return replaySource({ file, subagents: [] }, options);
}

/** The same log twice, the last call a day later and of another model. */
async function twoDays() {
  const lines = LOG.map((line, at) => {
    const row = JSON.parse(line);
    const isLast = at >= LAST_CALL;
    if (isLast && row.type === 'assistant') row.message.model = 'claude-haiku-4-5';
    return JSON.stringify({ ...row, timestamp: isLast ? TUESDAY : MONDAY });
  });
  return markCopies([await judged('two-days', lines), await judged('copy', lines)]);
}

it("counts a compaction on its own day and model instead of the session's last ones", async () => {
  const sessions = await twoDays();
  const days = [TUESDAY, MONDAY].map((time) => dateOf(Date.parse(time)));
  expect(sumsBy(sessions, 'day').map(({ name, calls, compactions }) => [name, calls, compactions])).toEqual([
    [days[0], 1, 0],
    [days[1], 5, 1],
  ]);
  const byModel = sumsBy(sessions, 'model').map(({ name, compactions }) => [name, compactions]);
  expect(byModel).toContainEqual(['claude-haiku-4-5', 0]);
  expect(byModel).toHaveLength(2);
});

it('excludes everything before the requested time', async () => {
  const sessions = await twoDays();
  const all = sumsBy(sessions, 'day');
  const since = sumsBy(sessions, 'day', Date.parse(TUESDAY));
  expect(since).toEqual(all.slice(0, 1));
  expect(totalOf(since)).toEqual({ calls: 1, compactions: 0, usd: all[0]?.usd });
  const { calls, compactions, usd } = totalsOf(sessions);
  expect(totalOf(all)).toEqual({ calls, compactions, usd });
  const byModel = sumsBy(sessions, 'model', Date.parse(TUESDAY)).filter((sum) => sum.calls > 0);
  expect(byModel.map(({ name }) => name)).toEqual(['claude-haiku-4-5']);
});

it('marks only sums with a call of unknown price as lower bounds', async () => {
  const lines = LOG.map((line, at) => {
    const isLast = at === LAST_CALL;
    const row = JSON.parse(isLast ? line.replaceAll(/"model":"[^"]*"/g, '"model":"glm-4.7"') : line);
    return JSON.stringify({ ...row, timestamp: at >= LAST_CALL ? TUESDAY : MONDAY });
  });
  const sessions = [await judged('unpriced', lines)];
  const marks = (by: 'day' | 'model' | 'project') => sumsBy(sessions, by).map(({ usdPartial }) => usdPartial ?? false);
  expect(marks('day')).toEqual([true, false]);
  expect(marks('model')).toEqual([false, true]);
  expect(marks('project')).toEqual([true]);
  expect(totalsOf(sessions).usdPartial).toBe(true);
});
