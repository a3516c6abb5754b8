import { chmod } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { untilClosing } from '../support/ctxb.ts';
import { playLongSession } from '../support/fuzz/long-session.ts';
import { sized } from '../support/size.ts';
import { createPlace, ctxb, journalOf } from './fakes.ts';

const RUNS = sized(12, 200);

/** The smallest claude there is: a shell that answers each prompt with a result. */
const TINY = `#!/bin/sh
while read -r line; do
  case $line in *'"type":"user"'*) echo '{"type":"result","subtype":"success","is_error":false,"result":"done"}' ;; esac
done
`;

it(`${RUNS} runs at once in one folder all come to their end, and the journal has each of them`, async () => {
  await using place = await createPlace();
  const program = await place.file('claude', TINY);
  await chmod(program, 0o755);
  const one = () => ctxb(place, ['run', '--prompt', 'one', '--prompt', 'two', '--', program]).then(untilClosing);
  const runs = await Promise.all(Array.from({ length: RUNS }, one));
  const ends = runs.map(({ code, stdout, stderr }) => `${code} ${stdout}${stderr}`);
  expect(new Set(ends)).toEqual(new Set(['0 done\ndone\n']));
  const kinds = journalOf(place).map(({ kind }) => kind);
  expect(kinds.filter((kind) => kind === 'start')).toHaveLength(RUNS);
  expect(kinds.filter((kind) => kind === 'end')).toHaveLength(RUNS);
}, 180_000);

/** What each of a hundred turns would leave behind, if it left anything, is more than this. */
const MOST = { heap: 2_000_000, files: 50, listeners: 50, resources: 50 };

it('a long session leaks no memory, file, listener or timer', async () => {
  const [first, ...later] = await playLongSession({ turns: 150, linesPerTurn: 20, looks: 3 });
  const last = later.at(-1);
  for (const kind of ['heap', 'files', 'listeners', 'resources'] as const) {
    expect((last?.[kind] ?? Number.NaN) - (first?.[kind] ?? 0), kind).toBeLessThan(MOST[kind]);
  }
});
