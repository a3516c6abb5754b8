import { Worker } from 'node:worker_threads';
import { expect, it } from 'vitest';
import { createReadAhead, sendLines } from '../../../src/replay/read/read-ahead.ts';
import { fixture } from '../../support/recordings.ts';

const LOG = fixture('native-mid-turn.session.jsonl');

it.each([
  { what: 'texts', sized: 0, found: /"own":[^}]*"text":"[^"]/, missing: /\["tool_result"/ },
  { what: 'sizes', sized: 1, found: /\["tool_result",[\d.]+,\d+,/, missing: /"own":[^}]*"text":/ },
])('sends the $what of tool results', async ({ sized, found, missing }) => {
  const sent: unknown[] = [];
  // All chunks count as taken.
  await sendLines({ file: LOG, shared: Int32Array.of(100, sized) }, (chunk) => sent.push(structuredClone(chunk)));
  expect(sent.at(-1)).toMatchObject({ bytes: 0 });
  expect(JSON.stringify(sent)).toMatch(found);
  expect(JSON.stringify(sent)).not.toMatch(missing);
});

it.each([
  { name: 'ends', program: '', error: /ended early/ },
  { name: 'fails', program: 'throw new RangeError("no memory")', error: /no memory/ },
])('fails if the thread $name before the file', async ({ program, error }) => {
  const read = createReadAhead(() => new Worker(program, { eval: true }));
  await expect(read(LOG, { stdin: process.stdin }, () => expect.unreachable())).rejects.toThrow(error);
});
