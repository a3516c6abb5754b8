import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { alternate, printRatios, sized } from './measure.ts';

const ROUNDS = sized(25);

/** What ctxb costs before claude runs, beside an empty program. */
export async function benchStartUp(folder: string, ctxb: string, env: Readonly<Record<string, string>>): Promise<void> {
  const empty = join(folder, 'empty.mjs');
  writeFileSync(empty, '');
  const fifo = join(folder, 'spawned.fifo');
  execFileSync('mkfifo', [fifo]);
  // Plays a claude whose first deed tells that it was spawned; the start of the shell is counted too.
  const claude = join(folder, 'claude');
  writeFileSync(claude, `#!/bin/sh\n: > '${fifo}'\n`);
  chmodSync(claude, 0o755);

  const start = (...args: string[]) => spawn(process.execPath, args, { env, cwd: folder, stdio: 'ignore' });
  const toEnd = async (...args: string[]) => {
    const begun = performance.now();
    await ended(start(...args));
    return performance.now() - begun;
  };
  const toSpawn = async () => {
    const begun = performance.now();
    const child = start(ctxb, 'run', '--', claude, '-p', 'hello');
    // Opening it for reading waits for the writer.
    const file = await open(fifo, 'r');
    const took = performance.now() - begun;
    await file.close();
    await ended(child);
    return took;
  };
  const samples = await alternate(
    {
      'an empty .mjs': () => toEnd(empty),
      'ctxb --version': () => toEnd(ctxb, '--version'),
      'ctxb run, to the start of claude': toSpawn,
    },
    ROUNDS,
  );
  printRatios(`Start-up, median of ${ROUNDS} alternating runs`, samples, 'ms');
}

function ended(child: ReturnType<typeof spawn>): Promise<void> {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', () => resolve());
  });
}
