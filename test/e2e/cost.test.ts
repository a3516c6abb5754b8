import { join } from 'node:path';
import { expect, it } from 'vitest';
import { stateFolder } from '../../src/store/folders/user-folders.ts';
import { agent, promptText } from '../support/agent.ts';
import { promptLine, startWorld } from '../support/claude.ts';
import { conversation, mainRequests, userTexts } from '../support/conversation.ts';
import { costEntries } from '../support/cost-ledger.ts';
import { journal, outputLines, PROTOCOL, prompts, runCtxb, SMALL_WINDOW } from '../support/ctxb.ts';
import { expectEachPromptOnce, expectSameDecisions, kinds } from '../support/proof.ts';
import { firstOf, inSoak, sampled } from '../support/size.ts';
import type { Scenario } from '../support/standin/scenario.ts';

const STREAM = ['--output-format', 'stream-json', '--verbose'];

/** One turn of 30 calls; what each costs, at list prices, is mostly the 2,000 tokens that it adds. */
function longTurn(): Scenario {
  const { calls } = conversation({ turns: [30, 1], growBy: 2_000 });
  return {
    calls: (request, index) => {
      const isLast = userTexts(request).some((text) => text.includes('This is your last turn'));
      return isLast ? { text: 'wrapped up' } : typeof calls === 'function' ? calls(request, index) : {};
    },
  };
}

function spentAt(entries: readonly Record<string, unknown>[]): number {
  return Number(entries.find(({ of, level }) => of === 'cost' && level === 'limit')?.spentUsd);
}

it.each(
  firstOf([
    { name: 'the fresh context reaches it', budget: '0.25', calls: 7 },
    { name: 'the document reaches it', budget: '0.185', calls: 5 },
  ]),
)("claude's own limit of the caller's holds across a handoff: $name", async ({ budget, calls }) => {
  await using world = await startWorld(agent({ turns: [2, 2, 2, 2], growBy: 8_000 }));
  const run = await runCtxb(world, {
    flags: ['--strategy', 'handoff', '--compact-at', '50000', ...prompts(...[1, 2, 3, 4].map(promptText))],
    claude: [...SMALL_WINDOW, ...STREAM, '--max-budget-usd', budget],
  });
  const results = outputLines(run).flatMap(({ type, subtype }) => (type === 'result' ? [subtype] : []));
  expect(results).toEqual(['success', 'success', 'error_max_budget_usd', 'error_max_budget_usd']);
  expect(mainRequests(world.standin)).toHaveLength(calls);
  expect(run.code).toBe(1);
});

it.each(
  sampled([
    { way: 'wrap-up', result: 'success', calls: 1, left: '1 prompt not answered (“prompt two”)' },
    // Whichever is quicker: ctxb's interruption, or claude's own budget.
    {
      way: 'stop',
      result: expect.stringMatching(/^error_(?:max_budget_usd|during_execution)$/),
      calls: 0,
      left: '2 prompts not answered (“prompt one”, “prompt two”)',
    },
  ]),
)(
  'a limit that is crossed inside a turn of 30 calls stops it within 2 calls: $way',
  async ({ way, result, calls, left }) => {
    await using world = await startWorld(longTurn());
    const record = join(world.scratch.cwd, 'run.ndjson');
    const run = await runCtxb(world, {
      flags: [
        ...prompts('prompt one', 'prompt two'),
        '--cost-limit',
        '0.4',
        '--on-cost-limit',
        way,
        '--record',
        record,
      ],
      claude: [...SMALL_WINDOW, ...STREAM],
    });
    expect(run.code).toBe(3);
    expect(run.stderr).toContain(`${left}; continue with ctxb run --resume-run and a higher limit`);
    expect(outputLines(run).flatMap(({ type, subtype }) => (type === 'result' ? [subtype] : []))).toEqual([result]);
    const limit = journal(world).find((one) => one.kind === 'limit' && one.of === 'cost' && one.level === 'limit');
    expect(
      journal(world).find((one) => one.kind === 'limit' && one.of === 'cost' && one.level === 'warn'),
    ).toBeDefined();
    const requests = mainRequests(world.standin).length;
    expect(limit?.at.call).toBeLessThan(30);
    expect(requests - Number(limit?.at.call)).toBeLessThanOrEqual(2 + calls);
    expect(spentAt(journal(world) as unknown as Record<string, unknown>[])).toBeGreaterThanOrEqual(0.4);
    expect(mainRequests(world.standin).flatMap(userTexts)).not.toContain('prompt two');
    expectEachPromptOnce(world.standin, ['prompt one']);
    await expectSameDecisions(world, record);
  },
);

it('tells the agent the cost in mid-turn, and records every call in the ledger', async () => {
  await using world = await startWorld(conversation({ turns: [12, 2], growBy: 2_000 }));
  const run = await runCtxb(world, {
    flags: [...prompts('prompt one', 'prompt two'), '--cost-limit', '0.32'],
    claude: SMALL_WINDOW,
  });
  expect(run.code).toBe(0);
  expect(kinds(world)).toEqual(['limit:cost']);
  expect(JSON.stringify(mainRequests(world.standin).at(-1)?.body.messages)).toMatch(/has cost \$0\.\d\d of \$0\.32/);
  const entries = costEntries(stateFolder(world.scratch.env) ?? '');
  expect(entries.length).toBeGreaterThanOrEqual(14);
  expect(entries.at(-1)).toMatchObject({ claimed: 0 });
});

it.each(
  sampled([
    { where: 'in arguments', flags: prompts('one', 'two'), claude: [], stdin: '' },
    {
      where: 'on stdin',
      flags: [],
      claude: PROTOCOL,
      stdin: ['one', 'two'].map((text) => `${JSON.stringify(promptLine(text))}\n`).join(''),
    },
  ]),
)(
  'four simultaneous runs of a fresh project make at most one call beyond its limit: prompts $where',
  async ({ flags, claude, stdin }) => {
    // Most of what a call costs is told in the result of its turn only.
    await using world = await startWorld({ calls: () => ({ text: 'done', usage: { input: 2_000, output: 4_000 } }) });
    const run = {
      flags: [...flags, '--project-cost-limit', '0.12', '--on-cost-limit', 'stop'],
      claude: [...SMALL_WINDOW, ...claude],
      stdin,
    };
    const runs = await Promise.all(Array.from({ length: 4 }, () => runCtxb(world, run)));
    // A call costs $0.066. A run may stop for a call that another one claims and does not make.
    expect(mainRequests(world.standin).length).toBeLessThanOrEqual(2);
    expect(runs.map(({ code }) => code)).toEqual([3, 3, 3, 3]);
  },
);

inSoak('a limit of the project counts what other runs have spent', async () => {
  await using world = await startWorld(conversation({ turns: [4, 4, 4], growBy: 2_000 }));
  const flags = ['--project-cost-limit', '0.15'];
  const first = await runCtxb(world, { flags: [...prompts('prompt one'), ...flags], claude: SMALL_WINDOW });
  const second = await runCtxb(world, { flags: [...prompts('prompt two'), ...flags], claude: SMALL_WINDOW });
  expect(first.code).toBe(0);
  // It had been the last prompt, so that there was nothing to wrap up.
  expect(second.stdout.toString()).toBe('answer 2\n');
  expect(second.stderr).toMatch(/cost limit of this project's runs is reached: \$0\.1\d of \$0\.15/);
  expect(second.code).toBe(3);
});
