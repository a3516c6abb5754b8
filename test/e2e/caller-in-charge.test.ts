import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { nameOf } from '../../src/core/governor/decisions.ts';
import { fieldsOf, listOf } from '../../src/core/protocol/fields.ts';
import { promptLine, startWorld } from '../support/claude.ts';
import { conversation, givenTexts, mainRequests, summaryRequests, userTexts } from '../support/conversation.ts';
import {
  journal,
  journalLines,
  outputLines,
  PROTOCOL,
  prompts,
  runCtxb,
  SMALL_WINDOW,
  startCtxb,
} from '../support/ctxb.ts';
import { firstOf, inSoak } from '../support/size.ts';
import type { RecordedRequest } from '../support/standin/scenario.ts';

it("does not compact before a caller's own /compact, and shows its turn", async () => {
  await using world = await startWorld(conversation({ turns: [3, 1], from: 150_000, growBy: 5_000 }));
  const run = await runCtxb(world, {
    flags: prompts('work', '/compact keep the names', 'go on'),
    claude: [...SMALL_WINDOW, '--output-format', 'stream-json', '--verbose'],
  });

  expect(summaryRequests(world.standin)).toHaveLength(1);
  expect(journal(world).map(nameOf)).not.toContain('compact');
  const lines = outputLines(run);
  expect(lines.filter((line) => line.subtype === 'compact_boundary')).toHaveLength(1);
  expect(lines.filter((line) => line.type === 'result')).toHaveLength(3);
});

inSoak("a caller's own /clear empties the gauge, and ctxb compacts nothing after it", async () => {
  await using world = await startWorld({
    ...conversation({ turns: [3], from: 150_000, growBy: 5_000 }),
    afterLast: { text: 'fresh', context: 20_000 },
  });
  const run = await runCtxb(world, { flags: prompts('work', '/clear', 'start over'), claude: SMALL_WINDOW });

  expect(run.code).toBe(0);
  expect(summaryRequests(world.standin)).toHaveLength(0);
  expect(journal(world).map(nameOf)).not.toContain('compact');
});

it('a prompt into a running turn passes at once and is answered in that turn', async () => {
  await using world = await startWorld({
    calls: [
      { tools: [{ name: 'Bash', input: { command: 'until [ -e go ]; do sleep 0.05; done', description: 'Wait' } }] },
      { text: 'both answered' },
    ],
  });
  const program = startCtxb(world, { claude: [...SMALL_WINDOW, ...PROTOCOL, '--replay-user-messages'] });
  program.send(promptLine('the first thing'));
  await program.waitForLine((line) => line.type === 'assistant');
  program.send(promptLine('and another thing'));
  // claude reads its input in order: it has the prompt when it answers what follows.
  const request = { subtype: 'get_context_usage' };
  program.send({ type: 'control_request', request_id: 'behind', request });
  await program.waitForLine(({ response }) => fieldsOf(response).request_id === 'behind');
  writeFileSync(`${world.scratch.cwd}/go`, '');
  await program.waitForLine((line) => line.type === 'result');
  program.stdin.end();
  const run = await program.finished;

  expect(outputLines(run).filter((line) => line.type === 'result')).toHaveLength(1);
  expect(givenTexts(mainRequests(world.standin)[1]).join('\n')).toContain('and another thing');
  expect(journal(world).map(nameOf)).toEqual(['mid-turn:trigger']);
});

inSoak('passes a turn on that a background task starts, and does not count it as a prompt', async () => {
  const tool = { name: 'Bash', input: { command: 'sleep 1', run_in_background: true, description: 'Wait' } };
  await using world = await startWorld({
    calls: [{ tools: [tool], context: 20_000 }, { text: 'started' }, { text: 'it has ended' }, { text: 'second' }],
  });
  const run = await runCtxb(world, {
    flags: prompts('start it'),
    claude: [...SMALL_WINDOW, '--output-format', 'stream-json', '--verbose'],
  });

  const results = outputLines(run).filter((line) => line.type === 'result');
  expect(results.map((line) => line.result)).toEqual(['started', 'it has ended']);
  expect(run.code).toBe(0);
});

inSoak('sends /compact alone, although a prompt came together with it', async () => {
  await using world = await startWorld(conversation({ turns: [2, 2], growBy: 1_000 }));
  const run = await runCtxb(world, {
    claude: [...SMALL_WINDOW, ...PROTOCOL],
    stdin: ['one', '/compact', 'two'].map((text) => `${JSON.stringify(promptLine(text))}\n`).join(''),
  });

  expect(outputLines(run).filter((line) => line.type === 'result')).toHaveLength(3);
  expect(summaryRequests(world.standin)).toHaveLength(1);
  expect(userTexts(mainRequests(world.standin)[2]).at(-1)).toBe('two');
});

it("a restarted claude has the caller's model and mode, and answers the open requests", async () => {
  await using world = await startWorld({
    calls: [
      { tools: [{ name: 'Bash', input: { command: 'touch begun; sleep 100', description: 'Wait' } }] },
      { text: 'done' },
    ],
  });
  const program = startCtxb(world, { claude: [...SMALL_WINDOW, ...PROTOCOL] });
  const ask = (id: string, request: object) => program.send({ type: 'control_request', request_id: id, request });
  const answered = (id: string) =>
    program.waitForLine((line) => (line.response as { request_id?: string } | undefined)?.request_id === id);
  program.send(promptLine('work'));
  await vi.waitFor(() => expect(existsSync(join(world.scratch.cwd, 'begun'))).toBe(true), { timeout: 30_000 });
  ask('model', { subtype: 'set_model', model: 'claude-haiku-4-5' });
  await answered('model');
  ask('mode', { subtype: 'set_permission_mode', mode: 'plan' });
  await answered('mode');
  const pid = Number(journalLines(world).findLast(({ kind }) => kind === 'start')?.pid);
  process.kill(pid, 'SIGSTOP');
  ask('status', { subtype: 'mcp_status' });
  process.kill(pid, 'SIGKILL');
  await answered('status');
  await program.waitForLine((line) => line.type === 'result');
  program.stdin.end();

  const init = outputLines(await program.finished).findLast(({ subtype }) => subtype === 'init');
  expect(init).toMatchObject({ model: 'claude-haiku-4-5', permissionMode: 'plan' });
  expect(mainRequests(world.standin).at(-1)?.body.model).toBe('claude-haiku-4-5');
});

inSoak('a restarted claude has the plugins and the skills that the caller has added', async () => {
  const command = 'touch begun; sleep 100';
  await using world = await startWorld({
    calls: [{ text: 'one' }, { tools: [{ name: 'Bash', input: { command, description: 'Wait' } }] }, { text: 'done' }],
  });
  const { cwd } = world.scratch;
  for (const folder of ['own/.claude-plugin', 'own/commands', 'sub/.claude/skills/wave'])
    mkdirSync(join(cwd, folder), { recursive: true });
  writeFileSync(join(cwd, 'own/.claude-plugin/plugin.json'), '{"name":"own","version":"1.0.0"}');
  writeFileSync(join(cwd, 'own/commands/greet.md'), 'Say hello.');
  writeFileSync(join(cwd, 'sub/.claude/skills/wave/SKILL.md'), '---\nname: wave\ndescription: Waves\n---\nWave.');
  const program = startCtxb(world, { claude: [...SMALL_WINDOW, ...PROTOCOL] });
  program.send(promptLine('first'));
  await program.waitForLine(({ type }) => type === 'result');
  const requests = [
    { subtype: 'reload_plugins', add_plugins: [{ type: 'local', path: join(cwd, 'own') }] },
    { subtype: 'register_repo_root', directory: join(cwd, 'sub'), reload_skills: true },
  ];
  for (const request of requests) {
    program.send({ type: 'control_request', request_id: request.subtype, request });
    await program.waitForLine(({ response }) => fieldsOf(response).request_id === request.subtype);
  }
  program.send(promptLine('second'));
  await vi.waitFor(() => expect(existsSync(join(cwd, 'begun'))).toBe(true), { timeout: 30_000 });
  process.kill(Number(journalLines(world).findLast(({ kind }) => kind === 'start')?.pid), 'SIGKILL');
  await program.waitForLine(({ type }) => type === 'result');
  program.send(promptLine('third'));
  await program.waitForLine(({ type }) => type === 'result');
  program.stdin.end();
  const run = await program.finished;
  const inits = outputLines(run).filter(({ subtype }) => subtype === 'init');
  const added = inits.map((init) => ['own:greet', 'wave'].filter((name) => listOf(init.slash_commands).includes(name)));
  // claude takes a folder late, so the first turn of a new process may begin without its skills.
  expect([added[0], added[1], added.at(-1)]).toEqual([[], ['own:greet', 'wave'], ['own:greet', 'wave']]);
});

inSoak('a restarted claude does not plan again after the caller has accepted its plan', async () => {
  const plans = { tools: [{ name: 'ExitPlanMode', input: { plan: 'Do it.' } }] };
  await using world = await startWorld({ calls: [plans, { text: 'late', delayMs: 60_000 }, { text: 'done' }] });
  const program = startCtxb(world, {
    claude: [
      ...SMALL_WINDOW.slice(0, 2),
      ...PROTOCOL,
      '--permission-mode',
      'plan',
      '--permission-prompt-tool',
      'stdio',
    ],
  });
  program.send(promptLine('work'));
  const { request_id } = await program.waitForLine(({ type }) => type === 'control_request');
  const updatedPermissions = [{ type: 'setMode', mode: 'acceptEdits', destination: 'session' }];
  const response = { behavior: 'allow', updatedInput: {}, updatedPermissions };
  program.send({ type: 'control_response', response: { subtype: 'success', request_id, response } });
  await vi.waitFor(() => expect(mainRequests(world.standin)).toHaveLength(2), { timeout: 30_000 });
  process.kill(Number(journalLines(world).findLast(({ kind }) => kind === 'start')?.pid), 'SIGKILL');
  await program.waitForLine(({ type }) => type === 'result');
  program.stdin.end();
  const inits = outputLines(await program.finished).filter(({ subtype }) => subtype === 'init');
  expect(inits.map(({ permissionMode }) => permissionMode)).toEqual(['plan', 'acceptEdits']);
});

it('a restarted claude keeps to the permission rules that the caller has set for the session', async () => {
  const touch = (name: string) => ({ name: 'Bash', input: { command: `touch ${name}`, description: 'Touch' } });
  await using world = await startWorld({
    calls: [
      { tools: [touch('first')] },
      { text: 'late', delayMs: 60_000 },
      { tools: [touch('denied'), touch('allowed')] },
      { text: 'done' },
    ],
  });
  const program = startCtxb(world, {
    claude: [
      ...SMALL_WINDOW.slice(0, 2),
      ...PROTOCOL,
      ...['--permission-prompt-tool', 'stdio', '--allowedTools', 'Bash(touch denied)'],
    ],
  });
  program.send(promptLine('work'));
  const { request_id } = await program.waitForLine(({ type }) => type === 'control_request');
  const rules = { allow: 'touch:*', deny: 'touch denied' };
  const updatedPermissions = Object.entries(rules).map(([behavior, ruleContent]) => ({
    type: 'addRules',
    behavior,
    rules: [{ toolName: 'Bash', ruleContent }],
    destination: 'session',
  }));
  const response = { behavior: 'allow', updatedInput: touch('first').input, updatedPermissions };
  program.send({ type: 'control_response', response: { subtype: 'success', request_id, response } });
  await vi.waitFor(() => expect(mainRequests(world.standin)).toHaveLength(2), { timeout: 30_000 });
  process.kill(Number(journalLines(world).findLast(({ kind }) => kind === 'start')?.pid), 'SIGKILL');
  const next = await program.waitForLine(({ type }) => type === 'control_request' || type === 'result');
  program.stdin.end();
  await program.finished;
  const made = ['first', 'denied', 'allowed'].filter((name) => existsSync(join(world.scratch.cwd, name)));
  expect([next.type, made]).toEqual(['result', ['first', 'allowed']]);
});

const STOP = { type: 'control_request', request_id: 'stop', request: { subtype: 'interrupt' } };

// A daily one that waits for a compaction is in `sdk-acts.test.ts`.
it.each(
  firstOf([
    { when: 'right after it was sent', strategy: 'compact', context: 20_000 },
    { when: 'while it waits for a compaction, with another one', strategy: 'compact', context: 165_000 },
    { when: 'while it waits for a compaction', strategy: 'compact', context: 165_000, others: [] },
    { when: 'while it waits for a handoff document', strategy: 'handoff', context: 100_000, others: [] },
  ]),
)('a prompt that the caller interrupts $when stays in the conversation', async (row) => {
  const { strategy, context, others = ['and Y'] } = row;
  const isSlow = (request: RecordedRequest) =>
    /^do X|Answer with the handoff document/.test(userTexts(request).at(-1) ?? '');
  await using world = await startWorld({
    calls: (request, index) => ({
      text: `answer ${index + 1}`,
      context: index === 0 ? context : 30_000,
      ...(isSlow(request) && { delayMs: 60_000 }),
    }),
    summary: { text: '<summary>What was done.</summary>', delayMs: 60_000 },
  });
  const env = { CTXB_STRATEGY: strategy, ...(strategy === 'handoff' && { CTXB_THRESHOLDS_COMPACT: '90000' }) };
  const program = startCtxb(world, { claude: [...SMALL_WINDOW, ...PROTOCOL], env });
  const sayAll = (...texts: readonly string[]) => {
    for (const text of texts) program.send(promptLine(text));
  };
  sayAll('first');
  await program.waitForLine(({ type }) => type === 'result');
  sayAll('do X', ...others);
  if (context > 20_000) await world.standin.waitFor(2);
  program.send(STOP);
  for (const _ of ['do X', ...others]) await program.waitForLine(({ type }) => type === 'result');
  sayAll('do it, but without X');
  await program.waitForLine(({ type }) => type === 'result');
  program.stdin.end();

  const results = outputLines(await program.finished).filter(({ type }) => type === 'result');
  const success = { subtype: 'success' };
  const stopped = { subtype: 'error_during_execution', num_turns: 2, terminal_reason: 'aborted_streaming' };
  expect(results).toMatchObject([success, stopped, ...others.map(() => success), success]);
  const texts = userTexts(mainRequests(world.standin).at(-1)).map((text) => text.trim());
  const said = texts.slice(texts.indexOf('do X')).filter((text) => !text.startsWith('<system-reminder>'));
  expect(said).toEqual(['do X', '[Request interrupted by user]', ...others, 'do it, but without X']);
});

it("an interrupt stops a long prompt hook of the caller's, and claude drops the prompt, as without ctxb", async () => {
  await using world = await startWorld({ calls: [{ text: 'done' }] });
  const program = startCtxb(world, { claude: [...SMALL_WINDOW, ...PROTOCOL] });
  const hooks = { UserPromptSubmit: [{ hookCallbackIds: ['slow'] }] };
  program.send({ type: 'control_request', request_id: 'init', request: { subtype: 'initialize', hooks } });
  const askedAgain = () => program.waitForLine(({ type }) => type === 'control_request');
  program.send(promptLine('do X'));
  const asked = await askedAgain();
  program.send(STOP);
  await program.waitForLine((line) => line.type === 'control_cancel_request' && line.request_id === asked.request_id);
  await program.waitForLine(({ type }) => type === 'result');
  program.send(promptLine('do Y'));
  const response = { subtype: 'success', request_id: (await askedAgain()).request_id, response: {} };
  program.send({ type: 'control_response', response });
  expect(await program.waitForLine(({ type }) => type === 'result')).toMatchObject({ result: 'done' });
  program.stdin.end();
  expect((await program.finished).code).toBe(0);
  const said = mainRequests(world.standin).map((request) => userTexts(request).filter((text) => /^do/.test(text)));
  expect(said).toEqual([['do Y']]);
});

it('a turn that the caller interrupts while claude dies is stopped after the restart', async () => {
  await using world = await startWorld({
    calls: [
      { tools: [{ name: 'Bash', input: { command: 'touch begun; sleep 100', description: 'Wait' } }] },
      { text: 'never read', delayMs: 60_000 },
    ],
  });
  const record = join(world.scratch.cwd, 'record.ndjson');
  const program = startCtxb(world, { flags: ['--record', record], claude: [...SMALL_WINDOW, ...PROTOCOL] });
  program.send(promptLine('work'));
  await vi.waitFor(() => expect(existsSync(join(world.scratch.cwd, 'begun'))).toBe(true), { timeout: 30_000 });
  const pid = Number(journalLines(world).findLast(({ kind }) => kind === 'start')?.pid);
  process.kill(pid, 'SIGSTOP');
  program.send(STOP);
  await vi.waitFor(() => expect(readFileSync(record, 'utf8')).toMatch(/request_id\W+stop\W/), { timeout: 30_000 });
  process.kill(pid, 'SIGKILL');
  await program.waitForLine(({ response }) => (response as { request_id?: string } | undefined)?.request_id === 'stop');
  await program.waitForLine(({ type }) => type === 'result');
  program.stdin.end();
  const results = outputLines(await program.finished).filter(({ type }) => type === 'result');
  expect(results).toMatchObject([{ subtype: 'error_during_execution' }]);
});
