import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { runProgram, startWorld } from '../support/claude.ts';
import { installCtxb } from '../support/ctxb.ts';
import { fixture } from '../support/recordings.ts';
import { inSoak } from '../support/size.ts';

inSoak('a failed gate ends a shell script with its exit code', async () => {
  await using world = await startWorld({ calls: [] });
  const { env, cwd, home } = world.scratch;
  const bin = join(home, 'bin');
  mkdirSync(bin);
  installCtxb(bin);
  const script = fileURLToPath(new URL('replay-gates.sh', import.meta.url));
  const run = await runProgram('/bin/sh', [script], {
    env: { ...env, PATH: `${bin}:${process.env.PATH}`, RECORDINGS: fixture('.') },
    cwd,
  });
  expect(run).toMatchObject({ code: 0, stderr: 'ctxb: gates passed: 1 session\n' });
  expect(run.stdout.toString()).toBe('passed\n');
});
