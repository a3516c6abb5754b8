import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { promptLine, runProgram, startWorld, type World } from '../support/claude.ts';
import { conversation } from '../support/conversation.ts';
import { installCtxb, PROTOCOL, SMALL_WINDOW, startCtxb } from '../support/ctxb.ts';
import { DOCS, PAGES } from '../support/pages.ts';
import { firstOf } from '../support/size.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Commands for a checkout, and those that name a run or a file of the reader's own. */
const NOT_HERE = /^np[mx] |\b(?:3f2a|session\.jsonl)\b/;

/** What the steps of the documented flow make. */
const OUTPUTS = ['docs/search.md', 'src/search.ts', 'test/search.test.ts'];

/** Commands that speak to a run. */
const TELLS = /^ctxb note /;

const COMMANDS = commandsOf(DOCS);
/** Other pages go on with what it has made. */
const RECORDS = COMMANDS.find((command) => command.includes('--record')) ?? '';

const WITH_COMMANDS = [...PAGES]
  .map(([path, text]) => ({ path, commands: commandsOf(text).filter((command) => !NOT_HERE.test(command)) }))
  .filter(({ commands }) => commands.length > 0);

it.each(firstOf(WITH_COMMANDS))(
  'every command of $path runs as it is written, in order, in one folder',
  async ({ commands }) => {
    await using world = await startWorld(conversation({ turns: Array(20).fill(1), growBy: 1_000 }));
    const env = await newcomersShell(world);
    const records = commands.some((command) => command.includes('--record '));
    for (const command of records ? commands : [RECORDS, ...commands]) {
      const say = () => runProgram('/bin/sh', ['-c', `(${command}) </dev/null`], { env, cwd: world.scratch.cwd });
      const run = await situationOf(command)(world, say);
      expect({ command, code: run.code, stderr: run.stderr }).toMatchObject({ command, code: 0 });
      expect(run.stderr).not.toMatch(/error|bug/i);
    }
  },
);

it('the README has commands to run', () => {
  expect(COMMANDS.length).toBeGreaterThan(40);
});

it('the documented notes are those that the command prints', async () => {
  const command = COMMANDS.find((command) => /^ctxb scratch \S/.test(command)) ?? '';
  const [, shown = ''] = /```text\n(# Working memory[\s\S]*?)```/.exec(DOCS) ?? [];
  await using world = await startWorld({ calls: [] });
  const env = await newcomersShell(world);
  const { stdout } = await runProgram('/bin/sh', ['-c', command], { env, cwd: world.scratch.cwd });
  const [head = '', rest = ''] = shown.split('[…]\n');
  expect(stdout.toString().startsWith(head)).toBe(true);
  expect(stdout.toString().endsWith(rest)).toBe(true);
});

it.each(COMMANDS.filter((command) => command.startsWith('npm ')))('%s names scripts that exist', (command) => {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const named = [...command.matchAll(/npm (?:run )?([\w-]+)/g)].map(([, name = '']) => name);
  const own = ['ci', 'link', 'install'];
  expect(named.filter((name) => !own.includes(name) && !(name in scripts))).toEqual([]);
});

function commandsOf(text: string): string[] {
  return [...text.matchAll(/```sh\n([\s\S]*?)```/g)].flatMap(([, block = '']) => block.trim().split('\n'));
}

type Situation = <T>(world: World, work: () => Promise<T>) => Promise<T>;

/** Most commands need none. */
function situationOf(command: string): Situation {
  if (TELLS.test(command)) return duringRun;
  return command.includes('--resume-run') ? afterKill : (_, work) => work();
}

/** Does something after the ctxb of a run was killed. */
async function afterKill<T>(world: World, work: () => Promise<T>): Promise<T> {
  const run = startCtxb(world, { claude: [...SMALL_WINDOW, ...PROTOCOL] });
  run.send(promptLine('begin'));
  await run.waitForLine(({ type }) => type === 'assistant');
  run.kill('SIGKILL');
  await run.finished;
  return work();
}

/** Does something while a run goes on in the folder. */
async function duringRun<T>(world: World, work: () => Promise<T>): Promise<T> {
  const run = startCtxb(world, { claude: PROTOCOL });
  run.send(promptLine('begin'));
  await run.waitForLine(({ type }) => type === 'result');
  const done = await work();
  run.stdin.end();
  await run.finished;
  return done;
}

/** A shell as a newcomer has it: ctxb and claude on PATH, a repository, our fixtures, and logs of earlier sessions. */
async function newcomersShell({ scratch, claude }: World): Promise<Record<string, string>> {
  const bin = join(scratch.home, 'bin');
  mkdirSync(bin);
  mkdirSync(join(scratch.home, '.claude'));
  symlinkSync(claude, join(bin, 'claude'));
  symlinkSync(join(ROOT, 'fixtures'), join(scratch.cwd, 'fixtures'));
  symlinkSync(join(scratch.env.CLAUDE_CONFIG_DIR ?? '', 'projects'), join(scratch.home, '.claude', 'projects'));
  installCtxb(bin);
  for (const output of OUTPUTS.map((path) => join(scratch.cwd, path))) {
    mkdirSync(dirname(output), { recursive: true });
    writeFileSync(output, 'made by a step\n');
  }
  const env = { ...scratch.env, PATH: `${bin}:${process.env.PATH}` };
  const commit = 'git init -q . && git -c user.name=n -c user.email=n@example.com commit -q --allow-empty -m first';
  await runProgram('/bin/sh', ['-c', commit], { env, cwd: scratch.cwd });
  return env;
}
