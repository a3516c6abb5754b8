import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { agent, newestPrompt, promptText } from '../support/agent.ts';
import { type RunningProgram, runProgram, startWorld, type World } from '../support/claude.ts';
import { CTXB, prompts, SMALL_WINDOW, startCtxb } from '../support/ctxb.ts';
import { expectEachPromptOnce } from '../support/proof.ts';
import { firstOf, inSoak } from '../support/size.ts';
import type { Call, RecordedRequest, Scenario } from '../support/standin/scenario.ts';

const PROMPTS = [1, 2, 3].map(promptText);
const ANSWERS = ['answer 1', 'answer 2', 'answer 3'];

const FORMATS = [
  { format: 'text', answers: linesOf },
  { format: 'json', answers: (stdout: string) => resultsOf(linesOf(stdout)) },
  { format: 'stream-json', answers: (stdout: string) => resultsOf(linesOf(stdout)) },
];

function linesOf(stdout: string): string[] {
  return stdout.split('\n').filter(Boolean);
}

function resultsOf(lines: readonly string[]): string[] {
  const values = lines.map((line) => JSON.parse(line) as { type: string; result: string });
  return values.flatMap(({ type, result }) => (type === 'result' ? [result] : []));
}

/** Compacts between the first two turns. */
const LOW = {
  CTXB_THRESHOLDS_WARN: '31000',
  CTXB_THRESHOLDS_COMPACT: '35000',
  CTXB_THRESHOLDS_HANDOFF: '90000',
  CTXB_COMPACTION_TARGET: '34000',
};

function start(
  world: World,
  format: string,
  run: {
    readonly prompts: readonly string[];
    readonly flags?: readonly string[];
    readonly env?: Record<string, string>;
  },
): RunningProgram {
  const verbose = format === 'stream-json' ? ['--verbose'] : [];
  const program = startCtxb(world, {
    flags: [...prompts(...run.prompts), ...(run.flags ?? [])],
    claude: [...SMALL_WINDOW, '--output-format', format, ...verbose],
    env: run.env ?? {},
  });
  program.stdin.end();
  return program;
}

async function killed(program: RunningProgram): Promise<string> {
  program.kill('SIGKILL');
  return (await program.finished).stdout.toString();
}

async function takenUp({ scratch }: World): Promise<string> {
  const end = await runProgram(process.execPath, [CTXB, 'run', '--resume-run'], scratch);
  expect(end.code, end.stderr).toBe(0);
  return end.stdout.toString();
}

/** The agent, which takes its time over the first request that is such. */
function slowAt(plan: Scenario, isSuch: (request: RecordedRequest) => boolean): Scenario {
  let wasSeen = false;
  const slowly = (answer: Scenario['calls'] | Scenario['summary']) => (request: RecordedRequest, index: number) => {
    const call: Call = typeof answer === 'function' ? answer(request, index) : ((answer ?? {}) as Call);
    const isFirst = !wasSeen && isSuch(request);
    wasSeen ||= isFirst;
    return isFirst ? { ...call, delayMs: 60_000 } : call;
  };
  return { ...plan, calls: slowly(plan.calls), summary: slowly(plan.summary) };
}

const MOMENTS = [
  { moment: 'the next turn', env: {}, isIt: (request: RecordedRequest) => newestPrompt(request) === 2 },
  { moment: 'a compaction between two turns', env: LOW, isIt: ({ kind }: RecordedRequest) => kind === 'summary' },
];

const ALL = FORMATS.flatMap((test) => MOMENTS.map((moment) => ({ ...test, ...moment })));

it.each(firstOf(ALL))(
  '$format: prints an answer before $moment, and only once if ctxb is killed then',
  async ({ format, answers, env, isIt }) => {
    const plan = agent({ turns: [2, 1, 1], growBy: 8_000 });
    const isKillTime = (request: RecordedRequest) => request.kind !== 'count' && isIt(request);
    await using world = await startWorld(slowAt(plan, isKillTime));
    const program = start(world, format, { prompts: PROMPTS, env });
    await world.standin.waitFor(isKillTime);
    const before = answers(await killed(program));
    expect(before).toEqual(['answer 1']);

    const after = answers(await takenUp(world));
    expect([...before, ...after]).toEqual(ANSWERS);
    expectEachPromptOnce(world.standin, PROMPTS);
  },
);

inSoak('keeps an answer that the answer to a background command may still replace', async () => {
  const command = { command: 'sleep 600', run_in_background: true, description: 'Wait' };
  await using world = await startWorld({
    calls: [{ tools: [{ name: 'Bash', input: command }] }, { text: 'Started.' }],
    afterLast: { text: 'Started.' },
  });
  const record = join(world.scratch.cwd, 'run.ndjson');
  const program = start(world, 'json', { prompts: ['start it'], flags: ['--record', record] });
  const seen = () => readFileSync(record, 'utf8');
  await vi.waitFor(() => expect(seen()).toContain('"result":"Started."'.replaceAll('"', '\\"')), { timeout: 30_000 });
  const before = resultsOf(linesOf(await killed(program)));
  const after = resultsOf(linesOf(await takenUp(world)));
  expect([...before, ...after]).toEqual(['Started.']);
});
