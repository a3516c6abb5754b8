import { expect, it } from 'vitest';
import { startWorld } from '../support/claude.ts';
import { conversation } from '../support/conversation.ts';
import { prompts, runCtxb, SMALL_WINDOW } from '../support/ctxb.ts';
import { growing } from '../support/handoff.ts';
import { SENDS, startOtlpReceiver } from '../support/otlp-receiver.ts';
import { inSoak } from '../support/size.ts';

it('sends metrics of a run with a compaction, and no word of the conversation', async () => {
  await using world = await startWorld(conversation({ turns: [4, 4, 3], growBy: 18_000 }));
  await using receiver = await startOtlpReceiver();
  const run = await runCtxb(world, {
    flags: [...prompts('alpha prompt', 'beta prompt', 'gamma prompt'), '--otlp', receiver.url],
    claude: SMALL_WINDOW,
    env: { ...SENDS, OTEL_RESOURCE_ATTRIBUTES: 'team=build' },
  });
  expect(run.code).toBe(0);
  expect(run.stderr).not.toContain('telemetry');

  const figures = Object.fromEntries(receiver.points().map(({ name, unit, value }) => [name, { unit, value }]));
  expect(figures).toMatchObject({
    'ctxb.context.tokens': { unit: '{token}', value: 66_003 },
    'ctxb.context.window': { unit: '{token}', value: 200_000 },
    'ctxb.context.utilization': { unit: '1', value: 0.330_015 },
    'ctxb.cost': { unit: 'USD', value: expect.closeTo(0.945, 2) },
  });
  expect(receiver.points('ctxb.decisions')).toContainEqual(
    expect.objectContaining({ value: 1, attributes: { 'ctxb.decision': 'compacted', 'ctxb.verdict': 'success' } }),
  );

  expect(receiver.resource()).toMatchObject({ 'service.name': 'ctxb', team: 'build' });

  const everything = receiver.requests.map(({ body }) => body.toString()).join('\n');
  for (const word of ['alpha', 'beta', 'gamma', 'echo', world.scratch.cwd, world.scratch.home]) {
    expect(everything).not.toContain(word);
  }
});

inSoak('sends the results of a failed compaction and of the handoff in its place', async () => {
  const summary = { error: { status: 400, message: 'no' } };
  await using world = await startWorld(growing({ turns: [4, 4, 1], growBy: 18_000, summary }));
  await using receiver = await startOtlpReceiver();
  const run = await runCtxb(world, {
    flags: [...prompts('prompt one', 'prompt two', 'prompt three'), '--otlp', receiver.url],
    claude: SMALL_WINDOW,
    env: SENDS,
  });
  expect(run.code).toBe(0);

  for (const attributes of [
    { 'ctxb.decision': 'compacted', 'ctxb.verdict': 'failed' },
    { 'ctxb.decision': 'handed-over' },
  ]) {
    expect(receiver.points('ctxb.decisions')).toContainEqual(expect.objectContaining({ value: 1, attributes }));
  }
});
