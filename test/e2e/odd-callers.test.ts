import { expect, it } from 'vitest';
import { nameOf } from '../../src/core/governor/decisions.ts';
import { agent, promptText, wantedBy } from '../support/agent.ts';
import { type JsonLine, promptLine, type RunningProgram, runProgram, startWorld } from '../support/claude.ts';
import { conversation, givenTexts, mainRequests, summaryRequests, userTexts } from '../support/conversation.ts';
import { CTXB, journal, outputLines, PROTOCOL, SHIM, SMALL_WINDOW, startCtxb } from '../support/ctxb.ts';
import { expectEachPromptOnce } from '../support/proof.ts';
import { firstOf, inSoak, sampled } from '../support/size.ts';
import type { Call, RecordedRequest } from '../support/standin/scenario.ts';

const ASKING = ['--model', 'claude-sonnet-4-6', ...PROTOCOL];
const BASH = { name: 'Bash', input: { command: 'touch made', description: 'Make a file' } };

function control(id: string, request: object): object {
  return { type: 'control_request', request_id: id, request };
}

function isResult(line: JsonLine): boolean {
  return line.type === 'result';
}

/** The end of a program, which is killed when it has not come in time, so that a hang is a failure and not a wait. */
async function ended(program: RunningProgram, ms = 30_000) {
  const limit = AbortSignal.timeout(ms);
  limit.addEventListener('abort', () => program.kill('SIGTERM'));
  return program.finished;
}

inSoak('a prompt whose uuid claude has already seen, and skips, does not delay the next ones', async () => {
  await using world = await startWorld({ calls: [{ text: 'one' }, { text: 'two' }] });
  const program = startCtxb(world, { claude: [...SMALL_WINDOW, ...PROTOCOL] });
  const again = promptLine('first', { uuid: '11111111-1111-4111-8111-111111111111' });
  for (const line of [again, again, promptLine('second')]) program.send(line);
  program.stdin.end();
  const run = await ended(program);

  expect(mainRequests(world.standin).map((request) => userTexts(request).at(-1))).toEqual(['first', 'second']);
  expect(run.stderr).toContain('claude skips 1 prompt: it has already received the uuid 11111111-1111-4111-8111');
  expect(run.code).toBe(0);
});

it.each(
  firstOf([
    { name: 'of another speaker', line: { type: 'user', message: { role: 'assistant', content: 'x' } } },
    { name: 'without a message', line: { type: 'user' } },
    { name: 'that is no object', line: null },
  ]),
)('a line $name, at which claude ends with 1, ends the run with 1, also after an answer', async ({ line }) => {
  await using world = await startWorld({ calls: [{ text: 'one' }] });
  const program = startCtxb(world, { claude: [...SMALL_WINDOW, ...PROTOCOL] });
  program.send(promptLine('first'));
  await program.waitForLine(isResult);
  program.send(line);
  const run = await ended(program);

  expect(run.stderr).not.toContain('starting it again');
  expect(run.code).toBe(1);
});

it.each(
  firstOf([
    { name: 'a text that is none', content: [{ type: 'text' }] },
    { name: 'a number', content: 5 },
    { name: 'an object', content: {} },
    { name: 'a list of strings', content: ['hello'] },
  ]),
)('a prompt of $name, which claude ignores, does not delay the next ones', async ({ content }) => {
  await using world = await startWorld({ calls: [{ text: 'one' }] });
  const program = startCtxb(world, { claude: [...SMALL_WINDOW, ...PROTOCOL] });
  for (const said of [content, 'second']) program.send(promptLine(said));
  program.stdin.end();
  const run = await ended(program);

  expect(mainRequests(world.standin).map((request) => userTexts(request).at(-1))).toEqual(['second']);
  expect(run.code).toBe(0);
});

it.each(
  sampled(
    [
      { name: 'a tool', claude: [...ASKING, '--permission-prompt-tool', 'stdio'], request: { subtype: 'initialize' } },
      {
        name: 'a hook',
        claude: [...SMALL_WINDOW, ...PROTOCOL],
        request: { subtype: 'initialize', hooks: { PreToolUse: [{ matcher: 'Bash', hookCallbackIds: ['mine'] }] } },
      },
      {
        name: 'an MCP server of the caller',
        claude: [...SMALL_WINDOW, ...PROTOCOL],
        request: { subtype: 'initialize', sdkMcpServers: ['mine'] },
      },
    ],
    3,
  ),
)("a question about $name after the caller's end of input does not hang", async (test) => {
  await using world = await startWorld({ calls: [{ tools: [BASH] }, { text: 'done' }] });
  const program = startCtxb(world, { claude: test.claude });
  program.send(control('mine-1', test.request));
  program.send(promptLine('hello'));
  program.stdin.end();
  const run = await ended(program);

  expect({ code: run.code, results: outputLines(run).filter(isResult).length }).toEqual({ code: 0, results: 1 });
});

inSoak('places the trigger again when the caller returns to the smaller window of the same model', async () => {
  await using world = await startWorld({
    calls: [50_000, 60_000, 70_000, 80_000].map((context) => ({ text: 'ok', context })),
  });
  const program = startCtxb(world, { claude: [...SMALL_WINDOW, ...PROTOCOL] });
  for (const model of ['claude-sonnet-4-6', 'claude-sonnet-4-6[1m]', 'claude-sonnet-4-6']) {
    program.send(control(`to ${model}`, { subtype: 'set_model', model }));
    program.send(promptLine(`speak, ${model}`));
    await program.waitForLine(isResult);
  }
  // A turn more, in which claude confirms the last one.
  program.send(promptLine('speak once more'));
  await program.waitForLine(isResult);
  program.stdin.end();
  await ended(program);

  const placed = journal(world).flatMap((decision) =>
    decision.kind === 'mid-turn' && decision.of === 'trigger' ? [decision.tokens] : [],
  );
  expect(placed).toEqual([167_000, 967_000, 167_000]);
});

inSoak('does not retry a compaction before another turn if the API was unavailable', async () => {
  const growing = conversation({ turns: [3, 1], from: 150_000, growBy: 5_000 });
  await using world = await startWorld({ ...growing, summary: { error: { status: 529 } } });
  const program = startCtxb(world, {
    flags: ['--compact-when', 'boundary'],
    claude: [...SMALL_WINDOW, ...PROTOCOL],
    env: { CLAUDE_CODE_MAX_RETRIES: '0' },
  });
  program.send(promptLine('work'));
  await program.waitForLine(isResult);
  for (const id of ['a', 'b', 'c', 'd']) {
    const tried = summaryRequests(world.standin).length;
    program.send(control(id, { subtype: 'mcp_status' }));
    await program.waitForLine((line) => line.type === 'control_response');
    if (tried === 0) await world.standin.waitFor(({ kind }) => kind === 'summary');
  }
  program.stdin.end();
  await ended(program);

  expect(journal(world).filter(({ kind }) => kind === 'compact')).toHaveLength(1);
});

inSoak('stops a compaction that takes too long, and sends the waiting prompt', async () => {
  const growing = conversation({ turns: [2, 1], from: 155_000, growBy: 5_000 });
  await using world = await startWorld({ ...growing, summary: { delayMs: 60_000 } });
  const program = startCtxb(world, {
    claude: [...SMALL_WINDOW, ...PROTOCOL],
    env: { CTXB_COMPACTION_TIMEOUT_SECONDS: '1' },
  });
  for (const text of ['one', 'two']) program.send(promptLine(text));
  program.stdin.end();
  const run = await ended(program);

  expect(userTexts(mainRequests(world.standin).at(-1)).at(-1)).toBe('two');
  expect(run.code).toBe(0);
});

inSoak('does not mistake a command from mid-turn, which claude runs after the turn, for its compaction', async () => {
  await using world = await startWorld({
    calls: [{ tools: [BASH], context: 158_000 }, { text: 'first', context: 159_000, delayMs: 800 }, { text: 'last' }],
  });
  const program = startCtxb(world, { claude: [...SMALL_WINDOW, ...PROTOCOL] });
  program.send(promptLine('work'));
  await world.standin.waitFor(({ kind, body }) => kind === 'main' && body.messages?.length === 3);
  program.send(promptLine('/cost'));
  await program.waitForLine(isResult);
  program.send(promptLine('go on'));
  program.stdin.end();
  const run = await ended(program);

  const lines = outputLines(run);
  expect(lines.filter(({ subtype }) => subtype === 'compact_boundary')).toEqual([]);
  expect(lines.filter(isResult).map(({ result }) => /\w+ cost|^\w+/.exec(String(result))?.[0])).toEqual([
    'first',
    'Estimated cost',
    'last',
  ]);
});

inSoak('hands a prompt that came too late for the running turn back when its own turn is compacted', async () => {
  const growing = conversation({ turns: [1, 9], from: 90_000, growBy: 12_000 });
  const { calls } = growing;
  if (typeof calls !== 'function') throw new Error('expected a function scenario');
  const slow: typeof calls = (request, index) => ({
    ...calls(request, index),
    ...(index === 0 ? { delayMs: 800 } : {}),
  });
  await using world = await startWorld({ ...growing, calls: slow });
  const program = startCtxb(world, { claude: [...SMALL_WINDOW, ...PROTOCOL, '--include-partial-messages'] });
  program.send(promptLine('short'));
  await world.standin.waitFor(({ kind }) => kind === 'main');
  program.send(promptLine('the long job'));
  await program.waitForLine(isResult);
  await program.waitForLine(isResult);
  program.stdin.end();
  await ended(program);

  const [summary] = summaryRequests(world.standin);
  const after = mainRequests(world.standin).find(({ index }) => index > (summary?.index ?? 0));
  expect(givenTexts(after).join('\n')).toContain('the long job');
});

inSoak('hides the answers to its own hooks when claude echoes its input', async () => {
  await using world = await startWorld(conversation({ turns: [12], from: 60_000, growBy: 12_000 }));
  const program = startCtxb(world, { claude: [...SMALL_WINDOW, ...PROTOCOL, '--replay-user-messages'] });
  program.send(promptLine('the long job'));
  program.stdin.end();
  const run = await ended(program);

  expect(summaryRequests(world.standin)).toHaveLength(1);
  expect(outputLines(run).filter(({ type }) => type === 'control_response')).toEqual([]);
});

inSoak('answers a request of the caller whose id begins like those of ctxb', async () => {
  await using world = await startWorld({ calls: [{ text: 'hello' }] });
  const program = startCtxb(world, { claude: [...SMALL_WINDOW, ...PROTOCOL] });
  program.send(control('ctxb:mine', { subtype: 'mcp_status' }));
  program.send(promptLine('hello'));
  program.stdin.end();
  const run = await ended(program);

  expect(outputLines(run).filter(({ type }) => type === 'control_response')).toHaveLength(1);
});

inSoak('a uuid of the caller that is not a file name does not end the journal', async () => {
  await using world = await startWorld(conversation({ turns: [12], from: 60_000, growBy: 12_000 }));
  const program = startCtxb(world, { claude: [...SMALL_WINDOW, ...PROTOCOL] });
  program.send(promptLine('long '.repeat(3_000), { uuid: '../../../elsewhere' }));
  program.stdin.end();
  const run = await ended(program);

  expect(run.stderr).not.toContain('nothing more is written');
  expect(journal(world).map(nameOf)).toContain('mid-turn:prompts');
});

const FOUR = [1, 2, 3, 4].map(promptText);
const toOpus = control('to opus', { subtype: 'set_model', model: 'claude-opus-4-6' });

it.each(
  sampled(
    ['compact', 'handoff'].flatMap((way) => [
      { way, what: '/clear', line: promptLine('/clear'), results: ['', 'answer 4'], model: 'claude-sonnet-4-6' },
      { way, what: 'set_model', line: toOpus, results: ['answer 4'], model: 'claude-opus-4-6' },
    ]),
    3,
  ),
)('$what, sent while a prompt waits for a relief, has its effect ($way)', async ({ way, line, results, model }) => {
  let free = () => {};
  const until = new Promise<void>((resolve) => {
    free = resolve;
  });
  const { calls, summary } = agent({ turns: [2, 2, 2, 2], growBy: 8_000 });
  const work = calls as (request: RecordedRequest) => Call;
  await using world = await startWorld({
    calls: (request) => ({ ...work(request), ...(wantedBy(request) === 'document' ? { until } : {}) }),
    summary: { ...(summary as Call), until },
  });
  const flags = ['--strategy', way, '--compact-at', '50000', '--no-mid-turn'];
  const program = startCtxb(world, { flags, claude: [...SMALL_WINDOW, ...PROTOCOL] });
  for (const prompt of FOUR.slice(0, 3)) program.send(promptLine(prompt));
  await world.standin.waitFor((request) => request.kind === 'summary' || wantedBy(request) === 'document');
  program.send(line);
  program.send(promptLine(String(FOUR[3])));
  program.stdin.end();
  free();
  const answered = outputLines(await ended(program)).flatMap((one) => (isResult(one) ? [one.result] : []));
  expect(answered).toEqual(['answer 1', 'answer 2', 'answer 3', ...results]);
  expect(mainRequests(world.standin).at(-1)?.body.model).toBe(model);
  expectEachPromptOnce(world.standin, FOUR);
});

it('a session that cannot be resumed prints nothing on stdout in text mode, as claude alone', async () => {
  await using world = await startWorld({ calls: [] });
  const program = startCtxb(world, {
    claude: [...SMALL_WINDOW, '-p', 'go on', '--resume', '11111111-1111-4111-8111-111111111111'],
  });
  program.stdin.end();
  const run = await ended(program);

  expect({ code: run.code, stdout: run.stdout.toString() }).toEqual({ code: 1, stdout: '' });
});

it.each(
  firstOf([
    { name: 'ctxb run', front: [CTXB, 'run', '--'] },
    { name: 'ctxb run --observe', front: [CTXB, 'run', '--observe', '--'] },
    { name: 'the shim', front: [SHIM] },
  ]),
)('$name refuses an unknown agent, as without ctxb, and sends nothing', async ({ front }) => {
  await using world = await startWorld({ calls: [{ text: 'without limits' }] });
  const { env, cwd } = world.scratch;
  const options = { env: { ...env, CTXB_CLAUDE: world.claude }, cwd };
  const args = ['-p', 'hello', '--agent', 'nope', '--agents', '{"scout":{"description":"Looks","prompt":"You look."}}'];
  const alone = await runProgram(world.claude, args, options);
  expect(alone).toMatchObject({ code: 1, stderr: expect.stringContaining("'nope' not found. Available agents: ") });
  const program = front.includes(SHIM) ? front : [...front, world.claude];
  const run = await runProgram(process.execPath, [...program, ...args], options);
  expect({ ...run, stdout: run.stdout.toString() }).toEqual({ ...alone, stdout: '' });
  expect(world.standin.requests).toEqual([]);
});

it('an unknown agent of a caller that speaks the protocol is ignored, as without ctxb', async () => {
  await using world = await startWorld({ calls: [{ text: 'hi' }] });
  const program = startCtxb(world, { claude: [...SMALL_WINDOW, ...PROTOCOL, '--agent', 'nope'] });
  program.send(promptLine('hello'));
  program.stdin.end();
  expect((await ended(program)).code).toBe(0);
});
