import { describe, it } from 'vitest';
import { type Finished, promptLine, runProgram, startWorld } from '../support/claude.ts';
import { PROTOCOL, runCtxb, SMALL_WINDOW } from '../support/ctxb.ts';
import { firstOf } from '../support/size.ts';
import type { Scenario } from '../support/standin/scenario.ts';
import { steps } from '../support/standin/scenario.ts';

interface Case {
  readonly name: string;
  readonly scenario?: Scenario;
  readonly claude: readonly string[];
  readonly stdin?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Options of ctxb. */
  readonly flags?: readonly string[];
}

const HELLO: Scenario = { calls: [{ text: 'Hi there', context: 20_000 }] };
const FIVE_STEPS: Scenario = { calls: steps({ count: 5, growBy: 1_000 }) };

/** A background command, the answer to it, and the answer to its end. */
function background(command: string): Scenario {
  const tool = { name: 'Bash', input: { command, run_in_background: true, description: 'Wait' } };
  return { calls: [{ tools: [tool], context: 20_000 }, { text: 'Started.' }, { text: 'It has ended.' }] };
}

/** Those that all versions of claude have, and what `differences` does not ask for. Each day, that file compares text. */
const CASES: readonly Case[] = [
  { name: 'stream-json', claude: ['-p', 'hello', '--output-format', 'stream-json', '--verbose'] },
  { name: 'text', claude: ['-p', 'hello'] },
  { name: 'too many turns', scenario: FIVE_STEPS, claude: ['-p', 'hello', '--max-turns', '1'] },
  {
    name: 'a prompt too long, where no relief is wanted',
    scenario: { calls: [{ error: { status: 400 } }] },
    flags: ['--no-compaction', '--no-handoff'],
    claude: ['-p', 'hello'],
    env: { DISABLE_AUTO_COMPACT: '1' },
  },
  {
    name: 'an API that is down',
    scenario: { calls: [{ error: { status: 500 } }] },
    claude: ['-p', 'hello'],
    env: { CLAUDE_CODE_MAX_RETRIES: '0' },
  },
  { name: 'json', claude: ['-p', 'hello', '--output-format', 'json'] },
  { name: 'lines on stdin', claude: PROTOCOL, stdin: `${JSON.stringify(promptLine('hello'))}\n` },
  {
    name: 'a background command that outlives the turn by far',
    scenario: background('sleep 15'),
    claude: ['-p', 'hello'],
  },
  {
    name: 'the same in json',
    scenario: background('sleep 15'),
    claude: ['-p', 'hello', '--output-format', 'json'],
  },
];

describe.concurrent('every output format', () => {
  it.for(firstOf(CASES))('$name: stdout and exit code are those of claude alone', async (test, { expect }) => {
    const [alone, wrapped] = await Promise.all([run(test, 'alone'), run(test, 'wrapped')]);
    expect(comparable(wrapped)).toEqual(comparable(alone));
  });
});

async function run(
  { scenario = HELLO, claude, stdin, env = {}, flags = [] }: Case,
  how: 'alone' | 'wrapped',
): Promise<Finished> {
  await using world = await startWorld(scenario);
  const args = [...SMALL_WINDOW, ...claude];
  const input = stdin === undefined ? {} : { stdin };
  if (how === 'wrapped') return await runCtxb(world, { flags, claude: args, env, ...input });
  return await runProgram(world.claude, args, {
    env: { ...world.scratch.env, ...env },
    cwd: world.scratch.cwd,
    ...input,
  });
}

/** What must be equal: everything but ids, times, and the random names of folders and ports. */
function comparable({ stdout, code }: Finished) {
  const text = stdout
    .toString()
    .replace(/127\.0\.0\.1:\d+/g, 'HOST')
    .replace(/ctxb-scratch-\w+/g, 'SCRATCH')
    .replace(/cc-socks\/\d+/g, 'cc-socks/PID')
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, 'UUID')
    .replace(/"(timestamp|runId)":"[^"]*"/g, '"$1":"T"')
    .replace(/"(\w+_ms)":[\d.]+/g, '"$1":0');
  return { text, code };
}
