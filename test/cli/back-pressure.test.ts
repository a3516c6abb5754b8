import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { promptLine } from '../support/claude.ts';
import { CTXB, PROTOCOL } from '../support/ctxb.ts';
import { sampled, sized } from '../support/size.ts';
import { createPlace, fake, fakeArguments, startFake } from './fakes.ts';

it('passes a line on as soon as it is complete', async () => {
  await using place = await createPlace();
  const program = startFake(place, { fake: 'waits-in-line', claude: PROTOCOL });
  // The fake waits for the prompt in the middle of its second line, so this is there while nothing else can come.
  await program.waitForLine((line) => line.subtype === 'init');
  program.send(promptLine('go on'));
  await program.waitForLine((line) => line.type === 'assistant');
  await program.waitForLine((line) => line.type === 'result');
  program.stdin.end();
  expect(await program.finished).toMatchObject({ code: 0, stderr: '' });
});

const FLOOD_BYTES = sized(200_000_000, 300_000_000);
/** Node and the program take some 80 MB; with what passes, a program that kept it would be far above the bound. */
const MEMORY_BOUND_KB = 200_000;

it('lets a slow reader slow claude down, and loses nothing', async () => {
  await using place = await createPlace();
  const args = [CTXB, ...fakeArguments({ fake: 'floods', flags: ['--observe'], claude: PROTOCOL })];
  const env = { ...place.env, PLAY_BYTES: String(FLOOD_BYTES) };
  const child = spawn(process.execPath, args, { cwd: place.cwd, env, stdio: 'pipe' });
  let stderr = '';
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
    child.emit('said');
  });
  // Nothing reads stdout until the fake says that it is stuck.
  while (!stderr.includes('blocked at')) await once(child, 'said');
  const blockedAt = Number(/blocked at (\d+)/.exec(stderr)?.[1]);

  const hash = createHash('sha256');
  child.stdout.on('data', (chunk: Buffer) => hash.update(chunk));
  while (!stderr.includes('wrote')) await once(child, 'said');
  const peak = peakMemory(child.pid);
  child.stdin.end();
  const [code] = await once(child, 'close');

  expect(code).toBe(0);
  expect(blockedAt).toBeLessThan(5_000_000);
  expect(stderr).toContain(`wrote ${hash.digest('hex')}\n`);
  if (peak !== undefined) expect(peak).toBeLessThan(MEMORY_BOUND_KB);
});

it.each(
  sampled([
    { signal: 'SIGTERM', end: [143, null] },
    { signal: 'SIGINT', end: [null, 'SIGINT'] },
  ] as const),
)('$signal ends the run although nothing reads its output', async ({ signal, end }) => {
  await using place = await createPlace();
  const args = [CTXB, ...fakeArguments({ fake: 'floods', claude: PROTOCOL })];
  const env = { ...place.env, PLAY_BYTES: String(FLOOD_BYTES) };
  const child = spawn(process.execPath, args, { cwd: place.cwd, env, stdio: 'pipe' });
  for await (const chunk of child.stderr) if (String(chunk).includes('blocked at')) break;
  child.kill(signal);
  expect(await once(child, 'exit')).toEqual(end);
  child.stdout.destroy();
});

it('lets a claude that does not read slow the caller down', async () => {
  await using place = await createPlace();
  const args = [CTXB, ...fakeArguments({ fake: 'never-reads', claude: PROTOCOL })];
  const child = spawn(process.execPath, args, { cwd: place.cwd, env: place.env, stdio: ['pipe', 'pipe', 'ignore'] });
  child.stdin.on('error', () => {});
  await once(child.stdout, 'data');
  const line = `${JSON.stringify({ type: 'keep_alive', text: 'x'.repeat(20_000) })}\n`;
  let taken = 0;
  while (taken < 20_000_000 && (await isTaken(child.stdin, line))) taken += line.length;
  child.kill('SIGTERM');
  await once(child, 'exit');
  expect(taken).toBeLessThan(5_000_000);
});

/** Whether a stream takes a text within two seconds. */
async function isTaken(stream: Writable, text: string): Promise<boolean> {
  const written = new Promise<boolean>((resolve) => stream.write(text, (error) => resolve(!error)));
  return Promise.race([written, delay(2_000, false)]);
}

/** The most memory a process ever had, in KB; undefined where the system does not tell. */
function peakMemory(pid: number | undefined): number | undefined {
  if (process.platform !== 'linux') return undefined;
  return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
}

it.each([
  { title: 'stream-json', flags: [] },
  { title: 'only observed', flags: ['--observe'] },
])('finishes the work although the reader has gone: $title', async ({ flags }) => {
  await using place = await createPlace();
  const command = [process.execPath, CTXB, ...fakeArguments({ fake: 'answers', flags, claude: PROTOCOL })];
  const shell = spawn('bash', ['-c', 'set -o pipefail; "$@" | head -1', 'bash', ...command], {
    cwd: place.cwd,
    env: { ...place.env, PLAY_INPUT: place.path('input') },
    stdio: 'pipe',
  });
  const ended = once(shell, 'close');
  shell.stdin.write(`${JSON.stringify(promptLine('one'))}\n`);
  const [first] = await once(shell.stdout, 'data');
  shell.stdin.end(`${JSON.stringify(promptLine('two'))}\n`);

  expect(await ended).toEqual([0, null]);
  expect(JSON.parse(String(first))).toHaveProperty('type');
  expect(readFileSync(place.path('input'), 'utf8')).toContain('"two"');
});

it('says nothing when the reader of a long text is gone', async () => {
  await using place = await createPlace();
  const said = await place.file(
    'said',
    `${JSON.stringify({ type: 'result', subtype: 'success', result: 'x\n'.repeat(1_000_000) })}\n`,
  );
  const command = [process.execPath, CTXB, 'run', '--quiet', '--prompt', 'go', '--', fake('writes-file')];
  const shell = spawn('sh', ['-c', '{ "$@"; echo "$?" >&2; } | head -1', 'sh', ...command], {
    cwd: place.cwd,
    env: { ...place.env, PLAY_FILE: said },
    stdio: 'pipe',
  });
  const [stdout, stderr] = await Promise.all([text(shell.stdout), text(shell.stderr)]);
  expect({ stdout, stderr }).toEqual({ stdout: 'x\n', stderr: '0\n' });
});
