import { chmodSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { nameOf } from '../../src/core/governor/decisions.ts';
import type { HookName } from '../../src/core/governor/effects.ts';
import { openContextDir } from '../../src/store/folders/context-dir.ts';
import { runProgram, type World } from '../support/claude.ts';
import { mainRequests } from '../support/conversation.ts';
import { CTXB, journal, prompts, SMALL_WINDOW } from '../support/ctxb.ts';
import { runInProcess } from '../support/in-process.ts';
import { linesOf, newestWords } from '../support/results.ts';
import { inSoak, sampled } from '../support/size.ts';
import { bash, configure, file, given, numbered, read, runTools, startCaller } from '../support/tool-agents.ts';

const LONG = numbered(1_000);
/** As much as a command may give before claude itself stores it. */
const OUTPUT = numbered(700);

const SMALL = { perCall: 2_000 };

it('claude reads the whole file when the PreToolUse hook throws', async () => {
  await using world = await startCaller((cwd) => [read(`${cwd}/long.txt`)]);
  file(world, 'long.txt', LONG);
  const { code, stdout, stderr } = await runInProcess(world, only('PreToolUse'));

  expect({ code, stdout }).toEqual({ code: 0, stdout: 'done\n' });
  expect(stderr).toMatch(/hook PreToolUse: .*claude continues without it/);
  expect(linesOf(given(world)[0] ?? '')).toHaveLength(1_001);
});

inSoak('passes a result whole when the PostToolUse hook throws', async () => {
  await using world = await startCaller(() => [bash('cat output.txt')]);
  file(world, 'output.txt', OUTPUT);
  const { code, stdout, stderr } = await runInProcess(world, only('PostToolUse'), SMALL);

  expect({ code, stdout }).toEqual({ code: 0, stdout: 'done\n' });
  expect(stderr).toMatch(/hook PostToolUse: .*claude continues without it/);
  expect(`${given(world)[0]}\n`).toBe(OUTPUT);
});

it.each(
  sampled([
    { hook: 'PreToolUse', steps: [read('output.txt'), read('other.txt')] },
    { hook: 'PostToolUse', steps: [bash('cat output.txt'), bash('cat other.txt')] },
  ]),
)('one failed answer to $hook does not switch tool budgets off', async ({ hook, steps }) => {
  await using world = await startCaller(() => steps);
  for (const name of ['output.txt', 'other.txt']) file(world, name, OUTPUT);
  let failed = false;
  const { stderr } = await runInProcess(world, failOnce, SMALL);

  const [whole = '', cut = ''] = given(world);
  expect(whole).toContain('700: words of this line');
  expect(stderr).not.toContain('tool budgets are off');
  expect(cut.length).toBeLessThan(OUTPUT.length / 2);

  function failOnce(asked: HookName): void {
    if (asked !== hook || failed) return;
    failed = true;
    throw new Error('broken on purpose');
  }
});

it.each(
  sampled([
    {
      name: 'leads elsewhere',
      inTheWay: (path: string, world: World) => {
        mkdirSync(join(world.scratch.cwd, 'elsewhere'));
        symlinkSync(join(world.scratch.cwd, 'elsewhere'), path);
      },
    },
    { name: 'is a file', inTheWay: (path: string) => writeFileSync(path, 'mine') },
  ]),
)('passes results whole, and says so once, if their folder $name', async ({ inTheWay }) => {
  await using world = await startPrinters();
  openContextDir(join(world.scratch.cwd, '.context'));
  inTheWay(join(world.scratch.cwd, '.context', 'tool-results'), world);
  const { code, stderr } = await runTools(world);

  expectWhole(world, { code, stderr });
  expect(readdirSync(world.scratch.cwd)).not.toContain('toolu_standin_0001.txt');
});

inSoak('passes results whole, and says so once, if the disk is full', async () => {
  await using world = await startPrinters();
  // The limit is for ctxb: claude lifts it for itself.
  const claude = file(world, 'unlimited-claude', `#!/bin/bash\nulimit -S -f unlimited; exec '${world.claude}' "$@"\n`);
  chmodSync(claude, 0o700);
  const limited = ['-c', 'ulimit -S -f 20; exec "$@"', 'bash', process.execPath, CTXB];
  const args = ['run', ...prompts('go'), '--', claude, ...SMALL_WINDOW];
  const { env, cwd } = world.scratch;
  const { code, stderr } = await runProgram('bash', [...limited, ...args], { env, cwd });

  expectWhole(world, { code, stderr });
  expect(readdirSync(join(world.scratch.cwd, '.context', 'tool-results'))).toEqual([]);
});

inSoak('leaves an unreadable file to claude', async () => {
  await using world = await startCaller(() => [read('/dev/null'), read('/dev/zero'), read('/proc/self/status')]);
  const { code } = await runTools(world);

  expect(code).toBe(0);
  expect(given(world)).toHaveLength(3);
  expect(journal(world).filter((one) => nameOf(one) === 'tool-budget:call')).toEqual([]);
});

function only(wanted: HookName) {
  return (hook: HookName) => {
    if (hook === wanted) throw new Error('broken on purpose');
  };
}

/** Two results that are too large. */
async function startPrinters() {
  const world = await startCaller(() => [bash('cat output.txt'), bash('cat output.txt; true')]);
  file(world, 'output.txt', OUTPUT);
  configure(world, { tools: SMALL });
  return world;
}

function expectWhole(world: World, { code, stderr }: { code: number | null; stderr: string }): void {
  expect(code).toBe(0);
  expect(given(world).map((result) => `${result}\n`)).toEqual([OUTPUT, OUTPUT]);
  expect(stderr.match(/results of tools are not cut, as they cannot be stored/g)).toHaveLength(1);
  expect(newestWords(mainRequests(world.standin).at(-1))).not.toContain('ctxb cut');
}
