import { chmod, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { ALL_CHECKS } from '../../src/doctor/all-checks.ts';
import { runProgram, startWorld, type World } from '../support/claude.ts';
import { CTXB } from '../support/ctxb.ts';

const ODD_CLAUDE = fileURLToPath(new URL('../../fixtures/programs/odd-claude.mjs', import.meta.url));

function doctor({ scratch }: World, args: readonly string[]) {
  const env = { ...scratch.env, ANTHROPIC_BASE_URL: '' };
  return runProgram(process.execPath, [CTXB, 'doctor', ...args], { env, cwd: scratch.cwd });
}

it('every fact holds for the pinned claude, nothing is written outside of a folder that is removed, no API is called', async () => {
  await using world = await startWorld({ calls: [] });
  const run = await doctor(world, ['--claude', world.claude, '--timeout', '85', '--strict', '--json']);
  const { claude, context, facts, surroundings, remarks } = JSON.parse(run.stdout.toString());

  expect(facts.filter(({ status }: { status: string }) => status !== 'holds')).toEqual([]);
  expect(facts).toHaveLength(ALL_CHECKS.length);
  expect(claude).toEqual({ path: world.claude, version: '2.1.197' });
  expect(context.window).toBeGreaterThanOrEqual(200_000);
  expect(context.prefix).toBeGreaterThan(5_000);
  expect([...surroundings, ...remarks].map(({ status }: { status: string }) => status)).not.toContain('fault');
  expect(remarks.map(({ subject, status }: Record<string, string>) => `${subject} ${status}`)).toEqual([
    'version good',
    'thresholds good',
  ]);
  expect(run).toMatchObject({ code: 0, stderr: '' });

  const folders = [world.scratch.env.HOME, world.scratch.env.CLAUDE_CONFIG_DIR, world.scratch.env.TMPDIR];
  for (const folder of [...folders, world.scratch.cwd]) expect(await readdir(folder ?? '')).toEqual([]);
  expect(world.standin.requests).toEqual([]);
});

it.each([
  { oddity: 'no replay mark', only: 'replayed-prompt', flags: [], code: 0 },
  { oddity: 'no replay mark', only: 'replayed-prompt', flags: ['--strict'], code: 3 },
])('a claude with "$oddity" and $flags: $code, with what ctxb does instead', async ({ oddity, only, flags, code }) => {
  await using world = await startWorld({ calls: [] });
  const claude = join(world.scratch.home, 'claude');
  await writeFile(claude, `#!/bin/sh\nexec '${process.execPath}' '${ODD_CLAUDE}' '${world.claude}' '${oddity}' "$@"\n`);
  await chmod(claude, 0o755);
  const run = await doctor(world, ['--claude', claude, '--timeout', '85', '--only', only, ...flags]);
  const check = ALL_CHECKS.find(({ name }) => name === only);
  expect(run.stdout.toString()).toContain(`✗ ${check?.fact} (${only})\n      seen: `);
  expect(run.stdout.toString()).toContain(`      ctxb: ${check?.instead}\n`);
  expect(run.stdout.toString()).toMatch(/1 of 2 facts hold for claude 2\.1\.197 \(\d/);
  expect(run.code).toBe(code);
});
