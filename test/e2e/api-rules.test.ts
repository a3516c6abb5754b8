import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { promptLine, runProgram, startWorld, type World } from '../support/claude.ts';
import { mainRequests, summaryRequests } from '../support/conversation.ts';
import { journalLines, outputLines, PROTOCOL, prompts, runCtxb, startCtxb } from '../support/ctxb.ts';
import { contextOf, expectExact } from '../support/exact-job.ts';
import { expectEachPromptOnce } from '../support/proof.ts';
import { firstOf, inSoak } from '../support/size.ts';
import type { Block, Call, RecordedRequest, Scenario } from '../support/standin/scenario.ts';

const EXACT = { CTXB_COMPACTION_HOW: 'auto' };
const STREAM = ['--output-format', 'stream-json', '--verbose'];
const PICTURE = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const modelFlags = (model: string) => ['--model', model, '--dangerously-skip-permissions'];
const bash = (command: string) => ({ name: 'Bash', input: { command, description: 'Run' } });

/** What the model does, one after the other and over again; each in a step of its own, with a thought. */
function kindsOfSteps({ cwd }: World['scratch']): readonly ((index: number) => Call)[] {
  const agent = { description: 'Look', prompt: 'Look.', subagent_type: 'general-purpose', run_in_background: false };
  return [
    () => ({ tools: [bash('echo one'), bash('echo two'), bash('echo three')] }),
    () => ({ tools: [bash('echo wrong >&2; exit 3'), { name: 'Read', input: { file_path: '/nowhere' } }] }),
    () => ({ text: 'A picture.', tools: [{ name: 'Read', input: { file_path: join(cwd, 'a.png') } }] }),
    () => ({ tools: [{ name: 'ToolSearch', input: { query: 'select:WebFetch' } }] }),
    (index) => ({ content: searched(index) }),
    () => ({ tools: [{ name: 'Agent', input: agent }] }),
    () => ({ tools: [bash('seq 4000')] }),
    (index) => ({ content: [{ type: 'redacted_thinking', data: `redacted-${index}` }, ...used(index)] }),
  ];
}

/** A server tool beside one of claude's. */
function searched(index: number): Block[] {
  const found = { type: 'web_search_result', url: 'https://example.com', title: 'A page', encrypted_content: 'abc' };
  return [
    { type: 'server_tool_use', id: `srvtoolu_${index}`, name: 'web_search', input: { query: 'a page' } },
    { type: 'web_search_tool_result', tool_use_id: `srvtoolu_${index}`, content: [found] },
    { type: 'text', text: 'Found it.' },
    ...used(index),
  ];
}

function used(index: number): Block[] {
  return [{ type: 'tool_use', id: `toolu_raw_${index}`, ...bash(`echo raw ${index}`) }];
}

/** Turns of so many steps, each ending with an answer; what the requests hold counts for the context. */
function everything(turns: readonly number[], worldOf: () => World, waitsAt?: number): Scenario {
  const ends = turns.map((_, turn) => turns.slice(0, turn + 1).reduce((sum, steps) => sum + steps + 1, -1));
  const thought = (index: number) => ({ thinking: `thought ${index}` });
  return {
    calls(request: RecordedRequest, index: number) {
      const turn = ends.indexOf(index);
      const kinds = kindsOfSteps(worldOf().scratch);
      if (index === waitsAt) return { ...thought(index), tools: [bash('touch begun; sleep 100')] };
      const step = turn >= 0 ? { text: `answer ${turn + 1}` } : kinds[index % kinds.length]?.(index);
      const isRedacted = index % kinds.length === kinds.length - 1 && turn < 0;
      return { ...(isRedacted ? {} : thought(index)), ...step, context: contextOf(request, 12_000) };
    },
    subagentCalls: (_, index) => ({ ...thought(index + 1_000), text: 'It is there.' }),
  };
}

async function startEverything(turns: readonly number[], waitsAt?: number) {
  let started: World | undefined;
  const worldOf = () => started as World;
  const world = await startWorld(everything(turns, worldOf, waitsAt));
  started = world;
  writeFileSync(join(world.scratch.cwd, 'a.png'), Buffer.from(PICTURE, 'base64'));
  return world;
}

/** How often what a request holds is less than before. */
function reliefs({ standin }: World): number {
  const sizes = mainRequests(standin).map(({ body }) => body.messages?.length ?? 0);
  return sizes.filter((size, at) => size < (sizes[at - 1] ?? 0)).length;
}

async function untilItWaits({ scratch }: World): Promise<void> {
  await vi.waitFor(() => expect(existsSync(join(scratch.cwd, 'begun'))).toBe(true), { timeout: 120_000 });
}

/** Those that check what stands before a thought, then those that want it back. */
const MODELS = [
  ...['claude-opus-5-5', 'claude-haiku-5-5', 'claude-fable-5-2', 'claude-sonnet-5-5'],
  ...['claude-sonnet-4-6', 'claude-haiku-4-5', 'claude-opus-4-8', 'claude-sonnet-5'],
];

it.each(firstOf(MODELS))(
  '%s: every request of a job with all features keeps the rules, also when resumed',
  async (model) => {
    await using world = await startEverything([18, 4, 3]);
    const claude = [...modelFlags(model), ...STREAM];
    const first = await runCtxb(world, { flags: prompts('PROMPT 1', 'PROMPT 2'), claude, env: EXACT });
    expect(first.code).toBe(0);
    expect(reliefs(world)).toBeGreaterThan(0);
    // Where the model has yet to see a picture, the compaction is left to claude.
    const left = first.stderr.toString().match(/claude's own summary: the model has yet to see/g) ?? [];
    expect(summaryRequests(world.standin)).toHaveLength(left.length);
    const session = String(outputLines(first).find(({ subtype }) => subtype === 'init')?.session_id);
    const { env, cwd } = world.scratch;
    const resume = [...modelFlags(model), '--resume', session, '-p', 'PROMPT 3'];
    expect((await runProgram(world.claude, resume, { env, cwd })).stdout.toString()).toBe('answer 3\n');
    const expectPrompts = left.length === 0 ? expectExact : expectEachPromptOnce;
    expectPrompts(world.standin, ['PROMPT 1', 'PROMPT 2', 'PROMPT 3']);
  },
);

inSoak.each(['claude-opus-5-5', 'claude-sonnet-4-6'])(
  '%s: an interrupted turn and the turns after it keep the rules',
  async (model) => {
    await using world = await startEverything([18, 4], 14);
    const run = startCtxb(world, { claude: [...PROTOCOL, ...modelFlags(model)], env: EXACT });
    run.send(promptLine('PROMPT 1'));
    await untilItWaits(world);
    run.send({ type: 'control_request', request_id: 'stop', request: { subtype: 'interrupt' } });
    await run.waitForLine(({ type }) => type === 'result');
    run.send(promptLine('PROMPT 2'));
    await run.waitForLine(({ type }) => type === 'result');
    run.stdin.end();
    await run.finished;
    expect(reliefs(world)).toBeGreaterThan(0);
    expectEachPromptOnce(world.standin, ['PROMPT 1', 'PROMPT 2']);
  },
);

inSoak.each(['claude-opus-5-5', 'claude-sonnet-4-6'])('%s: a restarted claude keeps the rules', async (model) => {
  await using world = await startEverything([18, 4], 14);
  const run = startCtxb(world, {
    flags: prompts('PROMPT 1', 'PROMPT 2'),
    claude: [...modelFlags(model), ...STREAM],
    env: EXACT,
  });
  run.stdin.end();
  await untilItWaits(world);
  process.kill(Number(journalLines(world).findLast(({ kind }) => kind === 'start')?.pid), 'SIGKILL');
  const end = await run.finished;
  expect(end.code).toBe(0);
  expect(reliefs(world)).toBeGreaterThan(0);
  expect(mainRequests(world.standin).length).toBeGreaterThan(18);
});
