import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { type Finished, runProgram, startWorld, type World } from '../support/claude.ts';
import { mainRequests, summaryRequests, userTexts } from '../support/conversation.ts';
import { CTXB, journalLines, outputLines, prompts, runCtxb, SMALL_WINDOW, startCtxb } from '../support/ctxb.ts';
import { expectExact, job } from '../support/exact-job.ts';
import { kinds } from '../support/proof.ts';
import { inSoak, sampled } from '../support/size.ts';
import type { Call, RecordedRequest, Scenario } from '../support/standin/scenario.ts';

const EXACT = { CTXB_COMPACTION_HOW: 'auto' };
const STREAM = ['--output-format', 'stream-json', '--verbose'];
const THREE = ['prompt one: α "quoted"', 'prompt two\nwith two lines', 'prompt three'];

function sessionOf(run: Finished): string {
  return String(outputLines(run).find(({ subtype }) => subtype === 'init')?.session_id);
}

/** The text of a request without what claude adds to it. */
function said(request: RecordedRequest | undefined): string[] {
  return userTexts(request)
    .map((text) => text.replace(/\n$/, ''))
    .filter((text) => !/^\s*<(system-reminder|command-|local-command)/.test(text));
}

it.each(
  sampled([
    { name: 'ctxb', start: (world: World, words: readonly string[]) => runCtxb(world, { claude: words, env: EXACT }) },
    {
      name: 'claude alone',
      start: ({ claude, scratch }: World, words: readonly string[]) => runProgram(claude, words, scratch),
    },
  ]),
)('resumes with $name what an exact compaction left, and nothing that it took', async ({ start }) => {
  await using world = await startWorld(job({ turns: [5, 3, 2, 1] }));
  const first = await runCtxb(world, { flags: prompts(...THREE), claude: [...SMALL_WINDOW, ...STREAM], env: EXACT });
  expect(kinds(world)).toEqual(['compact', 'compacted', 'landed']);
  const before = said(mainRequests(world.standin).at(-1));

  const next = await start(world, [...SMALL_WINDOW, '--resume', sessionOf(first), '-p', 'prompt four']);
  expect(next.stdout.toString()).toBe('answer 4\n');
  const resumed = mainRequests(world.standin).at(-1);
  expect(said(resumed)).toEqual([...before, 'prompt four']);
  // A step that became a line has no result any more.
  expect(JSON.stringify(resumed?.body.messages)).toContain('echo did 1.1');
  expect(JSON.stringify(resumed?.body.messages)).not.toMatch(/"tool_result"[^}]*did 1\.1/);
  expectExact(world.standin, [...THREE, 'prompt four']);
});

/** The call at which the agent waits for a command that does not end. */
const WAITS = 19;

/** Two turns; the second is compacted in its middle, and waits later on. */
function waiting(): Scenario {
  const { calls } = job({ turns: [2, 24, 1], growBy: 10_000 });
  const call = calls as (request: RecordedRequest, index: number) => Call;
  const wait = { command: 'touch begun; sleep 100', description: 'Wait' };
  return {
    calls(request, index) {
      const next = call(request, index);
      if (index === WAITS) return { ...next, tools: [{ name: 'Bash', input: wait }] };
      // A claude that is left alone may come to an answer, which is then asked for again.
      const asked = userTexts(request).map((text) => text.trim());
      const prompt = THREE.findLastIndex((text) => asked.includes(text));
      return next.tools === undefined ? { ...next, text: `answer ${prompt + 1}` } : next;
    },
  };
}

async function untilItWaits(world: World) {
  const run = startCtxb(world, {
    flags: prompts(...THREE),
    claude: [...SMALL_WINDOW, ...STREAM],
    env: { ...EXACT, CTXB_THRESHOLDS_COMPACT: '40%' },
  });
  run.stdin.end();
  await run.waitForLine((line) => line.type === 'assistant' && JSON.stringify(line).includes('sleep 100'));
  await vi.waitFor(() => expect(logged(world)).toContain('sleep 100'), { timeout: 30_000 });
  await vi.waitFor(() => expect(existsSync(join(world.scratch.cwd, 'begun'))).toBe(true), { timeout: 30_000 });
  return run;
}

/** claude's own logs. */
function logged({ scratch }: World): string {
  const projects = join(scratch.env.CLAUDE_CONFIG_DIR ?? '', 'projects');
  const files = readdirSync(projects, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return files.map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'utf8')).join('\n');
}

function answers(run: Finished): unknown[] {
  return outputLines(run).flatMap(({ type, result }) => (type === 'result' ? [result] : []));
}

inSoak(
  'a claude that is killed after one in mid-turn continues with what it left, and compacts exactly again',
  async () => {
    await using world = await startWorld(waiting());
    const run = await untilItWaits(world);
    process.kill(Number(journalLines(world).findLast(({ kind }) => kind === 'start')?.pid), 'SIGKILL');
    const end = await run.finished;

    expect(answers(end)).toEqual(['answer 1', 'answer 2', 'answer 3']);
    expect(end.code).toBe(0);
    const seen = kinds(world);
    const killedAt = seen.indexOf('restart');
    expect(seen.slice(killedAt - 2, killedAt + 2)).toEqual(['native-compaction', 'landed', 'restart', 'resume']);
    expect(seen.slice(killedAt)).toContain('native-compaction');
    expectExact(world.standin, THREE);
  },
);

inSoak('--resume-run continues a run whose ctxb was killed after a compaction in mid-turn', async () => {
  await using world = await startWorld(waiting());
  const run = await untilItWaits(world);
  run.kill('SIGKILL');
  const killed = await run.finished;
  const { env, cwd } = world.scratch;
  const taken = await runProgram(process.execPath, [CTXB, 'run', '--resume-run'], { env: { ...env, ...EXACT }, cwd });

  expect([...answers(killed), ...answers(taken)]).toEqual(['answer 1', 'answer 2', 'answer 3']);
  expect(taken.code).toBe(0);
  expect(summaryRequests(world.standin)).toEqual([]);
  expectExact(world.standin, THREE);
});
