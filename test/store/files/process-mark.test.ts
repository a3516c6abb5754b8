import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it } from 'vitest';
import { isAlive, processMark, readProcessMark } from '../../../src/store/files/process-mark.ts';

const onLinux = process.platform === 'linux';

it('recognizes this process as alive', () => {
  expect(isAlive(processMark(process.pid))).toBe(true);
  expect(isAlive({ pid: process.pid })).toBe(true);
});

it.runIf(onLinux)('distinguishes it from an earlier process with the same id', () => {
  expect(isAlive({ pid: process.pid, start: '1' })).toBe(false);
});

it.each([0, -1, 1.5, Number.NaN, 2 ** 31, Number.MAX_SAFE_INTEGER])('%d is not a living process', (pid) => {
  expect(isAlive({ pid })).toBe(false);
});

it('recognizes a killed process as ended', async () => {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
  await once(child, 'spawn');
  const mark = processMark(child.pid ?? 0);
  expect(isAlive(mark)).toBe(true);
  child.kill('SIGKILL');
  await once(child, 'exit');
  expect(isAlive(mark)).toBe(false);
});

it.runIf(onLinux)('treats a zombie as ended', async () => {
  const parent = spawn('sh', ['-c', 'sh -c "echo \\$\\$; read line" <&0 & exec cat >/dev/null']);
  const [data] = await once(parent.stdout, 'data');
  const mark = processMark(Number(String(data)));
  expect(mark.start).toBeDefined();
  process.kill(mark.pid, 'SIGKILL');
  await expect.poll(() => isAlive(mark)).toBe(false);
  // Its number is still taken, as cat does not wait for it.
  expect(process.kill(mark.pid, 0)).toBe(true);
  parent.stdin.end();
  await once(parent, 'exit');
});

it.each([
  { value: { pid: 1 }, mark: { pid: 1 } },
  { value: { pid: 1, start: '2', more: 3 }, mark: { pid: 1, start: '2' } },
  { value: { pid: 1, start: 2 }, mark: undefined },
  { value: { pid: '1' }, mark: undefined },
  { value: {}, mark: undefined },
  { value: null, mark: undefined },
  { value: 1, mark: undefined },
])('reads $value as $mark', ({ value, mark }) => {
  expect(readProcessMark(value)).toEqual(mark);
});
