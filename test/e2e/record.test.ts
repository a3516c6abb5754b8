import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Decision } from '../../src/core/governor/decisions.ts';
import { runProgram, startWorld } from '../support/claude.ts';
import { conversation, mainRequests } from '../support/conversation.ts';
import { CTXB, journal, outputLines, prompts, runCtxb, SMALL_WINDOW } from '../support/ctxb.ts';
import { recordedDecisions } from '../support/record.ts';
import { inSoak } from '../support/size.ts';
import type { Scenario } from '../support/standin/scenario.ts';

it.each([
  // Where calls follow each other faster than claude answers, it tells of the newest alone.
  { name: 'by asking claude', claude: [], least: 1 },
  { name: 'by partial messages', claude: ['--include-partial-messages'], least: 6 },
])('measures a gateway that reports the usage at the end of an answer $name', async ({ claude, least }) => {
  const { calls } = conversation({ turns: [4, 2], growBy: 5_000 });
  const atEnd: Scenario['calls'] = (request, index) => {
    const call = typeof calls === 'function' ? calls(request, index) : (calls[index] ?? {});
    return { ...call, usageAtEnd: true };
  };
  await using world = await startWorld({ calls: atEnd });
  const record = `${world.scratch.cwd}/run.ndjson`;
  const run = await runCtxb(world, {
    flags: ['--record', record, ...prompts('one', 'two')],
    claude: [...SMALL_WINDOW, '--output-format', 'stream-json', '--verbose', ...claude],
  });
  const { stdout } = await runProgram(process.execPath, [CTXB, 'replay', '--json', record], {
    env: world.scratch.env,
    cwd: world.scratch.cwd,
  });
  const [session] = JSON.parse(stdout.toString()).sessions;
  const requests = mainRequests(world.standin).length;
  expect(requests).toBe(6);
  expect(session.calls).toBeGreaterThanOrEqual(least);
  expect(session.context.basis).toBe('measured');
  expect(session.context.last).toBe(30_000 + (requests - 1) * 5_000);
  expect(session.lines).toMatchObject({ unknown: 0, malformed: 0 });
  const results = outputLines(run).filter(({ type }) => type === 'result');
  expect(session.cost.usd).toBeCloseTo(Number(results.at(-1)?.total_cost_usd), 6);
});

// A daily one is in `boundary-compaction.test.ts`.
inSoak.each([
  { name: 'a compaction between two turns', turns: [9, 2], growBy: 16_000, flags: [] },
  { name: 'a compaction in mid-turn', turns: [14], growBy: 12_000, flags: [] },
  { name: 'a run that only observes', turns: [9, 2], growBy: 16_000, flags: ['--observe'] },
])("replaying the record of $name gives the journal's decisions again", async ({ turns, growBy, flags }) => {
  await using world = await startWorld(conversation({ turns, growBy }));
  const record = `${world.scratch.cwd}/run.ndjson`;
  await runCtxb(world, {
    flags: [...flags, '--record', record, ...prompts(...turns.map((_, turn) => `prompt ${turn + 1}`))],
    claude: SMALL_WINDOW,
  });
  const replay = await runProgram(process.execPath, [CTXB, 'replay', '--json', record], {
    env: world.scratch.env,
    cwd: world.scratch.cwd,
  });

  const [session] = JSON.parse(replay.stdout.toString()).sessions;
  const written = journal(world).map(
    ({ v, t, runId, ...decision }: Decision & { v?: number; t?: string; runId?: string }) => decision,
  );
  expect(written.length).toBeGreaterThan(1);
  // The journal does not say what a summary is to keep: those are words of a prompt.
  expect(session.actions.map((action: object) => ({ ...action, focus: undefined }))).toEqual(written);
  expect(session.lines).toMatchObject({ unknown: 0, malformed: 0 });

  expect(session.actions).toEqual(recordedDecisions(join(world.scratch.cwd, 'run.ndjson')));
});
