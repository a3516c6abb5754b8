import { describe, expect, it } from 'vitest';
import { runProgram, startWorld, type World } from '../support/claude.ts';
import { CTXB, journalLines, prompts, runCtxb, SMALL_WINDOW } from '../support/ctxb.ts';
import { inSoak } from '../support/size.ts';

const BASH = (command: string) => ({ tools: [{ name: 'Bash', input: { command, description: 'Look' } }] });
const FAILS = 'echo "3 failed in src/parser.ts"; exit 1';
const PORT = 'echo "listening on 48213"';

const CALLS = [
  { ...BASH(FAILS), context: 60_000 },
  { ...BASH(PORT), context: 80_000 },
  { text: 'one', context: 170_000 },
];

async function work(calls: readonly object[], ...flags: string[]) {
  const world = await startWorld({ calls: [...CALLS, ...calls] });
  const stream = ['--output-format', 'stream-json', '--verbose'];
  const given = prompts('Fix the parser. Never touch the lexer.', 'Now the tests');
  const run = await runCtxb(world, { flags: [...given, ...flags], claude: [...SMALL_WINDOW, ...stream] });
  expect(run.code).toBe(0);
  return world;
}

async function receipts({ scratch }: World, ...args: string[]) {
  const { env, cwd } = scratch;
  const { stdout, stderr, code } = await runProgram(process.execPath, [CTXB, 'receipts', ...args], { env, cwd });
  return { stdout: String(stdout), stderr, code };
}

interface Told {
  readonly text: string;
  readonly by?: string;
  readonly line?: number | null;
}

async function firstOf(world: World, ...args: string[]) {
  const { stdout } = await receipts(world, '--json', ...args);
  const [first] = JSON.parse(stdout).receipts;
  return first.relief as { gone: Told[]; stayed: Told[]; call: number; relief: string; actual: boolean };
}

/** The request of the main thread behind the relief, as the API has got it. */
function requestAfter({ standin }: World, call: string): string {
  const found = standin.requests.map((request) => JSON.stringify(request.body)).find((body) => body.includes(call));
  return (found ?? '').replaceAll('\\\\\\"', '"').replaceAll('\\"', '"');
}

describe('ctxb receipts', () => {
  it('of a run marks each fact by the request after the compaction', async () => {
    await using world = await work([
      { ...BASH(PORT), context: 40_000 },
      { text: 'two', context: 41_000 },
    ]);
    const { gone, stayed, ...relief } = await firstOf(world);
    expect(relief).toMatchObject({ relief: 'compaction', actual: true, call: 4 });
    const request = requestAfter(world, 'Now the tests');
    for (const { text } of stayed) expect(request).toContain(text);
    for (const { text } of gone) expect(request).not.toContain(text);
    expect(gone).toMatchObject([{ kind: 'commands', text: PORT, line: expect.any(Number), again: 4 }]);
    expect(stayed.filter(({ by }) => by === 'ctxb')).toContainEqual({ kind: 'failing', text: FAILS, by: 'ctxb' });

    const { stdout } = await receipts(world);
    expect(stdout).toContain(`\n+ ${FAILS}\n`);
    expect(stdout).toMatch(/\n- echo "listening on 48213" {2}\(line \d+; asked for again in call 4\)\n/);
    expect(stdout).not.toContain('estimated');
    const [start] = journalLines(world);
    expect(await firstOf(world, String(start?.runId).slice(0, 8))).toMatchObject({ gone });
  });

  it('of a handoff reads the journal, and the facts in the log of the fresh session', async () => {
    await using world = await work(
      [{ text: '' }, { ...BASH('true'), context: 30_000 }, { text: 'two', context: 31_000 }],
      '--no-compaction',
    );
    const { stayed, ...relief } = await firstOf(world);
    expect(relief).toMatchObject({ relief: 'handoff', actual: true });
    const request = requestAfter(world, 'Now the tests');
    for (const { text } of stayed) expect(request).toContain(text);
  });

  // A daily one is in `cli/receipts.test.ts`.
  inSoak('reports an unknown name, and a session without a compaction or handoff', async () => {
    await using world = await startWorld({ calls: [{ text: 'one', context: 20_000 }] });
    expect(await receipts(world)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('no run or session in this folder'),
    });
    await runCtxb(world, { flags: ['--prompt', 'go'], claude: SMALL_WINDOW });
    expect(await receipts(world)).toMatchObject({
      code: 0,
      stderr: 'ctxb: no compaction or handoff with a request after it\n',
    });
    expect(await receipts(world, 'nowhere')).toMatchObject({ code: 2, stderr: expect.stringContaining('nowhere') });
  });
});
