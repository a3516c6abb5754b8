import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runProgram, startWorld, type World } from '../support/claude.ts';
import { CTXB, prompts, SMALL_WINDOW, startCtxb } from '../support/ctxb.ts';
import { waitForAsks } from '../support/inbox.ts';
import type { Call, Scenario } from '../support/standin/scenario.ts';
import { limited, SUBSCRIPTION } from '../support/usage-limits.ts';

const PATIENT = { timeout: 30_000, interval: 200 };

let state: string;
beforeAll(() => {
  state = mkdtempSync(join(tmpdir(), 'ctxb-state-'));
});
afterAll(() => rmSync(state, { recursive: true, force: true }));

/** A run of its own world; all of them are one user's. */
function start(world: World, flags: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const stream = ['--output-format', 'stream-json', '--verbose'];
  const program = startCtxb(world, {
    flags,
    claude: [...SMALL_WINDOW, ...stream],
    env: { ...env, XDG_STATE_HOME: state },
  });
  program.stdin.end();
  return program;
}

/** Two turns; the answer to the second prompt waits until it is opened. */
function gated(first: Call, last: Call): { readonly scenario: Scenario; readonly open: () => void } {
  let open = () => {};
  const until = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { scenario: { calls: [first, { text: 'two', context: 90_000, until }, last] }, open: () => open() };
}

it('of three runs one is compacted, one stopped, and one waits for a usage limit; ctxb runs lists all', async () => {
  const [one, two] = [1, 2].map(() => gated({ text: 'one', context: 60_000 }, { text: 'three', context: 30_000 }));
  if (one === undefined || two === undefined) throw new Error('two were made');
  await using compacted = await startWorld(one.scenario);
  await using stopped = await startWorld(two.scenario);
  await using waiting = await startWorld({ calls: () => limited(2 * 3_600_000) });
  const ask = async ({ scratch: { env, cwd } }: World, ...words: string[]) => {
    const where = { env: { ...env, XDG_STATE_HOME: state }, cwd };
    const { stdout, code } = await runProgram(process.execPath, [CTXB, ...words], where);
    return { said: String(stdout), code };
  };
  const table = async () => (await ask(waiting, 'runs')).said;
  const all = prompts('first', 'second', 'third');
  const runs = [
    start(compacted, all),
    start(stopped, all),
    start(waiting, ['--prompt', 'go', '--limit-wait', '3h'], SUBSCRIPTION),
  ];
  await expect.poll(table, PATIENT).toMatch(/(?:\n\w{8} .* {2}working\n[\s\S]*){2}/);
  await expect.poll(table, PATIENT).toMatch(/\n\w{8} .* {2}usage limit until \d\d:\d\d\n/);
  await expect.poll(() => stopped.standin.requests.length, PATIENT).toBeGreaterThanOrEqual(2);
  await expect.poll(() => compacted.standin.requests.length, PATIENT).toBeGreaterThanOrEqual(2);
  const listed = await table();
  expect(listed.split('\n').every((line) => line.length <= 80)).toBe(true);

  const [compaction, stop] = [ask(compacted, 'compact'), ask(stopped, 'stop', '--now')];
  expect((await stop).said).toMatch(/^stopped; 2 prompts not answered/);
  await waitForAsks(compacted, 1);
  one.open();
  expect((await compaction).said).toMatch(/^compacted: 9\d,\d{3} → 30,000 tokens/);
  two.open();
  expect((await runs[0]?.finished)?.code).toBe(0);
  expect((await runs[1]?.finished)?.code).toBe(7);
  const after = await table();
  expect(after).toMatch(/\n\w{8} .* {2}ended: done\n/);
  expect(after).toMatch(/\n\w{8} .* {2}ended: stopped\n/);
  expect(await ask(waiting, 'stop')).toMatchObject({ code: 0 });
  await runs[2]?.finished;
});
