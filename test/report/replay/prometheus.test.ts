import { expect, it } from 'vitest';
import { prometheus } from '../../../src/report/replay/prometheus.ts';
import { readExposition } from '../../support/exposition.ts';
import { judged, summaryOf, written } from '../../support/session-summary.ts';

const labels = { file: 'native-mid-turn.session.jsonl', session: '0f6be75f-5fff-46e9-b95e-98a47f248929' };

it.each([
  { name: 'ctxb_session_window_tokens', value: 200_000 },
  { name: 'ctxb_session_context_tokens', more: { at: 'peak' }, value: 115_000 },
  { name: 'ctxb_session_context_tokens', more: { at: 'last' }, value: 33_700 },
  { name: 'ctxb_session_context_peak_ratio', value: 0.575 },
  { name: 'ctxb_session_turns', value: 1 },
  { name: 'ctxb_session_calls', more: { thread: 'main' }, value: 6 },
  { name: 'ctxb_session_compactions', more: { by: 'claude' }, value: 1 },
  { name: 'ctxb_session_compactions', more: { by: 'ctxb' }, value: 0 },
  { name: 'ctxb_session_cost_usd', value: 0.508377 },
  { name: 'ctxb_session_growth_tokens', more: { source: 'summary' }, value: 200 },
  { name: 'ctxb_session_traffic_tokens', more: { thread: 'main', kind: 'cache_read' }, value: 328_000 },
  { name: 'ctxb_session_last_timestamp_seconds', value: 1_795_231_150.394 },
  { name: 'ctxb_session_lines', more: { kind: 'all' }, value: 27 },
  {
    name: 'ctxb_session_info',
    more: { project: '/home/dev/project', model: 'claude-sonnet-4-5', version: '2.1.197' },
    value: 1,
  },
])('says $name $more', async ({ name, more = {}, value }) => {
  const samples = readExposition(written(prometheus, [await judged('native-mid-turn.session.jsonl')]));
  expect(samples).toContainEqual({ name, labels: { ...labels, ...more }, value });
});

it('tells the same file apart when it is there twice, and escapes names', () => {
  const file = 'C:\\logs "a"\nb';
  const session = summaryOf({ file });
  const samples = readExposition(written(prometheus, [session, session, summaryOf({ file: 'b' })]));
  const turns = samples.filter(({ name }) => name === 'ctxb_session_turns');
  expect(turns.map((sample) => sample.labels.file)).toEqual([file, `${file} (2)`, 'b']);
});

it('lets no name steer the terminal', () => {
  expect(written(prometheus, [summaryOf({ file: 'a\u001b[2Jb', model: '\u009b2J' })])).not.toMatch(/[\u001b\u009b]/);
});

it('leaves out what is not known', () => {
  const session = summaryOf({ cost: { usd: null, computed: false } });
  const names = readExposition(written(prometheus, [session])).map(({ name }) => name);
  expect(names).not.toContain('ctxb_session_cost_usd');
  expect(names).not.toContain('ctxb_session_last_timestamp_seconds');
});

it('is no text at all without a session', () => {
  expect(written(prometheus, [])).toBe('');
});
