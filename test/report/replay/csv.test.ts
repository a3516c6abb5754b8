import { describe, expect, it } from 'vitest';
import { csv } from '../../../src/report/replay/exports.ts';
import { readCsv } from '../../support/csv.ts';
import { compactionOf, judged, summaryOf, written } from '../../support/session-summary.ts';

describe('csv', () => {
  it('has a row for each session', async () => {
    const text = written(csv, [await judged('compact.ndjson'), await judged('native-mid-turn.session.jsonl')]);
    const [first, second, ...more] = readCsv(text);
    expect(more).toEqual([]);
    expect(first).toEqual({
      file: 'compact.ndjson',
      session: '2ca20535-eb66-43be-96ec-4185d43d4749',
      project: '/home/dev/project',
      model: 'claude-sonnet-4-5',
      claude_code_version: '2.1.197',
      dialect: 'stream',
      first: '2026-11-21T03:19:08.570Z',
      last: '2026-11-21T03:19:08.769Z',
      window: '200000',
      window_source: 'result',
      context_peak: '160000',
      context_peak_fraction: '0.8',
      context_peak_call: '3',
      context_last: '31500',
      context_basis: 'measured',
      turns: '3',
      calls: '5',
      compactions: '1',
      compactions_unplanned: '0',
      actions: '1',
      cost_usd: '0.708356',
      cost_computed: 'false',
      cost_incomplete: 'false',
      cost_unseen_usd: '0',
      unpriced_model: '',
      input: '20',
      cache_creation: '151480',
      cache_read: '301000',
      output: '40',
      subagents: '0',
      subagents_peak: '0',
      subagents_calls: '0',
      subagents_usd: '0',
      subagents_input: '0',
      subagents_cache_creation: '0',
      subagents_cache_read: '0',
      subagents_output: '0',
      calls_copied: '0',
      copied_from: '',
      lines: '19',
      lines_unknown: '0',
      lines_malformed: '0',
    });
    expect(second).toMatchObject({ dialect: 'session', compactions_unplanned: '1', cost_computed: 'true' });
  });

  it('adds up costs of subagents in whole micro-dollars', () => {
    const subagents = [0.1, 0.2].flatMap((usd) => summaryOf().subagents.map((agent) => ({ ...agent, usd })));
    expect(readCsv(written(csv, [summaryOf({ subagents })]))).toMatchObject([{ subagents_usd: '0.3' }]);
  });

  it('excludes compactions that another row counts', () => {
    const copied = { from: [], calls: 5, compactions: 1, usd: 0 };
    const session = summaryOf({ compactions: [compactionOf({ by: 'claude', copied: true })], copied });
    expect(readCsv(written(csv, [session]))).toMatchObject([{ compactions: '0', compactions_unplanned: '0' }]);
  });

  it.each([
    { name: 'a comma', file: 'a,b', cell: 'a,b' },
    { name: 'quotes', file: 'a "b"', cell: 'a "b"' },
    { name: 'line ends', file: 'a\r\nb', cell: 'a b' },
    { name: 'control characters', file: 'a\u001b[2Jb', cell: 'a[2Jb' },
    { name: 'a formula', file: '=cmd|"/c calc"!A1', cell: '\'=cmd|"/c calc"!A1' },
    { name: 'a plus', file: '+1', cell: "'+1" },
    { name: 'a minus, as stdin has', file: '-', cell: "'-" },
    { name: 'an at', file: '@SUM(A1)', cell: "'@SUM(A1)" },
    { name: 'a formula behind a line end', file: '\n=1', cell: ' =1' },
    { name: 'other scripts', file: 'ünï/日本', cell: 'ünï/日本' },
  ])('keeps $name in its cell, and harmless', ({ file, cell }) => {
    expect(readCsv(written(csv, [summaryOf({ file })]))).toMatchObject([{ file: cell, session: 's1' }]);
  });

  it('leaves unknown figures empty', () => {
    const session = summaryOf({ sessionId: null, model: null, project: null, cost: { usd: null, computed: false } });
    expect(readCsv(written(csv, [session]))).toMatchObject([
      { session: '', model: '', project: '', cost_usd: '', first: '' },
    ]);
  });

  it('has its header even without sessions', () => {
    expect(written(csv, [])).toMatch(/^file,session,[a-z_,]+\r\n$/);
  });

  it('omits times outside the range of a date', () => {
    expect(readCsv(written(csv, [summaryOf({ time: { first: 1e18, last: 0 } })]))).toMatchObject([
      { first: '', last: '1970-01-01T00:00:00.000Z' },
    ]);
  });
});
