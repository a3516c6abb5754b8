import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { nameOf } from '../../src/core/governor/decisions.ts';
import { isAlive } from '../../src/store/files/process-mark.ts';
import { type Finished, runProgram, startWorld, type World } from '../support/claude.ts';
import { mainRequests, userTexts } from '../support/conversation.ts';
import {
  CTXB,
  journal,
  journalLines,
  outputLines,
  prompts,
  runCtxb,
  SMALL_WINDOW,
  startCtxb,
} from '../support/ctxb.ts';
import { expectEachPromptOnce, expectSameDecisions, kinds } from '../support/proof.ts';
import { inSoak } from '../support/size.ts';
import type { Call } from '../support/standin/scenario.ts';

const THREE = ['prompt one', 'prompt two\nwith two lines', 'prompt three'];
const STREAM = ['--output-format', 'stream-json', '--verbose'];

const CALLS: readonly Call[] = [
  { tools: [{ name: 'Bash', input: { command: 'touch one', description: 'One' } }], context: 30_000 },
  { tools: [{ name: 'Bash', input: { command: 'touch begun; sleep 100', description: 'Wait' } }], context: 31_000 },
  { text: 'answer 1', context: 32_000 },
  { text: 'answer 2', context: 33_000 },
  { text: 'answer 3', context: 34_000 },
];

function pidOfClaude(world: World): number {
  return Number(journalLines(world).findLast(({ kind }) => kind === 'start')?.pid);
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

/** Starts a run and waits until claude waits for its second tool. */
async function untilTool(world: World, flags: readonly string[] = []) {
  const run = startCtxb(world, { flags: [...prompts(...THREE), ...flags], claude: [...SMALL_WINDOW, ...STREAM] });
  run.stdin.end();
  await run.waitForLine((line) => line.type === 'assistant' && JSON.stringify(line).includes('sleep 100'));
  // claude writes its log a moment later, and asks our hook before it starts the tool.
  await vi.waitFor(() => expect(logged(world)).toContain('sleep 100'), { timeout: 30_000 });
  await vi.waitFor(() => expect(existsSync(join(world.scratch.cwd, 'begun'))).toBe(true), { timeout: 30_000 });
  return run;
}

it('restarts a claude that is killed in the middle of a tool; every prompt is answered once', async () => {
  await using world = await startWorld({ calls: CALLS });
  const record = join(world.scratch.cwd, 'run.ndjson');
  const run = await untilTool(world, ['--record', record]);
  process.kill(pidOfClaude(world), 'SIGKILL');
  const end = await run.finished;

  expect(end.code).toBe(0);
  expect(answers(end)).toEqual(['answer 1', 'answer 2', 'answer 3']);
  expect(kinds(world)).toEqual(['restart', 'resume']);
  const resumed = userTexts(mainRequests(world.standin)[2]).at(-1);
  expect(resumed).toContain('Bash touch begun; sleep 100');
  expect(resumed).toContain('Check what it has done before you run it again.');
  expectEachPromptOnce(world.standin, THREE);
  await expectSameDecisions(world, record);
});

inSoak('a restarted claude works in the same unnamed worktree', async () => {
  const dies = { tools: [{ name: 'Bash', input: { command: 'sleep 0.5; kill -9 $PPID', description: 'End' } }] };
  await using world = await startWorld({ calls: [dies, { text: 'answer 1' }] });
  const { cwd, env } = world.scratch;
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { cwd, env });
  git('init', '--quiet');
  git('commit', '--quiet', '--allow-empty', '--message', 'one');
  const run = await runCtxb(world, { flags: prompts('prompt one'), claude: [...SMALL_WINDOW, '--worktree'] });
  expect(run.stderr).toMatch(/SIGKILL; starting it again/);
  expect(run.stdout.toString()).toBe('answer 1\n');
  expect(readdirSync(join(cwd, '.claude', 'worktrees'))).toHaveLength(1);
});

inSoak('does not restart a claude that was ended on purpose', async () => {
  await using world = await startWorld({ calls: CALLS });
  const run = await untilTool(world);
  process.kill(pidOfClaude(world), 'SIGTERM');
  const end = await run.finished;
  expect(end.code).toBe(143);
  expect(kinds(world)).toEqual(['left-undone']);
  expect(end.stderr).toMatch(/claude was ended: 3 prompts not answered/);
});

inSoak('without a log of the session, says at the start that nothing can be resumed', async () => {
  await using world = await startWorld({ calls: CALLS.slice(2, 3) });
  const run = await runCtxb(world, {
    flags: prompts('prompt one'),
    claude: [...SMALL_WINDOW, '--no-session-persistence'],
  });
  expect(run.stderr).toMatch(/--no-session-persistence.* cannot be continued/);
  expect(run.stdout.toString()).toBe('answer 1\n');
});

it('--resume-run continues a run whose ctxb was killed', async () => {
  await using world = await startWorld({ calls: CALLS });
  const run = await untilTool(world);
  const claude = pidOfClaude(world);
  run.kill('SIGKILL');
  const killed = await run.finished;
  expect(killed.signal).toBe('SIGKILL');

  const takeUp = (...more: readonly string[]) =>
    runProgram(process.execPath, [CTXB, 'run', '--resume-run', ...more], {
      env: world.scratch.env,
      cwd: world.scratch.cwd,
    });
  const resumed = await takeUp();
  expect(resumed.code).toBe(0);
  expect(resumed.stderr).toMatch(
    new RegExp(`ended the claude of run \\S+ \\(process ${claude}\\), which had continued alone`),
  );
  expect(isAlive({ pid: claude })).toBe(false);
  expect([...answers(killed), ...answers(resumed)]).toEqual(['answer 1', 'answer 2', 'answer 3']);
  expectEachPromptOnce(world.standin, THREE);

  const again = await takeUp();
  expect(again.code).toBe(2);
  expect(again.stderr).toContain('no unfinished run');
  expect(journal(world).map(nameOf)).toContain('resume');
});

inSoak('--resume-run does not repeat a prompt that claude got before ctxb knew its session', async () => {
  await using world = await startWorld({ calls: [{ text: 'alone' }, { text: 'given again' }] });
  const { env, cwd } = world.scratch;
  const hook = { type: 'command', command: 'touch began; until test -e go; do sleep 0.05; done' };
  const settings = ['--settings', JSON.stringify({ hooks: { SessionStart: [{ hooks: [hook] }] } })];
  const run = startCtxb(world, { claude: [...SMALL_WINDOW, ...settings, '-p', 'said once'] });
  run.stdin.end();
  await vi.waitFor(() => expect(existsSync(join(cwd, 'began'))).toBe(true), { timeout: 30_000 });
  // From here on it reads nothing, and its claude works alone.
  run.kill('SIGSTOP');
  writeFileSync(join(cwd, 'go'), '');
  await vi.waitFor(() => expect(logged(world)).toContain('"alone"'), { timeout: 30_000 });
  run.kill('SIGKILL');
  await run.finished;
  expect(journalLines(world).map(({ kind }) => kind)).toEqual(['start']);

  const resumed = await runProgram(process.execPath, [CTXB, 'run', '--resume-run'], { env, cwd });
  expect(resumed.code).toBe(0);
  const beginnings = mainRequests(world.standin).filter((request) => userTexts(request).at(-1) === 'said once');
  expect(beginnings).toHaveLength(1);
  expect(resumed.stdout.toString()).toBe('given again\n');
});

inSoak('continues a session without a log from the notes', async () => {
  await using world = await startWorld({ calls: CALLS });
  const run = startCtxb(world, { flags: prompts(...THREE), claude: [...SMALL_WINDOW, ...STREAM] });
  run.stdin.end();
  await run.waitForLine((line) => line.type === 'assistant' && JSON.stringify(line).includes('sleep 100'));
  const claude = pidOfClaude(world);
  // ctxb looks for the log as soon as claude has ended, and one that runs may write it anew.
  process.kill(claude, 'SIGSTOP');
  const state = () => execFileSync('ps', ['-o', 'state=', '-p', String(claude)]).toString();
  await vi.waitFor(() => expect(state()).toMatch(/^T/), { timeout: 30_000 });
  rmSync(join(world.scratch.env.CLAUDE_CONFIG_DIR ?? '', 'projects'), { recursive: true, force: true });
  process.kill(claude, 'SIGKILL');
  const end = await run.finished;

  expect(end.code).toBe(0);
  expect(answers(end)).toEqual(['answer 1', 'answer 2', 'answer 3']);
  expect(kinds(world).slice(0, 3)).toEqual(['restart', 'handoff', 'handed-over']);
  const fresh = mainRequests(world.standin)[2];
  expect(JSON.stringify(fresh?.body.messages)).toContain('touch one');
  expect(userTexts(fresh).at(-1)).toBe('prompt one');
});
