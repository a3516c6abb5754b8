import { cpSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { runProgram, startWorld } from '../support/claude.ts';
import { NO_MODS, placeMod, runsMods } from '../support/exact.ts';

interface Validated {
  readonly success: boolean;
  readonly contents: readonly { readonly modules: readonly { readonly uses: object }[] }[];
}

it('claude finds nothing wrong with the mod, and sees what it uses', async ({ signal, skip }) => {
  await using world = await startWorld({ calls: [] });
  if (!(await runsMods(world))) skip(NO_MODS);
  const { env, cwd } = world.scratch;
  const place = placeMod(world.scratch.home);
  const args = ['plugin', 'validate', place, '--strict', '--json'];
  const { stdout, code } = await runProgram(world.claude, args, { env, cwd, signal });
  const { success, contents } = JSON.parse(stdout.toString()) as Validated;
  expect({ code, success }).toEqual({ code: 0, success: true });
  expect(contents.flatMap(({ modules }) => modules.map(({ uses }) => uses))).toEqual([
    {
      events: ['session.start', 'prompt.submit', 'session.compact'],
      calls: ['fs.read', 'fs.write'],
      ...{ env: { reads: [], writes: [] }, state: { reads: [], writes: [] }, hosts: { named: [], unread: [] } },
    },
  ]);
});

it('claude runs the tests of the mod', async ({ signal, skip }) => {
  await using world = await startWorld({ calls: [] });
  if (!(await runsMods(world))) skip(NO_MODS);
  const { env, cwd } = world.scratch;
  const place = placeMod(world.scratch.home);
  mkdirSync(join(place, 'tests'));
  cpSync('fixtures/mod/register.test.ts', join(place, 'tests/register.test.ts'));
  const { stdout, stderr, code } = await runProgram(world.claude, ['plugin', 'test', place], { env, cwd, signal });
  expect({ code, said: `${stdout}${stderr}` }).toEqual({ code: 0, said: expect.stringContaining('\n 0 fail\n') });
});
