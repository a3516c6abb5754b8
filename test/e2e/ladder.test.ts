import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startWorld, type World } from '../support/claude.ts';
import { mainRequests, summaryRequests } from '../support/conversation.ts';
import { journal, prompts, readLines, runCtxb, SMALL_WINDOW } from '../support/ctxb.ts';
import { growing } from '../support/handoff.ts';
import { expectEachPromptOnce, expectSameDecisions, kinds } from '../support/proof.ts';
import { inSoak, sampled } from '../support/size.ts';

function numbered(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `prompt ${index + 1}`);
}

function health(world: World): Record<string, unknown>[] {
  return readLines(join(world.scratch.cwd, '.context', 'health.ndjson'));
}

inSoak(
  'three compactions within five turns lead to a handoff, and the journal names what filled the window',
  async () => {
    // Every turn adds 120,000 tokens to what a compaction leaves.
    await using world = await startWorld(growing({ turns: [5, 5, 5, 5, 2], growBy: 32_000 }));
    const record = join(world.scratch.cwd, 'run.ndjson');
    const said = numbered(5);
    const run = await runCtxb(world, { flags: [...prompts(...said), '--record', record], claude: SMALL_WINDOW });
    expect(run.code).toBe(0);
    expect(summaryRequests(world.standin)).toHaveLength(3);
    const handoff = journal(world).find(({ kind }) => kind === 'handoff');
    expect(handoff?.reason).toMatch(/3 compactions within 5 turns, filled again by Bash \(\d+ characters\)/);
    expectEachPromptOnce(world.standin, said);
    await expectSameDecisions(world, record);
  },
);

inSoak('compacts before a turn that would probably need it in its middle', async () => {
  // Turns of 30,000 tokens: at 145,000 the next one would cross 159,000.
  await using world = await startWorld(growing({ turns: [3, 3, 3, 3, 2], from: 35_000, growBy: 10_000 }));
  const record = join(world.scratch.cwd, 'run.ndjson');
  const said = numbered(5);
  const run = await runCtxb(world, { flags: [...prompts(...said), '--record', record], claude: SMALL_WINDOW });
  expect(run.code).toBe(0);
  expect(kinds(world)).toEqual(['compact', 'compacted', 'landed']);
  expect(journal(world).find(({ kind }) => kind === 'compact')?.reason).toMatch(
    /growth of up to \d+ would cross 159000/,
  );
  // It happened before the fifth turn's first call, so that the prompt stands in it whole.
  expect(summaryRequests(world.standin)).toHaveLength(1);
  expectEachPromptOnce(world.standin, said);
  await expectSameDecisions(world, record);
});

describe('zones', () => {
  it('are in the health log with every turn, and ctxb health reads them', async () => {
    await using world = await startWorld(growing({ turns: [3, 3, 2], growBy: 20_000 }));
    await runCtxb(world, { flags: prompts(...numbered(3)), claude: SMALL_WINDOW });
    const records = health(world);
    const details = records.map((record) => record.details as Record<string, unknown>);
    expect(details.filter(({ event }) => event === 'zone').map(({ zone }) => zone)).toEqual([
      'monitor',
      'warning',
      'critical',
      'handoff',
    ]);
    expect(details.filter(({ event }) => event === 'turn').map(({ turn }) => turn)).toEqual([1, 2, 3]);
    for (const record of records) {
      expect(record).toMatchObject({ v: 1, check_type: 'context', project: world.scratch.cwd });
      expect(String(record.t)).toMatch(/^\d{4}-/);
    }
  });

  it('tell the agent its measured budget at the end of the conversation, and ask it once to come to a stopping point', async () => {
    await using world = await startWorld(growing({ turns: [2, 5, 2], from: 60_000, growBy: 15_000 }));
    await runCtxb(world, { flags: prompts(...numbered(3)), claude: SMALL_WINDOW });
    const last = JSON.stringify(mainRequests(world.standin).at(-1)?.body.messages);
    expect(last).toMatch(/Context budget: 75 % used/);
    // Crossed in the middle of the second turn, and told there.
    expect(last.match(/bring the current step to a resumable state/g)).toHaveLength(1);
    expect(JSON.stringify(mainRequests(world.standin).map(({ body }) => [body.system, body.tools]))).not.toContain(
      'Context budget',
    );
  });
});

describe('a task too large for the zone', () => {
  const large = `prompt 2 ${'word '.repeat(6_000)}`;

  inSoak.each(
    sampled(
      [
        { todo: 'announce', results: ['answer 1', 'answer 2'], code: 0, decided: ['large-task'] },
        {
          todo: 'relieve',
          results: ['answer 1', 'answer 2'],
          code: 0,
          decided: ['large-task', 'compact', 'compacted', 'landed'],
        },
        {
          todo: 'reject',
          results: ['answer 1', expect.stringContaining('did not send this prompt')],
          code: 1,
          decided: ['large-task'],
        },
      ],
      3,
    ),
  )('is handled as configured: $todo', async ({ todo, results, code, decided }) => {
    await using world = await startWorld(growing({ turns: [5, 1], growBy: 20_000 }));
    const record = join(world.scratch.cwd, 'run.ndjson');
    const run = await runCtxb(world, {
      flags: [...prompts('prompt 1', large), '--on-large-task', todo, '--record', record],
      claude: [...SMALL_WINDOW, '--output-format', 'json'],
    });
    const lines = run.stdout
      .toString()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines.map(({ result }) => result)).toEqual(results);
    expect(run.code).toBe(code);
    expect(kinds(world)).toEqual(decided);
    expect(lines.at(-1).subtype).toBe(todo === 'reject' ? 'error_context_budget' : 'success');
    expectEachPromptOnce(world.standin, todo === 'reject' ? ['prompt 1'] : ['prompt 1', large]);
    await expectSameDecisions(world, record);
  });
});
