import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Call, RecordedRequest } from '../../src/standin/scenario.ts';
import { type JsonLine, promptLine, startProgram, startWorld, type World } from '../support/claude.ts';
import { mainRequests, summaryRequests } from '../support/conversation.ts';
import { PROTOCOL } from '../support/ctxb.ts';
import { blocksIn, placeMod, receiptIn } from '../support/exact.ts';

const FLAGS = [...PROTOCOL, '--dangerously-skip-permissions'];

const isResult = ({ type }: JsonLine) => type === 'result';

/** Turns of so many replies with a thought and two parallel commands each, then an answer. */
function turnsOf(rounds: number): (request: RecordedRequest, index: number) => Call {
  return (_, index) => {
    const thinking = `THOUGHT-${index}`;
    if (index % (rounds + 1) === rounds) return { thinking, text: `ANSWER-${index}`, context: 50_000 };
    const tools = ['a', 'b'].map((name) => ({
      name: 'Bash',
      input: { command: `printf 'OUT-${index}-${name} %s\\n' $(seq 400)`, description: 'Print' },
    }));
    return { thinking, text: `WORDS-${index}`, tools, context: 50_000 };
  };
}

/** Sends prompts one after the other, each when the one before is answered. */
async function talk(world: World, args: readonly string[], prompts: readonly string[], signal: AbortSignal) {
  const { env, cwd } = world.scratch;
  const claude = startProgram(world.claude, [...FLAGS, ...args], { env, cwd, signal });
  let session = '';
  for (const prompt of prompts) {
    claude.send(promptLine(prompt));
    session = String((await claude.waitForLine(isResult)).session_id);
  }
  claude.stdin.end();
  expect((await claude.finished).code).toBe(0);
  return session;
}

const lines = (...rounds: readonly number[]) =>
  [
    'text [ctxb] Done here, one line a step:',
    ...rounds.flatMap((round) => [
      `- said: WORDS-${round}`,
      ...['a', 'b'].map(
        (name) =>
          `- Bash \`printf 'OUT-${round}-${name} %s\\n' $(seq 400)\` exit 0 — 400 lines, ${round > 9 ? '5.0' : '4.6'}KB, last \`OUT-${round}-${name} 400\``,
      ),
    ]),
  ].join('\n');

const whole = (round: number, first: number, thought?: 'thought') => {
  const ids = [first, first + 1].map((id) => `toolu_standin_${String(id).padStart(4, '0')}`);
  return [
    ...(thought ? [`thinking THOUGHT-${round}`] : []),
    `text WORDS-${round}`,
    ...ids.map((id) => `use ${id}`),
    ...ids.map((id) => `result ${id}`),
  ];
};

const NOTE =
  'text [ctxb] The conversation was compacted here. Prompts stand as they were said, older steps as one line each, the steps below this note whole.';

it('between turns: prompts, lines and the last steps stay, without a call, also after --resume without the mod', async ({
  signal,
}) => {
  await using world = await startWorld({ calls: turnsOf(5) });
  const place = placeMod(world.scratch.home, { note: 'NOTE-1', budget: 20_000 });
  const prompts = ['PROMPT-1', 'PROMPT-2', '/compact', 'PROMPT-3'];
  const session = await talk(world, ['--plugin-dir', place], prompts, signal);
  expect(existsSync(join(place, 'alive'))).toBe(true);
  expect(receiptIn(place)).toMatchObject({
    ...{ version: 1, number: 1, answered: true, before: { messages: 66 }, after: { messages: 11 } },
    ...{ prompts: { kept: 2, of: 2 }, steps: { whole: 4, lines: 16, gone: 0 } },
  });
  expect(summaryRequests(world.standin)).toEqual([]);
  const stay = [
    ...['text PROMPT-1', lines(0, 1, 2, 3, 4), 'text ANSWER-5', 'text PROMPT-2', lines(6, 7, 8), `${NOTE}\n\nNOTE-1`],
    ...[...whole(9, 17), ...whole(10, 19), 'text ANSWER-11'],
  ];
  expect(blocksIn(mainRequests(world.standin)[12])).toEqual([...stay, 'text PROMPT-3']);

  await talk(world, ['--resume', session], ['PROMPT-4'], signal);
  const resumed = blocksIn(mainRequests(world.standin)[18]);
  expect(resumed.slice(0, stay.length)).toEqual(stay);
  expect(resumed.at(-1)).toBe('text PROMPT-4');
  expect(resumed.filter((text) => text.startsWith('text PROMPT'))).toHaveLength(4);
});
