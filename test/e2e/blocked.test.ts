import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { startWorld } from '../support/claude.ts';
import { journal, prompts, runCtxb, SMALL_WINDOW } from '../support/ctxb.ts';
import { growing } from '../support/handoff.ts';
import { expectEachPromptOnce, kinds } from '../support/proof.ts';
import { sampled } from '../support/size.ts';

const FOUR = ['prompt one', 'prompt two', 'prompt three', 'prompt four'];

it.each(
  sampled([
    { name: 'its exit code', how: 'auto', command: 'echo not while tests run >&2; exit 2' },
    { name: 'its decision', how: 'summary', command: `echo '{"decision":"block","reason":"not while tests run"}'` },
  ]),
)('respects a PreCompact hook that blocks by $name, and reports it once', async ({ command, how }) => {
  await using world = await startWorld(growing({ turns: [4, 4, 1, 1], growBy: 18_000 }));
  const settings = join(world.scratch.cwd, 'guard.json');
  writeFileSync(settings, JSON.stringify({ hooks: { PreCompact: [{ hooks: [{ type: 'command', command }] }] } }));
  const run = await runCtxb(world, {
    flags: prompts(...FOUR),
    claude: [...SMALL_WINDOW, '--settings', settings],
    env: { CTXB_COMPACTION_HOW: how },
  });

  expect(run.stdout.toString()).toBe('answer 1\nanswer 2\nanswer 3\nanswer 4\n');
  expect(run.code).toBe(0);
  // Tried once; after that the context is neither compacted nor handed over.
  expect(kinds(world).filter((kind) => kind !== 'mid-turn:focus' && kind !== 'unavailable:exact')).toEqual([
    'compact',
    'compacted',
  ]);
  expect(journal(world).find(({ kind }) => kind === 'compacted')).toMatchObject({ verdict: 'blocked' });
  const told = run.stderr.split('\n').filter((line) => line.includes('not while tests run'));
  expect(told).toHaveLength(1);
  expect(told[0]).toMatch(/^ctxb: not compacted; the context is unchanged: Compaction blocked by PreCompact hook/);
  expect(run.stderr).not.toMatch(/handing over|claude compacted/);
  expectEachPromptOnce(world.standin, FOUR);
});
