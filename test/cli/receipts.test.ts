import { mkdir } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { fixture } from '../support/recordings.ts';
import { createPlace, ctxb } from './fakes.ts';

/** A session log with a compaction before its calls 5 and 9. */
const LOG = fixture('exact.session.jsonl');
const SESSION = 'f2a1';

/** The journal of a run that resumed the session or began it, with the receipt of one compaction. */
function journal(runId: string, t: string, gone: string): string {
  const counts = { prompts: 1, constraints: 0, failing: 0, again: 0, deadEnds: 0, paths: 0, commands: 1 };
  const facts = { all: counts, kept: counts, given: counts, gone: [{ kind: 'commands', text: gone }], stayed: [] };
  return [
    { kind: 'session', runId, t, id: SESSION, log: LOG },
    { kind: 'receipt', runId, t, relief: 'compaction', at: { turn: 1, call: 1 }, ...facts },
  ]
    .map((entry) => `${JSON.stringify(entry)}\n`)
    .join('');
}

it.each([
  ['first', ['a', 'b'], [5, 9]],
  ['only', ['b'], [9]],
])('finds the call of each compaction in the log that two runs share: the %s run', async (_, runs, calls) => {
  await using place = await createPlace();
  await mkdir(place.path('.context'));
  const [a, b] = [
    journal('a', '2026-11-22T02:04:31.570Z', 'npm test'),
    journal('b', '2026-11-22T02:04:31.870Z', 'npm run lint'),
  ];
  await place.file('.context/journal.ndjson', runs.length === 2 ? a + b : b);
  const run = await ctxb(place, ['receipts', '--json', SESSION]);
  const { receipts } = JSON.parse(run.stdout.toString());
  expect(receipts.map(({ relief }: { relief: { call: number } }) => relief.call)).toEqual(calls);
});

it('shows the newest run only, at the call of its own compaction', async () => {
  await using place = await createPlace();
  await mkdir(place.path('.context'));
  const entries = [
    journal('a', '2026-11-22T02:04:31.570Z', 'npm test'),
    journal('b', '2026-11-22T02:04:31.870Z', 'npm run lint'),
  ];
  await place.file('.context/journal.ndjson', entries.join(''));
  const run = await ctxb(place, ['receipts', '--json']);
  const { receipts } = JSON.parse(run.stdout.toString());
  expect(receipts).toMatchObject([{ relief: { call: 9, gone: [{ text: 'npm run lint' }] } }]);
});

it('reports an unknown name, and a session without a compaction or handoff', async () => {
  await using place = await createPlace();
  expect(await ctxb(place, ['receipts'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('no run or session in this folder'),
  });
  expect(await ctxb(place, ['receipts', fixture('tool-turn.session.jsonl')])).toMatchObject({
    code: 0,
    stderr: 'ctxb: no compaction or handoff with a request after it\n',
  });
  expect(await ctxb(place, ['receipts', 'nowhere'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('nowhere'),
  });
});
