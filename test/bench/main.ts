import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { benchHookAnswers } from './hook-answers.ts';
import { benchLatency } from './latency.ts';
import { benchMemory } from './memory.ts';
import { benchPacks } from './packs.ts';
import { benchStartUp } from './start-up.ts';

const folder = mkdtempSync(join(tmpdir(), 'ctxb-bench-'));
const ctxb = join(process.cwd(), 'dist', 'ctxb.js');
// Built from scratch: NODE_EXTRA_CA_CERTS and the like in the user's environment slow down every start of Node.
const env = { PATH: process.env.PATH ?? '', HOME: folder };
try {
  await benchStartUp(folder, ctxb, env);
  await benchLatency(folder, ctxb, env);
  await benchHookAnswers(folder, ctxb, env);
  benchMemory();
  benchPacks();
} finally {
  rmSync(folder, { recursive: true, force: true });
}
