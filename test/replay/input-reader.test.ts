import { expect, it } from 'vitest';
import { createSessionReplay } from '../../src/replay/session-replay.ts';
import { type SessionSummary, withoutSeries } from '../../src/replay/summary.ts';
import { runWith } from '../support/governor.ts';
import { asRead, fixture, objectsOf } from '../support/recordings.ts';
import { unmasked } from '../support/unmasked.ts';

type Row = Record<string, unknown>;

function judged(rows: readonly Row[]): SessionSummary {
  const replay = createSessionReplay({ run: runWith({ mode: 'replay' }), series: true, mask: unmasked });
  for (const row of rows) replay.line(asRead(JSON.stringify(row)));
  return replay.summary('r');
}

/** What calls amount to. */
function callsIn(rows: readonly Row[]) {
  const session = judged(rows);
  const { calls, traffic, cost, context } = withoutSeries(session);
  return { calls, traffic, cost, context, series: session.series?.map(({ messageId }) => messageId) };
}

const rows = objectsOf(fixture('tool-turn.session.jsonl'));
const answers = rows.filter(({ type }) => type === 'assistant');
/** The same rows as another writer of the log would put them there again. */
const again = answers.map((row, at) => ({ ...row, uuid: `again-${at}` }));

it('the sample log has calls that can be repeated', () => expect(callsIn(rows).calls).toBeGreaterThan(1));

it.each([
  { name: 'at the end', repeated: [...rows, ...again] },
  { name: 'twice', repeated: [...rows, ...again, ...again.map((row) => ({ ...row, uuid: `${row.uuid}-more` }))] },
  { name: 'at the end, but for the last call', repeated: [...rows, ...again.slice(0, -1)] },
])('a call whose rows are in a log again counts once: $name', ({ repeated }) => {
  expect(callsIn(repeated)).toEqual(callsIn(rows));
});

it('continues a call after a small one of another model', () => {
  const [first] = answers;
  const message = first?.message as Row;
  const aside = {
    ...first,
    uuid: 'aside',
    message: { ...message, id: 'aside', model: 'claude-haiku-4-5', content: [] },
  };
  const use = { type: 'tool_use', id: 'late', name: 'Read', input: { file_path: '/late' } };
  const late = { ...first, uuid: 'late', message: { ...message, content: [use] } };
  const result = {
    ...rows.find(({ type }) => type === 'user'),
    uuid: 'result',
    message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'late', content: 'found' }] },
  };
  const until = rows.slice(0, rows.findIndex(({ uuid }) => uuid === first?.uuid) + 1);
  expect(judged([...until, aside, late, result]).results?.map(({ target }) => target)).toContain('/late');
});
