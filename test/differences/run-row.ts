import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Finished, runProgram, startProgram, startWorld, type World } from '../support/claude.ts';
import { CTXB } from '../support/ctxb.ts';
import type { RecordedRequest, Scenario } from '../support/standin/scenario.ts';
import type { Row } from './row.ts';

/** What could be seen of one invocation from outside. */
export interface Seen {
  readonly stdout: string;
  /** Of claude: what ctxb itself says is left out. */
  readonly stderr: string;
  readonly exit: number | string;
  readonly requests: readonly RecordedRequest[];
  /** The folder that everything of the run was in, and where the API was. */
  readonly folder: string;
  readonly url: string;
}

const HELLO: Scenario = { calls: [{ text: 'Hi there' }] };

/** Makes the invocation in a world of its own. */
export async function runRow(row: Row, how: 'alone' | 'with ctxb'): Promise<Seen> {
  await using world = await startWorld(row.scenario ?? HELLO);
  const { cwd } = world.scratch;
  for (const [path, text] of Object.entries(row.files ?? {})) write(join(cwd, path), text);
  for (const args of row.before ?? []) await runProgram(world.claude, args, surroundings(world, row));
  const first = world.standin.requests.length;
  const finished = await invoke(world, row, how === 'alone' ? [] : [process.execPath, CTXB, 'run', '--']);
  return {
    stdout: finished.stdout.toString(),
    stderr: finished.stderr.replace(/^ctxb: .*\n/gm, ''),
    exit: finished.code ?? finished.signal ?? '',
    requests: world.standin.requests.slice(first),
    folder: dirname(cwd),
    url: world.standin.url,
  };
}

async function invoke(world: World, row: Row, front: readonly string[]): Promise<Finished> {
  const shell = row.shell === undefined ? [] : ['bash', '-c', row.shell, 'bash'];
  const [command = '', ...args] = [...shell, ...front, world.claude, ...row.claude];
  const options = { ...surroundings(world, row), group: true };
  const program = startProgram(command, args, options);
  if (row.stdin !== undefined) program.stdin.write(row.stdin);
  await row.during?.(program, world);
  program.stdin.end();
  return program.finished;
}

function surroundings({ scratch }: World, { env }: Row) {
  return { env: { ...scratch.env, ...env }, cwd: scratch.cwd };
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
