import { join } from 'node:path';
import { expect, it } from 'vitest';
import { startWorld } from '../support/claude.ts';
import { mainRequests, userTexts } from '../support/conversation.ts';
import { journal, outputLines, prompts, runCtxb, SMALL_WINDOW } from '../support/ctxb.ts';
import { expectExact, job } from '../support/exact-job.ts';
import { expectSameDecisions, kinds } from '../support/proof.ts';

const STREAM = ['--output-format', 'stream-json', '--verbose'];
const EXACT = { CTXB_COMPACTION_HOW: 'auto' };
const FOUR = ['prompt one: α "quoted"', 'prompt two\nwith two lines', 'prompt three', 'prompt four'];

it('between two turns ctxb says what stays, in no time and without a call', async () => {
  await using world = await startWorld(job({ turns: [5, 4, 3, 2] }));
  const record = join(world.scratch.cwd, 'run.ndjson');
  const run = await runCtxb(world, {
    flags: [...prompts(...FOUR), '--record', record],
    claude: [...SMALL_WINDOW, ...STREAM],
    env: EXACT,
  });

  expect(run.code).toBe(0);
  expect(kinds(world)).toEqual(['compact', 'compacted', 'landed']);
  expect(journal(world).find(({ kind }) => kind === 'compacted')).toMatchObject({
    how: 'exact',
    verdict: 'success',
    costUsd: 0,
  });
  expect(run.stderr).toMatch(
    /^ctxb: compacted exactly in \d+ ms at 160,\d{3} of 200,000 tokens → [\d,]+ \(2 of 2 prompts, \d steps? whole, \d+ in a line; no call\): saves about \$0\.0\d a call$/m,
  );
  expectExact(world.standin, FOUR);
  // What was done before is still there, as a line.
  const after = mainRequests(world.standin)[9];
  expect(JSON.stringify(after?.body.messages)).toContain('did 1.1');
  expect(userTexts(after).filter((text) => text.includes('scratch.md')).length).toBe(1);
  // The caller sees nothing of it.
  expect(outputLines(run).map(({ type, subtype }) => subtype ?? type)).not.toContain('compact_boundary');
  expect(run.stderr).toMatch(/kept 2 of 2 prompts/);
  await expectSameDecisions(world, record);
});

it('in mid-turn the running prompt stays whole, and the caller sees no line twice', async () => {
  await using world = await startWorld(job({ turns: [2, 34], growBy: 10_000 }));
  const record = join(world.scratch.cwd, 'run.ndjson');
  const run = await runCtxb(world, {
    flags: [...prompts(...FOUR.slice(0, 2)), '--record', record],
    claude: [...SMALL_WINDOW, ...STREAM],
    env: EXACT,
  });

  expect(run.code).toBe(0);
  expect(kinds(world)).toEqual(['native-compaction', 'landed', 'native-compaction', 'landed']);
  expectExact(world.standin, FOUR.slice(0, 2));
  const lines = outputLines(run).map((line) => JSON.stringify(line));
  const ids = outputLines(run).flatMap(({ type, message }) =>
    type === 'assistant' ? [(message as { id: string }).id] : [],
  );
  expect(new Set(ids).size).toBe(ids.length);
  expect(lines.filter((line) => line.includes('"type":"user"') && line.includes('prompt one'))).toEqual([]);
  await expectSameDecisions(world, record);
});
