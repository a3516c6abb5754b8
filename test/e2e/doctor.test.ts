import { chmod, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { NEWEST_CLAUDE } from '../../src/claude/supported-versions.ts';
import { FACTS } from '../../src/doctor/facts.ts';
import { runProgram, startWorld, type World } from '../support/claude.ts';
import { CTXB } from '../support/ctxb.ts';
import { inSoak, sampled } from '../support/size.ts';

const ODD_CLAUDE = fileURLToPath(new URL('../../fixtures/programs/odd-claude.mjs', import.meta.url));

function doctor({ scratch }: World, args: readonly string[]) {
  const env = { ...scratch.env, ANTHROPIC_BASE_URL: '' };
  return runProgram(process.execPath, [CTXB, 'doctor', ...args], { env, cwd: scratch.cwd });
}

/** As it says itself: `2.1.197 (Claude Code)`. */
async function versionOf({ claude, scratch: { env, cwd } }: World): Promise<string | undefined> {
  return (await runProgram(claude, ['--version'], { env, cwd })).stdout.toString().split(' ')[0];
}

it('every fact holds for the pinned claude; the check leaves no file and calls no API', async () => {
  await using world = await startWorld({ calls: [] });
  const run = await doctor(world, ['--claude', world.claude, '--strict', '--json']);
  const { claude, context, facts, surroundings, remarks } = JSON.parse(run.stdout.toString());

  expect(facts.filter(({ status }: { status: string }) => status !== 'holds')).toEqual([]);
  expect(facts).toHaveLength(FACTS.length);
  expect(claude).toEqual({ path: world.claude, version: await versionOf(world) });
  expect(context.window).toBeGreaterThanOrEqual(200_000);
  expect(context.prefix).toBeGreaterThan(5_000);
  expect([...surroundings, ...remarks].map(({ status }: { status: string }) => status)).not.toContain('fault');
  expect(remarks.map(({ subject, status }: Record<string, string>) => `${subject} ${status}`)).toEqual([
    // Of another version than ctxb was measured with, that is to be read.
    `version ${claude.version === NEWEST_CLAUDE ? 'good' : 'warning'}`,
    'thresholds good',
  ]);
  expect(run).toMatchObject({ code: 0, stderr: '' });

  const folders = [world.scratch.env.HOME, world.scratch.env.CLAUDE_CONFIG_DIR, world.scratch.env.TMPDIR];
  for (const folder of [...folders, world.scratch.cwd]) expect(await readdir(folder ?? '')).toEqual([]);
  expect(world.standin.requests).toEqual([]);
});

inSoak.each(
  sampled([
    { oddity: 'no mods', fails: 'compact-exact', flags: [], code: 0 },
    { oddity: 'no mods', fails: 'compact-exact', flags: ['--strict'], code: 3 },
  ]),
)('a claude with "$oddity" and $flags: $code, with what ctxb does instead', async ({ oddity, fails, flags, code }) => {
  await using world = await startWorld({ calls: [] });
  const claude = join(world.scratch.home, 'claude');
  await writeFile(claude, `#!/bin/sh\nexec '${process.execPath}' '${ODD_CLAUDE}' '${world.claude}' '${oddity}' "$@"\n`);
  await chmod(claude, 0o755);
  const run = await doctor(world, ['--claude', claude, ...flags]);
  const check = FACTS.find(({ name }) => name === fails);
  expect(run.stdout.toString()).toContain(`✗ ${check?.fact} (${fails})\n      seen: `);
  expect(run.stdout.toString()).toContain(`      ctxb: ${check?.fallback}\n`);
  expect(run.code).toBe(code);
});

/** One that needs so long before it says anything. */
async function slowClaude({ claude, scratch: { home } }: World, seconds: number): Promise<string> {
  const path = join(home, 'claude');
  await writeFile(path, `#!/bin/sh\nsleep ${seconds}\nexec '${claude}' "$@"\n`);
  await chmod(path, 0o755);
  return path;
}

inSoak('gives a slow machine the time that it needs', { timeout: 240_000 }, async () => {
  await using world = await startWorld({ calls: [] });
  const run = await doctor(world, ['--claude', await slowClaude(world, 12), '--strict']);
  expect(run.stdout.toString()).toContain(
    `${FACTS.length} of ${FACTS.length} facts hold for claude ${await versionOf(world)} (`,
  );
  expect(run).toMatchObject({ code: 0, stderr: '' });
});

inSoak('a fact that takes too long is unknown, which is no fault', async () => {
  await using world = await startWorld({ calls: [] });
  const run = await doctor(world, ['--claude', await slowClaude(world, 30), '--timeout', '6']);
  expect(run.stdout.toString()).not.toContain('✗');
  expect(run.stdout.toString()).toContain('waited for 2 s: give a slow machine more time with --timeout 12\n');
  expect(run.stdout.toString()).toContain(`, ${FACTS.length} not known (`);
  expect(run).toMatchObject({ code: 0, stderr: '' });
});
