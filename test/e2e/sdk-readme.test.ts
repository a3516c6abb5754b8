import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { runProgram, startWorld, type World } from '../support/claude.ts';
import { installCtxb, journalLines } from '../support/ctxb.ts';
import { PAGES } from '../support/pages.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const [WITH_SHIM = '', WITH_SPAWN = ''] = programsOf('docs/programs.md');

function programsOf(page: string): string[] {
  return [...(PAGES.get(page) ?? '').matchAll(/```js\n([\s\S]*?)```/g)].map(([, block = '']) => block);
}

/** A folder with the SDK, and ctxb and claude on PATH. */
function install({ scratch, claude }: World): Record<string, string> {
  const bin = join(scratch.home, 'bin');
  mkdirSync(bin);
  symlinkSync(claude, join(bin, 'claude'));
  installCtxb(bin);
  symlinkSync(join(ROOT, 'node_modules'), join(scratch.cwd, 'node_modules'));
  return { ...scratch.env, PATH: `${bin}:${process.env.PATH}` };
}

it.each([
  // The SDK keeps what such a program says on stderr.
  { title: 'pathToClaudeCodeExecutable', program: WITH_SHIM, says: /^$/ },
  {
    title: 'spawnClaudeCodeProcess',
    // Named, so that the claude which comes with the SDK is not run.
    program: WITH_SPAWN.replace('spawnClaudeCodeProcess', "pathToClaudeCodeExecutable: 'claude', $&"),
    says: /^ctxb: 1 turn, 1 call .*\n$/,
  },
])('the program with $title runs as it is written, under ctxb', async ({ program, says }) => {
  await using world = await startWorld({ calls: [{ text: 'hello from the model' }] });
  const env = install(world);
  const { cwd } = world.scratch;
  writeFileSync(join(cwd, 'program.mjs'), program);
  const run = await runProgram(process.execPath, ['program.mjs'], { env, cwd });
  expect(run).toMatchObject({ code: 0, stderr: expect.stringMatching(says) });
  expect(run.stdout.toString()).toBe('hello from the model\n');
  expect(journalLines(world).map(({ kind }) => kind)).toContain('end');
});

it('the programs compile as strict TypeScript', async () => {
  await using world = await startWorld({ calls: [] });
  const env = install(world);
  const { cwd } = world.scratch;
  const programs = [WITH_SHIM, WITH_SPAWN].map((program, at) => ({ program, file: `program-${at}.mts` }));
  for (const { program, file } of programs) writeFileSync(join(cwd, file), program);
  const strict = ['--strict', '--exactOptionalPropertyTypes', '--noUncheckedIndexedAccess', '--types', 'node'];
  const options = ['--noEmit', '--skipLibCheck', '--module', 'nodenext', '--target', 'es2023', ...strict];
  const words = [...options, ...programs.map(({ file }) => file)];
  const run = await runProgram(join(ROOT, 'node_modules/.bin/tsc'), words, { env, cwd });
  expect({ code: run.code, said: run.stdout.toString() }).toEqual({ code: 0, said: '' });
});
