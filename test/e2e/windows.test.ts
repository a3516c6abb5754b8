import { describe, expect, it } from 'vitest';
import { nameOf } from '../../src/core/governor/decisions.ts';
import { windowIn } from '../../src/core/governor/gauge/window.ts';
import { isAtLeast } from '../../src/core/protocol/version.ts';
import {
  type JsonLine,
  promptLine,
  type RunningProgram,
  runProgram,
  startProgram,
  startWorld,
  type World,
} from '../support/claude.ts';
import { conversation, mainRequests, summaryRequests } from '../support/conversation.ts';
import {
  DEFAULT_MODEL,
  journal,
  LARGE_WINDOW,
  PROTOCOL,
  prompts,
  runCtxb,
  SMALL_WINDOW,
  startCtxb,
  untilClosing,
} from '../support/ctxb.ts';
import { inSoak, sampled } from '../support/size.ts';

/** Contexts that a window of 200,000 would be nearly full with. */
const LONG = { turns: [1, 1, 1], from: 160_000, growBy: 5_000 };

inSoak('does not act at 165,000 tokens on the default model', async () => {
  await using world = await startWorld(conversation(LONG));
  const run = await runCtxb(world, { flags: prompts('one', 'two'), claude: DEFAULT_MODEL });
  const more = await runCtxb(world, { claude: [...DEFAULT_MODEL, '-p', 'three', '--continue'] });

  expect([run.code, more.code]).toEqual([0, 0]);
  expect(run.stdout.toString() + more.stdout.toString()).toBe('answer 1\nanswer 2\nanswer 3\n');
  expect(untilClosing(run).stderr + untilClosing(more).stderr).toBe('');
  expect(summaryRequests(world.standin)).toEqual([]);
  expect(JSON.stringify(mainRequests(world.standin).map(({ body }) => body.messages))).not.toMatch(
    /Context budget|nearly full/,
  );
  const placed = journal(world).filter((one) => nameOf(one) === 'mid-turn:trigger');
  expect(placed.map(({ gauge }) => [gauge.window, gauge.windowSource])).toEqual([
    [1_000_000, 'result'],
    [1_000_000, 'asked'],
  ]);
});

inSoak.each(
  sampled(
    [
      { name: 'the default model', claude: DEFAULT_MODEL, from: 961_000, at: 967_000 },
      { name: 'a model of 200,000', claude: SMALL_WINDOW, from: 161_000, at: 167_000 },
    ],
    3,
  ),
)('claude alone compacts $name at $at, in the middle of a turn', async ({ claude, from, at }) => {
  await using world = await startWorld(conversation({ turns: [6], from, growBy: 3_000 }));
  const { env, cwd } = world.scratch;
  if (!isAtLeast((await versionOf(world)) ?? '', '2.1.330')) return;
  const stream = ['-p', 'one', '--output-format', 'stream-json', '--verbose'];
  const run = await runProgram(world.claude, [...stream, ...claude], { env, cwd });
  const [, tokens] = /"compact_boundary".*?"pre_tokens":(\d+)/.exec(run.stdout.toString()) ?? [];
  expect(Number(tokens)).toBeGreaterThanOrEqual(at);
  expect(Number(tokens)).toBeLessThan(at + 3_100);
});

async function versionOf({ claude, scratch: { env, cwd } }: World): Promise<string | undefined> {
  const said = await runProgram(claude, ['--version'], { env, cwd });
  return /[\d.]+/.exec(said.stdout.toString())?.[0];
}

/** A short run may end before claude answers what its window is. */
const FIRST_TO_COME = expect.stringMatching(/^(?:asked|result)$/);

it.each(
  sampled(
    [
      { name: 'the default model', claude: DEFAULT_MODEL, tokens: 400_000 },
      { name: 'a model of 200,000', claude: SMALL_WINDOW, tokens: 80_000 },
      { name: 'a model of 1,000,000', claude: LARGE_WINDOW, tokens: 400_000 },
    ],
    4,
  ),
)('--mid-turn-at 40% places the trigger of $name at $tokens', async ({ claude, tokens }) => {
  await using world = await startWorld(conversation({ turns: [2], growBy: 0 }));
  await runCtxb(world, { flags: ['--mid-turn-at', '40%'], claude: [...claude, '-p', 'one'] });
  const placed = journal(world).find((one) => nameOf(one) === 'mid-turn:trigger');
  expect(placed).toMatchObject({ tokens, gauge: { windowSource: FIRST_TO_COME } });
});

const WINDOWS = [
  { name: 'of 200,000', model: SMALL_WINDOW, window: 200_000 },
  { name: 'of the default model', model: DEFAULT_MODEL, window: 1_000_000 },
];

/** Contexts of 10, 45 and 80 % of a window, one for each turn, and 10 % again after a relief. */
const rising = (window: number) => conversation({ turns: [1, 1, 1, 1], from: 0.1 * window, growBy: 0.35 * window });

const PROMPTS = prompts('one', 'two', 'three', 'four');

describe.each(WINDOWS)('the ladder on the window $name', ({ model, window }) => {
  it('warns, compacts before the next prompt, and measures the freed room', async () => {
    await using world = await startWorld(rising(window));
    const run = await runCtxb(world, { flags: PROMPTS, claude: model });
    expect(run.stdout.toString()).toBe('answer 1\nanswer 2\nanswer 3\nanswer 4\n');
    const ladder = journal(world).filter(({ kind }) => ['warn', 'compact', 'compacted', 'landed'].includes(kind));
    expect(ladder.map(({ kind, gauge }) => [kind, gauge.window])).toEqual(
      ['warn', 'compact', 'compacted', 'landed'].map((kind) => [kind, window]),
    );
    expect(ladder.map(({ gauge }) => Math.round((gauge.fraction ?? 0) * 100))).toEqual([
      80,
      80,
      expect.any(Number),
      10,
    ]);
    expect(summaryRequests(world.standin)).toHaveLength(1);
  });

  inSoak('hands over', async () => {
    await using world = await startWorld(rising(window));
    const run = await runCtxb(world, { flags: [...PROMPTS, '--strategy', 'handoff'], claude: model });
    expect(run.code).toBe(0);
    const handoff = journal(world).find(({ kind }) => kind === 'handoff');
    expect(handoff).toMatchObject({ gauge: { window, windowSource: 'result' } });
    expect(journal(world).map(nameOf)).toContain('handed-over');
    expect(summaryRequests(world.standin)).toEqual([]);
  });

  inSoak('cuts results of tools if that saves more than the call that fetches the rest', async () => {
    const tool = { name: 'Bash', input: { command: 'seq 1 5500', description: 'Count' } };
    const call = (share: number) => ({ tools: [tool], context: share * window });
    await using world = await startWorld({ calls: [call(0.1), call(0.76), { text: 'done', context: 0.77 * window }] });
    const env = { CTXB_TOOLS_PER_CALL: '2000' };
    const run = await runCtxb(world, { claude: [...model, '-p', 'count'], env });
    expect(run.code).toBe(0);
    const cuts = journal(world).flatMap((decision) =>
      decision.kind === 'tool-budget' && decision.of === 'result' ? [decision.gauge.fraction] : [],
    );
    // A call that reads 760,000 tokens costs more than the whole result.
    expect(cuts.map((share) => Math.round((share ?? 0) * 100))).toEqual(window === 200_000 ? [10, 76] : [10]);
  });

  inSoak('stops at a cost limit', async () => {
    await using world = await startWorld(rising(window));
    const run = await runCtxb(world, {
      flags: [...PROMPTS, '--cost-limit', window === 200_000 ? '0.10' : '2', '--on-cost-limit', 'stop'],
      claude: model,
    });
    expect(run.code).toBe(3);
    expect(run.stderr).toContain('the cost limit of this run is reached');
    expect(journal(world).find((one) => nameOf(one) === 'limit:cost')).toMatchObject({ gauge: { window } });
  });
});

/** Asks claude over the control channel, and waits for its answer. */
async function ask(program: RunningProgram, id: string, request: object): Promise<JsonLine> {
  program.send({ type: 'control_request', request_id: id, request });
  const answer = await program.waitForLine(({ response }) => (response as JsonLine)?.request_id === id);
  return ((answer.response as JsonLine).response ?? {}) as JsonLine;
}

const MODELS = ['claude-opus-5-5', 'claude-sonnet-5', 'claude-fable-5', 'claude-opus-4-8', 'claude-opus-4-7'];
const SMALL_MODELS = [
  'claude-opus-4-6',
  'claude-opus-4-5',
  'claude-sonnet-4-6',
  'claude-sonnet-4-5',
  'claude-haiku-4-5',
];

inSoak('the windows of recordings are those that claude reports for its models', async () => {
  await using world = await startWorld(conversation({ turns: [], growBy: 0 }));
  const { env, cwd } = world.scratch;
  const program = startProgram(world.claude, PROTOCOL, { env, cwd });
  const version = await versionOf(world);
  await ask(program, 'initialize', { subtype: 'initialize', hooks: {} });
  const told: unknown[] = [];
  for (const model of [...MODELS, ...SMALL_MODELS]) {
    await ask(program, `to ${model}`, { subtype: 'set_model', model });
    const { rawMaxTokens } = await ask(program, `of ${model}`, { subtype: 'get_context_usage', detail: 'summary' });
    told.push([model, rawMaxTokens]);
  }
  program.stdin.end();
  await program.finished;
  expect(told).toEqual([...MODELS, ...SMALL_MODELS].map((model) => [model, windowIn(version, model, true)]));
});

it('claude reports how much of a resumed context is conversation', async () => {
  await using world = await startWorld(conversation({ turns: [1], from: 90_000, growBy: 1_000 }));
  const { env, cwd } = world.scratch;
  await runProgram(world.claude, ['-p', 'word '.repeat(20_000), ...DEFAULT_MODEL], { env, cwd });
  const program = startProgram(world.claude, [...PROTOCOL, ...DEFAULT_MODEL, '--continue'], { env, cwd });
  await ask(program, 'initialize', { subtype: 'initialize', hooks: {} });
  const { totalTokens, categories } = await ask(program, 'usage', { subtype: 'get_context_usage', detail: 'summary' });
  program.stdin.end();
  await program.finished;
  const [messages] = (categories as readonly JsonLine[]).filter(({ id }) => id === 'messages');
  expect(totalTokens).toBe(90_000);
  expect(messages?.tokens).toBeGreaterThan(90_000 - 33_000);
  expect(messages?.tokens).toBeLessThan(90_000 - 10_000);
});

inSoak('a new model in mid-session has its own window, however it was changed', async () => {
  await using world = await startWorld(conversation({ turns: [1, 1, 1], from: 50_000, growBy: 1_000 }));
  const program = startCtxb(world, { claude: [...SMALL_WINDOW, ...PROTOCOL] });
  for (const [index, model] of [undefined, 'claude-sonnet-4-6[1m]', 'claude-sonnet-4-6'].entries()) {
    if (model !== undefined) await ask(program, `to ${model}`, { subtype: 'set_model', model });
    program.send(promptLine(`prompt ${index}`));
    await program.waitForLine(({ type }) => type === 'result');
  }
  // claude answers in order: behind this the trigger of the last model is placed.
  await ask(program, 'done', { subtype: 'get_context_usage', detail: 'summary' });
  program.stdin.end();
  expect((await program.finished).code).toBe(0);
  const placed = journal(world).flatMap((decision) =>
    decision.kind === 'mid-turn' && decision.of === 'trigger' ? [decision] : [],
  );
  expect(placed.map(({ gauge, tokens }) => [gauge.window, tokens])).toEqual([
    [200_000, 167_000],
    [1_000_000, 967_000],
    [200_000, 167_000],
  ]);
});
