import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { fieldsOf } from '../../src/core/protocol/fields.ts';
import { promptLine, runProgram, startWorld, type World } from '../support/claude.ts';
import { givenTexts, mainRequests, userTexts } from '../support/conversation.ts';
import { CTXB, journalLines, outputLines, PROTOCOL, runCtxb, SMALL_WINDOW, startCtxb } from '../support/ctxb.ts';

function start(world: World, claude = SMALL_WINDOW) {
  const program = startCtxb(world, { claude: [...claude, ...PROTOCOL] });
  const send = (request_id: string, request: object) => program.send({ type: 'control_request', request_id, request });
  const answerTo = (id: string) => program.waitForLine(({ response }) => fieldsOf(response).request_id === id);
  return {
    ...program,
    say: (text: string, uuid?: string) => program.send({ ...promptLine(text), ...(uuid && { uuid }) }),
    send,
    answer: (response: object) => program.send({ type: 'control_response', response }),
    async ask(subtype: string, more: object = {}) {
      send(subtype, { subtype, ...more });
      return fieldsOf(fieldsOf((await answerTo(subtype)).response).response);
    },
    result: () => program.waitForLine(({ type }) => type === 'result'),
    killClaude: () =>
      process.kill(Number(journalLines(world).findLast(({ kind }) => kind === 'start')?.pid), 'SIGKILL'),
  };
}

const uuid = (digit: number) => `${String(digit).repeat(8)}-1111-4111-8111-111111111111`;
const lastSaid = ({ standin }: World) =>
  userTexts(mainRequests(standin).at(-1))
    .map((text) => text.trim())
    .filter((text) => !text.startsWith('<system-reminder>'));

const SLOW_TOOL = {
  tools: [{ name: 'Bash', input: { command: 'touch begun; sleep 100', description: 'Wait' } }],
};
const hasBegun = ({ scratch }: World) =>
  vi.waitFor(() => expect(existsSync(join(scratch.cwd, 'begun'))).toBe(true), { timeout: 30_000 });

it('a prompt right behind set_cwd is not lost if claude dies in its turn, and the new process works in that folder', async () => {
  await using world = await startWorld({ calls: [{ text: 'one' }, SLOW_TOOL, { text: 'resumed' }] });
  const path = join(world.scratch.cwd, 'sub');
  mkdirSync(path);
  const program = start(world);
  program.say('first');
  await program.result();
  program.send('move', { subtype: 'set_cwd', path, trust_accepted: true, trusted_directory: path });
  program.say('second');
  // claude tells of the move in a turn of its own.
  expect(await program.result()).toMatchObject({ num_turns: 0 });
  await vi.waitFor(() => expect(existsSync(join(path, 'begun'))).toBe(true), { timeout: 30_000 });
  program.killClaude();
  expect(await program.result()).toMatchObject({ result: 'resumed' });
  program.stdin.end();
  const run = await program.finished;
  const folders = outputLines(run).flatMap(({ subtype, cwd }) => (subtype === 'init' ? [cwd] : []));
  expect([run.code, folders.slice(1)]).toEqual([0, [path, path, path]]);
});

it('a prompt behind a turn that the caller interrupts is not lost if claude dies in its own turn', async () => {
  await using world = await startWorld({
    calls: [SLOW_TOOL, { text: 'late', delayMs: 60_000 }, { text: 'resumed' }],
  });
  const program = start(world);
  program.say('first');
  await hasBegun(world);
  program.say('second', uuid(2));
  await program.waitForLine(({ command_uuid }) => command_uuid === uuid(2));
  expect(await program.ask('interrupt')).toEqual({ still_queued: [uuid(2)] });
  expect(await program.result()).toMatchObject({ subtype: 'error_during_execution' });
  await world.standin.waitFor(2);
  program.killClaude();
  expect(await program.result()).toMatchObject({ result: 'resumed' });
  program.stdin.end();
  expect((await program.finished).code).toBe(0);
});

it('a prompt that the caller cancels reaches no turn, wherever it waits', async () => {
  await using world = await startWorld({
    calls: (_, index) => ({ text: `answer ${index}`, context: index === 0 ? 165_000 : 30_000 }),
    summary: { text: '<summary>What was done.</summary>', delayMs: 3_000 },
  });
  const program = start(world);
  // Before claude has the prompt, it only notes that it is to cancel it.
  expect(await program.ask('cancel_async_message', { message_uuid: uuid(1) })).toEqual({ cancelled: false });
  program.say('noted', uuid(1));
  program.say('first');
  await program.result();
  for (const [index, text] of ['held', 'kept'].entries()) program.say(text, uuid(index + 2));
  await world.standin.waitFor(2);
  const held = await program.ask('cancel_async_message', { message_uuid: uuid(2) });
  expect(held).toEqual({ cancelled: true, message_uuid: uuid(2) });
  expect(await program.result()).toMatchObject({ result: 'answer 1' });
  program.stdin.end();
  const run = await program.finished;
  expect(lastSaid(world).at(-1)).toBe('kept');
  const states = outputLines(run).flatMap((line) =>
    line.type === 'command_lifecycle' && line.command_uuid !== uuid(3) ? [line.state] : [],
  );
  expect([run.code, states]).toEqual([0, ['queued', 'cancelled', 'cancelled']]);
});

it('an interrupt that cancels all prompts also cancels those that ctxb holds', async () => {
  await using world = await startWorld({
    calls: (_, index) => ({ text: `answer ${index}`, context: index === 0 ? 165_000 : 30_000 }),
    summary: { text: '<summary>What was done.</summary>', delayMs: 60_000 },
  });
  const program = start(world);
  program.say('first');
  await program.result();
  program.say('second', uuid(2));
  await world.standin.waitFor(2);
  await program.ask('interrupt', { cancel_queued: true });
  program.say('third', uuid(3));
  expect(await program.result()).toMatchObject({ user_message_uuid: uuid(3) });
  program.stdin.end();
  expect((await program.finished).code).toBe(0);
  expect(lastSaid(world)).not.toContain('second');
});

it('after set_cwd, the agent is told where its notes are from any folder', async () => {
  await using world = await startWorld({
    calls: (_, index) => ({ text: `answer ${index}`, context: index === 1 ? 165_000 : 30_000 }),
  });
  const { cwd } = world.scratch;
  const path = join(cwd, 'sub');
  mkdirSync(path);
  const program = start(world);
  program.say('first');
  await program.result();
  await program.ask('set_cwd', { path, trust_accepted: true, trusted_directory: path });
  for (const text of ['second', 'third']) {
    program.say(text, uuid(text.length));
    await program.waitForLine(({ user_message_uuid }) => user_message_uuid === uuid(text.length));
    await program.result();
  }
  program.stdin.end();
  await program.finished;
  const given = givenTexts(mainRequests(world.standin).at(-1)).join('\n');
  expect(given).toContain(`Notes of this session are kept in ${cwd}/.context/sessions/`);
});

it.each(['no prompt', 'a prompt'])(
  'a run that another ctxb resumes keeps to the rules of its program: %s waits',
  async (what) => {
    const touch = (name: string) => ({ name: 'Bash', input: { command: `touch ${name}`, description: 'Touch' } });
    await using world = await startWorld({
      calls: [
        { tools: [touch('first')] },
        { text: 'late', delayMs: 60_000 },
        { tools: [touch('denied'), touch('written'), touch('allowed')] },
        { text: 'done' },
      ],
    });
    const allowed = [
      '--permission-prompt-tool',
      'stdio',
      '--allowedTools',
      'Bash(touch denied)',
      'Bash(touch written)',
    ];
    const program = start(world, [...SMALL_WINDOW.slice(0, 2), ...allowed]);
    program.say('work');
    const { request_id } = await program.waitForLine(({ type }) => type === 'control_request');
    await program.ask('apply_flag_settings', { settings: { permissions: { deny: ['Bash(touch written)'] } } });
    const updatedPermissions = Object.entries({ allow: 'touch:*', deny: 'touch denied' }).map(
      ([behavior, ruleContent]) => ({
        ...{ type: 'addRules', behavior, destination: 'session' },
        rules: [{ toolName: 'Bash', ruleContent }],
      }),
    );
    const response = { behavior: 'allow', updatedInput: touch('first').input, updatedPermissions };
    program.answer({ subtype: 'success', request_id, response });
    await world.standin.waitFor(2);
    if (what === 'a prompt') {
      // claude reads it at the end of the turn, so its log lacks it.
      program.say('work more', uuid(2));
      await program.waitForLine(({ command_uuid }) => command_uuid === uuid(2));
    }
    program.kill('SIGKILL');
    await program.finished;
    const { env, cwd } = world.scratch;
    const resumed = await runProgram(process.execPath, [CTXB, 'run', '--resume-run'], { env, cwd });
    expect(resumed.code).toBe(0);
    const made = ['first', 'denied', 'written', 'allowed'].filter((name) => existsSync(join(cwd, name)));
    expect(made).toEqual(['first', 'allowed']);
  },
);

it.each(['the last prompt', 'a prompt before another'])(
  'a denial that stops the turn ends the run like claude alone: %s',
  async (which) => {
    const isLast = which === 'the last prompt';
    await using world = await startWorld({
      calls: [{ tools: [{ name: 'Bash', input: { command: 'touch made', description: 'Touch' } }] }, { text: 'two' }],
    });
    const program = start(world, [...SMALL_WINDOW.slice(0, 2), '--permission-prompt-tool', 'stdio']);
    program.say('first', uuid(1));
    const { request_id } = await program.waitForLine(({ type }) => type === 'control_request');
    if (!isLast) {
      program.say('second', uuid(2));
      await program.waitForLine(({ command_uuid }) => command_uuid === uuid(2));
    }
    const response = { behavior: 'deny', message: 'Stop.', interrupt: true };
    program.answer({ subtype: 'success', request_id, response });
    expect(await program.result()).toMatchObject({ subtype: 'error_during_execution' });
    if (!isLast) expect(await program.result()).toMatchObject({ result: 'two', user_message_uuid: uuid(2) });
    program.stdin.end();
    const { code, stderr } = await program.finished;
    expect([code, stderr]).toEqual([isLast ? 1 : 0, expect.not.stringContaining('not answered')]);
    expect(lastSaid(world).filter((text) => text === 'second')).toHaveLength(isLast ? 0 : 1);
  },
);

it('a turn that claude ends because it may run nothing has an answer', async () => {
  const touch = { tools: [{ name: 'Bash', input: { command: 'touch made', description: 'Touch' } }] };
  await using world = await startWorld({
    calls: (request) => (userTexts(request).some((text) => text.trim() === 'second') ? { text: 'two' } : touch),
  });
  const program = start(world, [...SMALL_WINDOW.slice(0, 2), '--permission-mode', 'plan']);
  program.say('first');
  expect(await program.result()).toMatchObject({ stopped_by_permission_check: true });
  program.say('second');
  expect(await program.result()).toMatchObject({ result: 'two' });
  program.stdin.end();
  const { code, stderr } = await program.finished;
  expect([code, stderr]).toEqual([0, expect.not.stringContaining('not answered')]);
  const text = await runCtxb(world, {
    claude: [...SMALL_WINDOW.slice(0, 2), '--permission-mode', 'plan', '-p', 'first'],
  });
  // As claude alone prints it.
  expect([text.code, text.stdout.toString()]).toEqual([1, 'Execution error']);
});
