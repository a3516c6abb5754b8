import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { lockUnfinishedRun, takeLock } from '../../../src/store/files/lock.ts';
import { processMark } from '../../../src/store/files/process-mark.ts';
import { openContextDir } from '../../../src/store/folders/context-dir.ts';

const RUN = '11111111-2222-4333-8444-555555555555';

let root: string;

beforeEach(() => {
  root = join(mkdtempSync(join(tmpdir(), 'ctxb-run-lock-')), '.context');
});
afterEach(() => rmSync(join(root, '..'), { recursive: true, force: true }));

/** Another process takes the run. */
function takenBy(pid: number): void {
  const folder = openContextDir(root, join('runs', RUN));
  takeLock(folder, 'other', processMark(pid));
}

it('refuses a run that another process holds, and names the process', () => {
  takenBy(process.ppid);
  expect(() => lockUnfinishedRun(root, RUN)).toThrow(
    `run ${RUN} is being resumed by process ${process.ppid}: end that first`,
  );
});

it('takes over the run of a dead process', async () => {
  const other = spawn(process.execPath, ['-e', 'process.stdin.resume()']);
  takenBy(other.pid ?? 0);
  expect(() => lockUnfinishedRun(root, RUN)).toThrow(`process ${other.pid}`);
  const ended = new Promise((resolve) => other.once('close', resolve));
  other.kill('SIGKILL');
  await ended;
  lockUnfinishedRun(root, RUN);
  expect(readdirSync(join(root, 'runs', RUN))).toHaveLength(1);
});

it('accepts a run that this process already holds', () => {
  lockUnfinishedRun(root, RUN);
  expect(() => lockUnfinishedRun(root, RUN)).not.toThrow();
});
