import { expect } from 'vitest';
import { nameOf } from '../../src/core/governor/decisions.ts';
import { journal, prompts, runCtxb, SMALL_WINDOW } from '../support/ctxb.ts';
import { expectEachPromptOnce, expectSameDecisions } from '../support/proof.ts';
import { inSoak } from '../support/size.ts';
import { bash, configure, file, MCP, mcp, numbered, read, startCaller, storedResults } from '../support/tool-agents.ts';

inSoak('replaying the record of a run with tool budgets gives the decisions of its journal again', async () => {
  await using world = await startCaller((cwd) => [
    [read(`${cwd}/long.txt`), read(`${cwd}/short.txt`), bash('cat long.txt | head -n 700')],
    mcp('list', { count: 550, limit: 50 }),
    [mcp('list', { count: 550 }), mcp('text', { chars: 45_000 }), mcp('text', { chars: 5_000_000 })],
    mcp('list', { count: 550 }),
    bash('cat long.txt; exit 3'),
    ...Array(4).fill(bash('cat long.txt | tail -n 700')),
    {
      name: 'Agent',
      input: { description: 'Look', prompt: 'Look', subagent_type: 'general-purpose', run_in_background: false },
    },
    read(`${cwd}/long.txt`, { offset: 500 }),
  ]);
  file(world, 'long.txt', numbered(1_000));
  file(world, 'short.txt', numbered(10));
  configure(world, { tools: { perCall: 3_000, Read: 6_000 } });
  const record = `${world.scratch.cwd}/run.ndjson`;
  const run = await runCtxb(world, {
    flags: ['--record', record, ...prompts('first', 'second')],
    claude: [...SMALL_WINDOW, ...MCP],
  });

  expect(run.code).toBe(0);
  expectEachPromptOnce(world.standin, ['first', 'second']);
  expect(new Set(journal(world).map(nameOf))).toEqual(
    new Set(['mid-turn:trigger', 'tool-budget:call', 'tool-budget:result']),
  );
  // The fourth time the same is asked for, it comes whole.
  expect(Object.keys(storedResults(world))).toHaveLength(7);
  await expectSameDecisions(world, record);
});
