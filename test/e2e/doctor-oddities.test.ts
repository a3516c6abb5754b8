import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { FACTS } from '../../src/doctor/facts.ts';
import { runChecks } from '../../src/doctor/run-checks.ts';
import { testClaude } from '../support/claude.ts';
import { sampled } from '../support/size.ts';

const MOD = new URL('../../dist/mod/', import.meta.url);
const ODD_CLAUDE = fileURLToPath(new URL('../../fixtures/programs/odd-claude.mjs', import.meta.url));

let root = '';
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'ctxb-odd-'));
});
afterAll(() => rm(root, { recursive: true, force: true }));

/** What does not touch each other is broken in one go. */
const ODDITIES = [
  { oddity: 'other words in the result', fails: ['two-way-stream'] },
  { oddity: 'sums for usage', fails: ['usage-per-call'] },
  { oddity: 'no cost', fails: ['cost-in-result'] },
  { oddity: 'initialize refused + no rawMaxTokens', fails: ['control-channel', 'context-asked'] },
  { oddity: 'errors block', fails: ['hook-error-proceeds'] },
  { oddity: 'no updatedToolOutput', fails: ['hook-post-tool-use'] },
  { oddity: 'no boundary', fails: ['compact-succeeds'] },
  { oddity: 'nothing shows a reset + no session-start', fails: ['hook-session-start', 'clear-forgets'] },
  { oddity: 'reload_plugins unknown', fails: ['compact-exact'] },
  { oddity: 'no mods', fails: ['compact-exact'] },
  { oddity: 'trigger elsewhere', fails: ['trigger-moved'] },
  { oddity: 'nothing resumed', fails: ['resume-after-kill'] },
] as const;

it('each fact has an odd claude that breaks it', () => {
  const broken = new Set<string>(ODDITIES.flatMap(({ fails }) => fails));
  expect(FACTS.map(({ name }) => name).filter((name) => !broken.has(name))).toEqual([]);
});

it.concurrent.each(sampled(ODDITIES, 8))('a claude with $oddity fails only $fails', async ({ oddity, fails }) => {
  const [scene] = FACTS.flatMap((check) => (check.name === fails[0] ? [check.scene] : []));
  const checks = FACTS.filter((check) => check.scene === scene);
  const claude = join(root, `${oddity.replaceAll(/\W+/g, '-')}.sh`);
  await writeFile(
    claude,
    `#!/bin/sh\nexec '${process.execPath}' '${ODD_CLAUDE}' '${await testClaude()}' '${oddity}' "$@"\n`,
  );
  await chmod(claude, 0o755);
  const limits = { timeoutMs: undefined, stop: new AbortController().signal };
  const outcomes = await runChecks(checks, { claude, path: process.env.PATH, mod: MOD }, limits);

  const failed = outcomes.filter(({ status }) => status === 'fails');
  expect(failed.map(({ check, seen }) => `${check.name}: ${seen}`)).toEqual(
    fails.map((name) => expect.stringContaining(`${name}: `)),
  );
  expect(outcomes.map(({ status }) => status)).not.toContain('unknown');
});
