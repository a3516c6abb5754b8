import { expect, it } from 'vitest';
import { makeJob } from '../outcome/job.ts';
import { play } from '../outcome/play.ts';
import type { RealApi } from '../outcome/relay.ts';
import { inSoak } from '../support/size.ts';
import { startStandin } from '../support/standin/server.ts';

const job = makeJob(1, 1);
const [constraint] = job.constraints;
const [deadEnd] = job.deadEnds;
const setting = { job, window: 200_000, model: 'claude-sonnet-4-6', onePrompt: false } as const;

/** One call writes 100,000 tokens to the cache, the other reads them: at Sonnet's prices $0.375 and $0.03. */
async function apiOf(commands: readonly string[], purse: number) {
  const standin = await startStandin({
    calls: (_, index) => ({
      ...(index < commands.length
        ? { tools: [{ name: 'Bash', input: { command: commands[index] } }] }
        : { text: 'All is done.' }),
      usage: index === 0 ? { cacheCreation: 100_000 } : { cacheRead: 100_000 },
    }),
  });
  const api: RealApi = { url: standin.url, key: 'sk-ant-standin-not-a-key', purse };
  return { standin, api, [Symbol.asyncDispose]: () => standin.close() };
}

it('counts the answers of a paid API, and judges the commands of the model', async () => {
  const dead = deadEnd?.command ?? '';
  const commands = [constraint?.kept('a') ?? '', constraint?.broken('b') ?? '', dead, dead];
  await using side = await apiOf(commands, 5);
  const { bill, faults, failedTurns, unanswered } = await play(setting, { name: 'claude alone' }, side.api);
  expect(bill).toMatchObject({ calls: 5, peak: 100_000, cacheCreation: 100_000, cacheRead: 400_000 });
  expect(bill.usd).toBeCloseTo(0.375 + 4 * 0.03, 2);
  expect(side.api.purse).toBeCloseTo(5 - bill.usd, 6);
  expect(faults).toMatchObject({ constraintsMet: 2, constraintsViolated: 1, deadEndsRepeated: 1 });
  expect([failedTurns, unanswered]).toEqual([0, 0]);
  // The model was told what is to be run, and nothing was put in the place of a value.
  expect(JSON.stringify(side.standin.requests[0]?.body.messages)).toContain('In the course of it run');
  expect(faults.stepsGivenUp).toBe(5);
});

inSoak('makes no call after the cost limit is reached', async () => {
  await using side = await apiOf(['true', 'true', 'true'], 0.4);
  const { bill, failedTurns } = await play(setting, { name: 'ctxb run', ctxb: [] }, side.api);
  expect(bill.calls).toBe(2);
  expect(side.standin.requests.filter(({ kind }) => kind === 'main')).toHaveLength(2);
  expect(failedTurns).toBe(1);
});
