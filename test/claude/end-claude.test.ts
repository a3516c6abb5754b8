import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, expect, it } from 'vitest';
import { type EndKind, endClaude } from '../../src/claude/end-claude.ts';
import { isAlive, type ProcessMark, processMark } from '../../src/store/files/process-mark.ts';

const onLinux = process.platform === 'linux';
const started: ChildProcess[] = [];
const marks: ProcessMark[] = [];

afterEach(() => {
  for (const mark of marks.splice(0)) if (isAlive(mark)) process.kill(mark.pid, 'SIGKILL');
  for (const child of started.splice(0)) child.kill('SIGKILL');
});

/** Runs a shell, in a group of its own unless told otherwise, until it has named what it has started. */
async function start(script: string, detached = true): Promise<{ leader: ProcessMark; others: ProcessMark[] }> {
  const child = spawn('sh', ['-c', script], { detached, stdio: ['ignore', 'pipe', 'inherit'] });
  started.push(child);
  const [said] = await once(child.stdout, 'data');
  const leader = processMark(child.pid ?? 0);
  const others = String(said).trim().split(/\s+/).filter(Boolean).map(Number).map(processMark);
  marks.push(...others);
  return { leader, others };
}

const IGNORES = "trap '' TERM;";

it.runIf(onLinux).each<{ title: string; script: string; graceMs: number; kind: EndKind }>([
  { title: 'one that ends when asked', script: 'echo; exec sleep 60', graceMs: 60_000, kind: 'ended' },
  { title: 'one with a child', script: 'sleep 60 & echo $!; wait', graceMs: 60_000, kind: 'ended' },
  { title: 'one that does not listen', script: `${IGNORES} echo; exec sleep 60`, graceMs: 100, kind: 'killed' },
  {
    title: 'one whose child does not listen',
    script: `sh -c "${IGNORES} echo \\$\\$; exec sleep 60" & wait`,
    graceMs: 100,
    kind: 'killed',
  },
])('$title: $kind', async ({ script, graceMs, kind }) => {
  const { leader, others } = await start(script);
  expect(await endClaude(leader, { graceMs })).toEqual({ kind, left: [] });
  expect([leader, ...others].filter(isAlive)).toEqual([]);
});

it.runIf(onLinux)('names processes outside of the group, and leaves them running', async () => {
  // claude runs a shell command in a session of its own; so does `setsid`, which then is the command.
  const { leader, others } = await start('setsid sh -c "echo \\$\\$; exec sleep 60" & wait');
  expect(await endClaude(leader)).toEqual({ kind: 'ended', left: others });
  expect(others.map(isAlive)).toEqual([true]);
});

it.runIf(onLinux)('ends a claude in the group of another process alone', async () => {
  const { leader, others } = await start('sleep 60 & echo $!; wait');
  const [member] = others;
  if (member === undefined) throw new Error('expected a member');
  expect(await endClaude(member)).toEqual({ kind: 'ended', left: [] });
  expect(isAlive(member)).toBe(false);
  // The shell was not signalled: it ended as its child did, without an error.
  const [shell] = started;
  if (shell?.exitCode === null) await once(shell, 'exit');
  expect(shell?.signalCode).toBeNull();
  expect(isAlive(leader)).toBe(false);
});

it.runIf(onLinux)('does nothing to another process with the same id', async () => {
  const { leader } = await start('echo; exec sleep 60');
  expect(await endClaude({ pid: leader.pid, start: '1' })).toEqual({
    kind: 'gone',
    left: [],
  });
  expect(isAlive(leader)).toBe(true);
});

it('does nothing when the mark cannot tell', async () => {
  const { leader } = await start('echo; exec sleep 60');
  expect(await endClaude({ pid: leader.pid })).toEqual({ kind: 'unsure', left: [] });
  expect(isAlive({ pid: leader.pid })).toBe(true);
});

it('reports that it has ended', async () => {
  const child = spawn('true');
  const mark = processMark(child.pid ?? 0);
  await once(child, 'exit');
  expect(await endClaude(mark)).toEqual({ kind: 'gone', left: [] });
});
