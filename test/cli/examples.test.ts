import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import type { Command } from 'commander';
import { expect, it } from 'vitest';
import { createProgram } from '../../src/cli/main.ts';

/** The program with all of its commands; what they would do is replaced. Also what it has written. */
async function inertProgram(action: () => void = () => {}): Promise<{ program: Command; written: PassThrough }> {
  const written = new PassThrough();
  const io = { stdin: new PassThrough(), stdout: written, stderr: written, env: {}, cwd: '/' };
  const { commands: named } = await createProgram(io, [], true, () => {});
  const names = named.map((command) => command.name());
  const program = await createProgram(io, names, true, () => {});
  for (const command of leaves(program)) command.action(action);
  return { program, written };
}

/** Commands that are called, also beside commands of their own. */
function leaves(command: Command): Command[] {
  const isCalled = command.commands.length === 0 || command.registeredArguments.length > 0;
  return [...(isCalled ? [command] : []), ...command.commands.flatMap(leaves)];
}

/** Every command that does something, or has commands. */
function commands(command: Command): Command[] {
  return [command, ...command.commands.flatMap(commands)];
}

function pathOf(command: Command): string {
  return command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`;
}

/** What its help says, to the end. */
function helpOf(command: Command): string {
  let text = '';
  command.configureOutput({ writeOut: (part) => (text += part) });
  command.outputHelp();
  return text;
}

function examplesOf(command: Command): string[] {
  const [, examples = ''] = helpOf(command).split('\nExamples:\n');
  return examples
    .replace(/\\?\n {4}/g, ' ')
    .split('\n')
    .filter((line) => line.startsWith('  '))
    .map((line) => line.trim());
}

/** What a shell makes of the words behind each `ctxb` of the examples; nothing else of them is run. */
function argumentsIn(examples: readonly string[]): string[][] {
  const folder = mkdtempSync(join(tmpdir(), 'ctxb-examples-'));
  const places = ['.local/share/bash-completion/completions', '.zsh/completions', '.config/fish/completions', 'parts'];
  for (const place of places) mkdirSync(join(folder, place), { recursive: true });
  // A file a call: the two ends of a pipe run at the same time.
  const inert = `
    ctxb() { printf '%s\\0' "$@" > "$(mktemp "$HOME/calls/XXXXXXXX")"; }
    export -f ctxb
    claude() { :; }
    git() { :; }
    xargs() { :; }
    find() { :; }`;
  mkdirSync(join(folder, 'calls'));
  for (const name of ['a.part', 'b.part']) writeFileSync(join(folder, 'parts', name), '');
  const options = { cwd: folder, env: { PATH: process.env.PATH, HOME: folder }, input: '' };
  execFileSync('bash', ['-c', `${inert}\n${examples.join('\n')}`], options);
  const calls = readdirSync(join(folder, 'calls')).map((name) => readFileSync(join(folder, 'calls', name), 'utf8'));
  rmSync(folder, { recursive: true });
  return calls.map((words) => words.split('\0').slice(0, -1));
}

it('every command has examples', async () => {
  const { program } = await inertProgram();
  const own = commands(program).filter((command) => command.name() !== 'help' && command !== program);
  const without = own.filter((command) => !examplesOf(command).some((line) => line.includes(pathOf(command))));
  expect(without.map(pathOf)).toEqual([]);
});

it('no help text is wider than 80 columns', async () => {
  const { program } = await inertProgram();
  const wide = commands(program).flatMap((command) =>
    helpOf(command)
      .split('\n')
      .filter((line) => line.length > 80),
  );
  expect(wide).toEqual([]);
});

it('the parser accepts every example in the help', async () => {
  const { program } = await inertProgram();
  // What follows `ctxb shim` is claude's: no parser looks at it.
  const parsed = commands(program).filter((command) => command.name() !== 'shim');
  const examples = parsed.flatMap(examplesOf);
  const calls = argumentsIn(examples);
  expect(calls.length).toBeGreaterThanOrEqual(examples.length);
  for (const words of calls) {
    let called = 0;
    const { program: fresh, written } = await inertProgram(() => {
      called += 1;
    });
    const outcome = await fresh.parseAsync(words, { from: 'user' }).then(
      () => called,
      () => String(written.read()),
    );
    expect({ words, outcome }).toEqual({ words, outcome: 1 });
  }
});
