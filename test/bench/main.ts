import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { benchBesideClaude } from './beside-claude.ts';
import { benchHookAnswers } from './hook-answers.ts';
import { benchLatency } from './latency.ts';
import { benchMasking } from './masking.ts';
import { benchMemory } from './memory.ts';
import { benchPacks } from './packs.ts';
import { benchReading } from './reading.ts';
import { benchStartUp } from './start-up.ts';

const folder = mkdtempSync(join(tmpdir(), 'ctxb-bench-'));
/** A folder for one part: parts may give their files the same names. */
const own = () => mkdtempSync(join(folder, 'part-'));
const ctxb = join(process.cwd(), 'dist', 'ctxb.cjs');
// Built from scratch: NODE_EXTRA_CA_CERTS and the like in the user's environment slow down every start of Node.
const env = { PATH: process.env.PATH ?? '', HOME: folder };

/** All of them, or those named on the command line. */
const parts: Readonly<Record<string, () => unknown>> = {
  'start-up': () => benchStartUp(own(), ctxb, env),
  'beside-claude': benchBesideClaude,
  latency: () => benchLatency(own(), ctxb, env),
  'hook-answers': () => benchHookAnswers(own(), ctxb, env),
  memory: benchMemory,
  masking: benchMasking,
  packs: benchPacks,
  reading: () => benchReading(own(), ctxb, env),
};
const named = process.argv.slice(2);
try {
  for (const [name, bench] of Object.entries(parts)) if (named.length === 0 || named.includes(name)) await bench();
} finally {
  rmSync(folder, { recursive: true, force: true });
}
