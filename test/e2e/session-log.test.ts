import { existsSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { findSessionLog } from '../../src/claude/claude-folders.ts';
import { readSessionLog, type SessionLog } from '../../src/claude/claude-log.ts';
import { endClaude } from '../../src/claude/end-claude.ts';
import { isAlive, type ProcessMark, processMark } from '../../src/store/files/process-mark.ts';
import { type JsonLine, promptLine, startProgram, startWorld, type World } from '../support/claude.ts';
import { mainRequests, userTexts } from '../support/conversation.ts';
import { PROTOCOL, SMALL_WINDOW } from '../support/ctxb.ts';
import type { Call } from '../support/standin/scenario.ts';

const FIRST = '6f2f0a3e-0000-4000-8000-000000000001';
const SECOND = '6f2f0a3e-0000-4000-8000-000000000002';
const THIRD = '6f2f0a3e-0000-4000-8000-000000000003';

const bash = (command: string): Call => ({ tools: [{ name: 'Bash', input: { command, description: 'A command' } }] });
const WAITS = 'touch begun; until test -e go; do sleep 0.05; done';
/** As long as the test may take. */
const poll = <T>(look: () => T) => expect.poll(look, { timeout: 60_000 });
const isResult = ({ type }: JsonLine) => type === 'result';

/** claude, and the commands it leaves behind. */
const started: ProcessMark[] = [];

afterEach(() => {
  for (const { pid } of started.splice(0).filter(isAlive)) process.kill(pid, 'SIGKILL');
});

function start(world: World, more: readonly string[] = []) {
  const { env, cwd } = world.scratch;
  const program = startProgram(world.claude, [...SMALL_WINDOW, ...PROTOCOL, ...more], { env, cwd, group: true });
  started.push(processMark(program.pid ?? 0));
  return program;
}

/** What the log says at this moment; of a session that has none yet: undefined. */
function logOf(world: World, session: string): SessionLog | undefined {
  const path = findSessionLog({ id: session }, world.scratch);
  return path === undefined ? undefined : readSessionLog(path);
}

function rawLog(world: World, session: string): string {
  const path = findSessionLog({ id: session }, world.scratch);
  return path === undefined ? '' : readFileSync(path, 'utf8');
}

it('ends an orphan in the middle of a tool; the log shows its progress', async () => {
  await using world = await startWorld({ calls: [{ text: 'one' }, bash(WAITS), { text: 'two' }] });
  const program = start(world);
  program.send(promptLine('the first', { uuid: FIRST }));
  const { session_id } = await program.waitForLine(isResult);
  const session = String(session_id);
  await poll(() => logOf(world, session)).toMatchObject({ delivered: new Set([FIRST]), finished: true });

  program.send(promptLine('the second', { uuid: SECOND }));
  await poll(() => logOf(world, session)?.openTool).toEqual({ name: 'Bash', title: WAITS });
  await poll(() => existsSync(join(world.scratch.cwd, 'begun'))).toBe(true);
  expect(logOf(world, session)).toMatchObject({ delivered: new Set([FIRST, SECOND]), finished: false });

  const mark = processMark(program.pid ?? 0);
  const { kind, left } = await endClaude(mark);
  started.push(...left);
  await program.finished;
  expect(kind).toBe('ended');
  expect(logOf(world, session)).toMatchObject({ delivered: new Set([FIRST, SECOND]), finished: false });

  const next = start(world, ['--resume', session]);
  next.send(promptLine('go on', { uuid: THIRD }));
  expect((await next.waitForLine(isResult)).session_id).toBe(session);
  next.stdin.end();
  await next.finished;
  const log = logOf(world, session);
  expect([...(log?.delivered ?? [])]).toEqual(expect.arrayContaining([FIRST, SECOND, THIRD]));
  expect(log).toMatchObject({ finished: true, openTool: undefined });
  expect(userTexts(mainRequests(world.standin).at(-1)).filter((text) => text === 'the second')).toHaveLength(1);
});

it('a prompt into a running turn counts as delivered when the model gets it', async () => {
  await using world = await startWorld({ calls: [bash(WAITS), { text: 'heard' }] });
  const program = start(world);
  program.send(promptLine('the first', { uuid: FIRST }));
  const session = String((await program.waitForLine(({ type }) => type === 'assistant')).session_id);
  program.send(promptLine('and faster', { uuid: SECOND }));
  await poll(() => rawLog(world, session)).toContain('and faster');
  expect(logOf(world, session)?.delivered.has(SECOND)).toBe(false);

  await writeFile(join(world.scratch.cwd, 'go'), '');
  await program.waitForLine(isResult);
  await poll(() => logOf(world, session)).toMatchObject({ delivered: new Set([FIRST, SECOND]), finished: true });
  program.stdin.end();
  await program.finished;
});
