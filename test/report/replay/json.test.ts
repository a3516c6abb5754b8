import { expect, it } from 'vitest';
import { ndjson } from '../../../src/report/replay/exports.ts';
import { DOCS } from '../../support/pages.ts';
import { judged, written } from '../../support/session-summary.ts';

function rowsOf(text: string): Record<string, unknown>[] {
  expect(text.endsWith('\n')).toBe(true);
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

it('has a flat line per call, all with the same keys', async () => {
  const rows = rowsOf(written(ndjson, [await judged('compact.ndjson'), await judged('native-mid-turn.session.jsonl')]));
  expect(rows).toHaveLength(11);
  expect(new Set(rows.map((row) => Object.keys(row).join())).size).toBe(1);
  for (const row of rows)
    for (const value of Object.values(row)) expect(value === null || typeof value !== 'object').toBe(true);
  expect(rows[3]).toEqual({
    file: 'compact.ndjson',
    session: '2ca20535-eb66-43be-96ec-4185d43d4749',
    project: '/home/dev/project',
    model: 'claude-sonnet-4-5',
    time: '2026-11-21T03:19:08.769Z',
    turn: 3,
    call: 4,
    line: 16,
    message: 'msg_standin_0005',
    window: 200_000,
    context: 31_000,
    input: 4,
    cache_creation: 10_996,
    cache_read: 20_000,
    output: 10,
    output_known: false,
    predicted: null,
    cost_usd: 0.15,
    copied: false,
    added_prompt: 0,
    added_answer: 30,
    added_summary: 200,
    added_notice: 0,
    added_tools: 0,
    compacted_by: 'caller',
  });
  expect(rows.map((row) => row.compacted_by)).toEqual([
    ...[null, null, null, 'caller', null],
    ...[null, null, null, null, 'claude', null],
  ]);
});

it('has the documented columns in their order', async () => {
  const [table = ''] = /(?<=^### Columns of a call\n)[^#]*/m.exec(DOCS) ?? [];
  const columns = [...table.matchAll(/^\|([^|]*)\|/gm)].map(([, cell = '']) => cell).join();
  const names = [...columns.matchAll(/`(\w+)`/g)].map(([, name]) => name);
  const [first = {}] = rowsOf(written(ndjson, [await judged('compact.ndjson')]));
  expect(names).toEqual(Object.keys(first));
});

it('adds up additions of all tools', async () => {
  const session = await judged('compact.ndjson');
  const [call] = session.series ?? [];
  const series = call === undefined ? [] : [{ ...call, added: { Read: 5, mcp__a__b: 6, prompt: 7, 'other tools': 1 } }];
  expect(rowsOf(written(ndjson, [{ ...session, series }]))).toMatchObject([{ added_tools: 12, added_prompt: 7 }]);
});

it('prints nothing for a session without calls', async () => {
  expect(written(ndjson, [{ ...(await judged('compact.ndjson')), series: [] }])).toBe('');
});
