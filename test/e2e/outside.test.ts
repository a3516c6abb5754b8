import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ctxb } from '../cli/fakes.ts';
import { startWorld, type World } from '../support/claude.ts';
import { journal, outputLines, PROTOCOL, prompts, SMALL_WINDOW, startCtxb } from '../support/ctxb.ts';
import { waitForAsks } from '../support/inbox.ts';
import { firstOf, inSoak } from '../support/size.ts';
import type { Call } from '../support/standin/scenario.ts';
import { limited, SUBSCRIPTION } from '../support/usage-limits.ts';

const STREAM = ['--output-format', 'stream-json', '--verbose'];
const EXACT = ['--compaction', 'exact'];

let state: string;
beforeAll(() => {
  state = mkdtempSync(join(tmpdir(), 'ctxb-state-'));
});
afterAll(() => rmSync(state, { recursive: true, force: true }));

function ask(world: World, ...args: string[]) {
  const { env, cwd } = world.scratch;
  return ctxb({ env: { ...env, XDG_STATE_HOME: state }, cwd }, args);
}

function start(world: World, flags: readonly string[], claude: readonly string[] = []) {
  const env = { XDG_STATE_HOME: state };
  const program = startCtxb(world, { flags, claude: [...SMALL_WINDOW, ...STREAM, ...claude], env });
  program.stdin.end();
  return program;
}

/** A call that is answered once `open` was called. */
function gated(call: Call) {
  let open = () => {};
  const until = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { call: { ...call, until }, open: () => open() };
}

const isResult = (line: Readonly<Record<string, unknown>>) => line.type === 'result';

const BASH = (command: string) => ({ tools: [{ name: 'Bash', input: { command, description: 'Look' } }] });

async function requested(world: World, count: number): Promise<void> {
  await expect.poll(() => world.standin.requests.length, { timeout: 30_000 }).toBeGreaterThanOrEqual(count);
}

describe('ctxb compact', () => {
  it('compacts at the next boundary, once for two simultaneous requests, and reports the sizes', async () => {
    const second = gated({ text: 'two', context: 90_000 });
    await using world = await startWorld({
      calls: [{ text: 'one', context: 60_000 }, second.call, { text: 'three', context: 30_000 }],
    });
    const program = start(world, prompts('first', 'second', 'third'));
    await program.waitForLine(isResult);
    await requested(world, 2);
    const asked = [ask(world, 'compact', '--json'), ask(world, 'compact')];
    await waitForAsks(world, 2);
    second.open();
    const [json, text] = await Promise.all(asked);

    expect(JSON.parse(String(json?.stdout))).toMatchObject({ outcome: 'done', text: 'compacted', after: 30_000 });
    expect(json?.code).toBe(0);
    expect(String(text?.stdout)).toMatch(/^compacted: 9\d,\d{3} → 30,000 tokens \(−\d\d%\)\n$/);
    expect((await program.finished).code).toBe(0);
    const compact = journal(world).filter(({ kind }) => kind === 'compact');
    expect(compact).toMatchObject([{ reason: 'it was requested with ctxb compact' }]);
  });

  it.each(
    firstOf([
      { name: 'a large context', from: 50_000 },
      { name: 'one for which the mod is not loaded yet', from: 20_000 },
    ]),
  )('--now compacts exactly in the middle of the only turn: $name', async ({ from }) => {
    const reads = [1, 2, 3].map((at) => ({ ...BASH(`seq ${at} 3600`), context: from + at * 4_500 }));
    const last = gated({ ...BASH('echo last'), context: from + 18_000 });
    const after = { ...BASH('echo after'), context: from + 9_000 };
    await using world = await startWorld({
      calls: [...reads, last.call, after, { text: 'done', context: from + 10_000 }],
    });
    const program = start(world, [...EXACT, '--compact-when', 'next-prompt'], ['-p', 'work']);
    await requested(world, 4);
    const plain = await ask(world, 'compact');
    expect(plain).toMatchObject({
      code: 3,
      stderr: 'ctxb: no prompt follows this turn; --now compacts in the middle of this one\n',
    });
    const asked = ask(world, 'compact', '--now', '--json');
    await expect.poll(() => JSON.stringify(journal(world)), { timeout: 30_000 }).toContain('ctxb compact --now');
    last.open();
    expect(JSON.parse(String((await asked).stdout))).toMatchObject({ outcome: 'done' });
    expect((await program.finished).code).toBe(0);
    expect(journal(world).find(({ kind }) => kind === 'native-compaction')).toMatchObject({
      when: 'mid-turn',
      how: 'exact',
    });
  });

  it("--now that ends in claude's own summary names claude in the answer, the notice and the replay", async () => {
    const second = gated({ ...BASH('true'), context: 90_000 });
    await using world = await startWorld({
      calls: [{ ...BASH('true'), context: 60_000 }, second.call, { text: 'done', context: 30_000 }],
      summary: { text: 'a summary' },
    });
    const record = join(world.scratch.home, 'record.ndjson');
    const program = start(world, ['--compaction', 'summary', '--record', record], ['-p', 'work']);
    await requested(world, 2);
    const asked = ask(world, 'compact', '--now');
    await expect.poll(() => JSON.stringify(journal(world)), { timeout: 30_000 }).toContain('ctxb compact --now');
    second.open();
    const { stdout, code } = await asked;
    expect(String(stdout)).toMatch(/^claude compacted, by a summary: \d\d,\d{3} → 30,000 tokens \(−\d\d%\)\n$/);
    expect(code).toBe(0);
    expect((await program.finished).stderr).toMatch(
      /ctxb: claude compacted mid-turn: \d\dk → 30k \(−\d\d%\), by a summary\n/,
    );
    const replayed = await ask(world, 'replay', record);
    expect(String(replayed.stdout)).toMatch(/compacted by claude \(level set by ctxb\) at /);
  });

  it('during a compaction is answered by that compaction', async () => {
    const summary = gated({ text: 'a summary' });
    await using world = await startWorld({
      calls: [
        { text: 'one', context: 170_000 },
        { text: 'two', context: 30_000 },
      ],
      summary: summary.call,
    });
    const program = start(world, prompts('first', 'second'));
    await requested(world, 2);
    const asked = ask(world, 'compact');
    await waitForAsks(world, 1);
    summary.open();
    const answer = await asked;
    expect(String(answer.stdout)).toContain('→ 30,000 tokens');
    expect(answer.code).toBe(0);
    await program.finished;
    expect(journal(world).filter(({ kind }) => kind === 'compact')).toHaveLength(1);
  });

  // A daily one is in `sdk-asks.test.ts`.
  inSoak('as a control request from the caller gets a verdict', async () => {
    await using world = await startWorld({
      calls: [
        { text: 'one', context: 90_000 },
        { text: 'two', context: 30_000 },
      ],
    });
    const env = { XDG_STATE_HOME: state };
    const program = startCtxb(world, { claude: [...PROTOCOL, ...SMALL_WINDOW], env });
    const say = (content: string) => program.send({ type: 'user', message: { role: 'user', content } });
    const request = (subtype: string) =>
      program.send({ type: 'control_request', request_id: `${subtype}-1`, request: { subtype } });
    const answered = (line: Readonly<Record<string, unknown>>) => line.type === 'control_response';
    request('initialize');
    await program.waitForLine(answered);
    request('compact');
    expect(await program.waitForLine(answered)).toMatchObject({
      response: { request_id: 'compact-1', response: { done: false, text: 'there is nothing to compact yet' } },
    });
    say('first');
    await program.waitForLine(isResult);
    request('compact');
    expect(await program.waitForLine(answered)).toMatchObject({
      response: { subtype: 'success', response: { done: true, text: 'compacted' } },
    });
    say('second');
    await program.waitForLine(isResult);
    program.stdin.end();
    const run = await program.finished;
    expect(run.code).toBe(0);
    expect(outputLines(run).filter(isResult)).toHaveLength(2);
  });
});

describe('ctxb handoff', () => {
  it('asks for a fresh context at the next boundary; ctxb compact is refused until then', async () => {
    const second = gated({ text: 'two', context: 60_000 });
    const document = gated({ text: '' });
    await using world = await startWorld({
      calls: [{ text: 'one', context: 50_000 }, second.call, document.call, { text: 'three', context: 25_000 }],
    });
    const program = start(world, prompts('first', 'second', 'third'));
    await requested(world, 2);
    const asked = ask(world, 'handoff');
    await waitForAsks(world, 1);
    second.open();
    await requested(world, 3);
    for (const flags of [[], ['--now']]) {
      const compact = await ask(world, 'compact', ...flags);
      expect(compact).toMatchObject({ code: 3, stderr: 'ctxb: a handoff was requested before\n' });
    }
    document.open();
    expect(String((await asked).stdout)).toMatch(/^handed over: 6\d,\d{3} → 25,000 tokens/);
    await program.finished;
  });
});

describe('ctxb stop', () => {
  it('ends the run after its turn and leaves the other prompts to --resume-run', async () => {
    const first = gated({ text: 'one' });
    await using world = await startWorld({ calls: [first.call, { text: 'two' }, { text: 'three' }] });
    const program = start(world, prompts('first', 'second', 'third'));
    await requested(world, 1);
    const asked = ask(world, 'stop');
    await waitForAsks(world, 1);
    expect((await ask(world, 'stop')).stderr).toContain('the run is about to end');
    first.open();
    const run = await program.finished;
    expect(run).toMatchObject({ code: 7 });
    expect(run.stderr).toContain('the run was stopped with ctxb stop: 2 prompts not answered');
    const { stdout } = await asked;
    const id = /ctxb run --resume-run (\w{8})\n$/.exec(String(stdout))?.[1];
    expect(String(stdout)).toBe(`stopped; 2 prompts not answered: ctxb run --resume-run ${id}\n`);

    const resumed = await ask(world, 'run', '--resume-run', String(id));
    expect(resumed.code).toBe(0);
    const results = outputLines(resumed).filter(isResult);
    expect(results.map(({ result }) => result)).toEqual(['two', 'three']);
  });

  it('--now interrupts the turn', async () => {
    await using world = await startWorld({ calls: [BASH('touch begun; sleep 300')] });
    const program = start(world, ['--prompt', 'wait']);
    await program.waitForLine((line) => JSON.stringify(line).includes('sleep 300'));
    const { stdout, code } = await ask(world, 'stop', '--now');
    expect(String(stdout)).toMatch(/^stopped; 1 prompt not answered/);
    expect(code).toBe(0);
    expect((await program.finished).code).toBe(7);
  });
});

describe('ctxb runs', () => {
  it('lists active runs, and ended ones with the reason', async () => {
    const open = gated({ text: 'one', context: 50_000 });
    await using going = await startWorld({ calls: [open.call] });
    await using over = await startWorld({ calls: [{ text: 'one', context: 20_000 }] });
    const ended = start(over, ['--prompt', 'go']);
    expect((await ended.finished).code).toBe(0);
    const program = start(going, ['--prompt', 'go']);
    await requested(going, 1);
    const listed = async () => JSON.parse(String((await ask(going, 'runs', '--json')).stdout)).runs;
    await expect.poll(async () => (await listed())[0]?.phase, { timeout: 30_000, interval: 300 }).toBe('working');
    const all = await listed();
    expect(all[0]).toMatchObject({ cwd: going.scratch.cwd, end: null, turn: 1, prompts: 1, waitsFor: null });
    expect(all[1]).toMatchObject({ cwd: over.scratch.cwd, end: { reason: 'done', exitCode: 0 }, turn: 1, prompts: 0 });
    const table = String((await ask(going, 'runs')).stdout);
    expect(table).toMatch(/^run .* state\n\w{8} .* working\n {10}\S+\n\w{8} .* ended: done\n/);
    program.kill('SIGKILL');
    open.open();
    await program.finished;
    expect((await listed())[0]).toMatchObject({ end: { reason: 'died' }, resumable: true });
    const asked = await ask(going, 'compact', all[0].runId.slice(0, 8));
    expect(asked.code).toBe(2);
    expect(asked.stderr).toContain('has ended (died): ctxb runs lists the active ones');
  });

  it('shows until when a run waits for a usage limit; ctxb stop ends the wait', async () => {
    await using world = await startWorld({ calls: () => limited(2 * 3_600_000) });
    const env = { ...SUBSCRIPTION, XDG_STATE_HOME: state };
    const flags = ['--prompt', 'go', '--limit-wait', '3h'];
    const program = startCtxb(world, { flags, claude: [...SMALL_WINDOW, ...STREAM], env });
    program.stdin.end();
    const table = async () => String((await ask(world, 'runs')).stdout);
    await expect.poll(table, { timeout: 30_000, interval: 300 }).toMatch(/\n\w{8} .* {2}usage limit until \d\d:\d\d\n/);
    expect(String((await ask(world, 'stop')).stdout)).toMatch(/^stopped; 1 prompt not answered/);
    expect((await program.finished).code).toBe(7);
  });
});
