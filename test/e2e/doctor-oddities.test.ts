import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ALL_CHECKS, runChecks } from '../../src/doctor/run-checks.ts';
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
  {
    oddity: 'an id for each line + no modelUsage + no cost + exit code 7',
    fails: ['end-of-input', 'one-id-per-call', 'window-in-result', 'cost-in-result'],
  },
  {
    oddity: 'initialize refused + no rawMaxTokens + get_usage unknown',
    fails: ['control-channel', 'context-asked', 'cost-asked'],
  },
  { oddity: 'exit code 0 + no synthetic model', fails: ['exit-code-of-error', 'synthetic-error'] },
  { oddity: 'exit code 0', fails: ['sigterm-ends'] },
  { oddity: 'no limits', fails: ['usage-limit'] },
  { oddity: 'other uuids + context of 5', fails: ['prompt-in-session-log', 'context-of-resumed'] },
  { oddity: 'nothing resumed', fails: ['resume-after-kill', 'context-of-resumed'] },
  { oddity: 'no replay mark', fails: ['replayed-prompt'] },
  { oddity: 'no boundary', fails: ['compact-succeeds'] },
  { oddity: 'reload_plugins unknown', fails: ['mod-loads', 'compact-exact', 'exact-resumes'] },
  { oddity: 'no mods', fails: ['compact-exact', 'exact-resumes'] },
  { oddity: 'nothing resumed', fails: ['exact-resumes'] },
  {
    oddity: 'no status + nothing shows a reset + no systemMessage',
    fails: ['hook-pre-compact', 'compact-status', 'clear-forgets'],
  },
  { oddity: 'no session-start + no post-compact', fails: ['hook-session-start', 'hook-post-compact'] },
  { oddity: 'no compact_error', fails: ['compact-fails'] },
  { oddity: 'other words', fails: ['compact-empty'] },
  { oddity: 'other words', fails: ['commands-off'] },
  { oddity: 'trigger elsewhere', fails: ['trigger-moved'] },
  { oddity: 'no percentage', fails: ['trigger-lowered'] },
  { oddity: 'no reason', fails: ['prompt-too-long'] },
  { oddity: 'interrupt unknown', fails: ['interrupt-ends-turn'] },
  { oddity: 'deaf in mid-turn', fails: ['said-in-mid-turn'] },
  { oddity: 'deaf to the second', fails: ['prompts-together'] },
  { oddity: 'stop_task unknown', fails: ['task-stopped'] },
  { oddity: 'no user-prompt-submit + no updatedInput', fails: ['hook-user-prompt-submit', 'hook-pre-tool-use'] },
  {
    oddity: 'no updatedToolOutput + no post-tool-use-failure',
    fails: ['hook-post-tool-use', 'hook-post-tool-use-failure'],
  },
  { oddity: 'no reason', fails: ['hook-stops-turn'] },
  { oddity: 'errors block', fails: ['hook-error-proceeds'] },
  { oddity: 'no parent', fails: ['subagent-lines'] },
  { oddity: 'no budget', fails: ['budget-stops'] },
] as const;

it('every fact is broken once', () => {
  const broken = new Set<string>(ODDITIES.flatMap(({ fails }) => fails));
  expect(ALL_CHECKS.map(({ name }) => name).filter((name) => !broken.has(name))).toEqual([]);
});

it.concurrent.each(sampled(ODDITIES, 24))(
  'a claude with $oddity is found out by $fails alone',
  async ({ oddity, fails }) => {
    const [scene] = ALL_CHECKS.flatMap((check) => (check.name === fails[0] ? [check.scene] : []));
    const checks = ALL_CHECKS.filter((check) => check.scene === scene);
    const claude = join(root, `${fails[0]}.sh`);
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
  },
);
