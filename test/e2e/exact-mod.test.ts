import { cpSync, existsSync, mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { type JsonLine, promptLine, startProgram, startWorld, type World } from '../support/claude.ts';
import { mainRequests, summaryRequests } from '../support/conversation.ts';
import { PROTOCOL, SMALL_WINDOW } from '../support/ctxb.ts';
import { blocksIn, placeMod, receiptIn } from '../support/exact.ts';
import { inSoak } from '../support/size.ts';
import type { Call, RecordedRequest } from '../support/standin/scenario.ts';

const FLAGS = [...PROTOCOL, '--dangerously-skip-permissions'];

const isResult = ({ type }: JsonLine) => type === 'result';

/** Turns of so many replies with a thought and two parallel commands each, then an answer. */
function turnsOf(rounds: number): (request: RecordedRequest, index: number) => Call {
  return (_, index) => {
    const thinking = `THOUGHT-${index}`;
    if (index % (rounds + 1) === rounds) return { thinking, text: `ANSWER-${index}`, context: 50_000 };
    const tools = ['a', 'b'].map((name) => ({
      name: 'Bash',
      input: { command: `printf 'OUT-${index}-${name} %s\\n' $(seq 100)`, description: 'Print' },
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
          `- Bash \`printf 'OUT-${round}-${name} %s\\n' $(seq 100)\` exit 0 — 100 lines, ${round > 9 ? '1.2' : '1.1'}KB, last \`OUT-${round}-${name} 100\``,
      ),
    ]),
  ].join('\n');

const whole = (round: number, first: number) => {
  const ids = [first, first + 1].map((id) => `toolu_standin_${String(id).padStart(4, '0')}`);
  return [`text WORDS-${round}`, ...ids.map((id) => `use ${id}`), ...ids.map((id) => `result ${id}`)];
};

const NOTE =
  'text [ctxb] The conversation was compacted here. Prompts stand as they were said, older steps as one line each, the steps below this note whole.';

it('between turns: keeps prompts, lines and the last steps without a call, also after --resume without the mod', async ({
  signal,
}) => {
  await using world = await startWorld({ calls: turnsOf(5) });
  const place = placeMod(world.scratch.home, { note: 'NOTE-1', budget: 30_000 });
  const prompts = ['PROMPT-1', 'PROMPT-2', '/compact', 'PROMPT-3'];
  const session = await talk(world, ['--plugin-dir', place], prompts, signal);
  expect(existsSync(join(place, 'alive'))).toBe(true);
  expect(receiptIn(place)).toMatchObject({
    ...{ version: 1, number: 1, answered: true, before: { messages: 66 }, after: { messages: 12 } },
    ...{ prompts: { kept: 2, of: 2 }, steps: { whole: 2, lines: 18, gone: 0 } },
  });
  expect(summaryRequests(world.standin)).toEqual([]);
  const stay = [
    ...[
      'text PROMPT-1',
      lines(0, 1, 2, 3, 4),
      'text ANSWER-5',
      'text PROMPT-2',
      lines(6, 7, 8, 9),
      `${NOTE}\n\nNOTE-1`,
    ],
    ...[...whole(10, 19), 'text ANSWER-11'],
  ];
  expect(blocksIn(mainRequests(world.standin)[12])).toEqual([...stay, 'text PROMPT-3']);

  await talk(world, ['--resume', session], ['PROMPT-4'], signal);
  const resumed = blocksIn(mainRequests(world.standin)[18]);
  expect(resumed.slice(0, stay.length)).toEqual(stay);
  expect(resumed.at(-1)).toBe('text PROMPT-4');
  expect(resumed.filter((text) => text.startsWith('text PROMPT'))).toHaveLength(4);
});

inSoak('late: starts with an empty folder, and loads the mod when it is needed', async ({ signal }) => {
  await using world = await startWorld({ calls: turnsOf(5) });
  const { env, cwd, home } = world.scratch;
  const folder = mkdtempSync(join(home, 'empty-'));
  const claude = startProgram(world.claude, [...FLAGS, '--plugin-dir', folder], { env, cwd, signal });
  claude.send(promptLine('PROMPT-1'));
  await claude.waitForLine(isResult);
  const place = placeMod(home, { note: 'NOTE-1', budget: 30_000 });
  cpSync(place, folder, { recursive: true });
  claude.send({ type: 'control_request', request_id: 'reload', request: { subtype: 'reload_plugins' } });
  await claude.waitForLine(({ type }) => type === 'control_response');
  for (const prompt of ['/compact', 'PROMPT-2']) {
    claude.send(promptLine(prompt));
    await claude.waitForLine(isResult);
  }
  claude.stdin.end();
  await claude.finished;
  expect(existsSync(join(place, 'alive'))).toBe(true);
  expect(summaryRequests(world.standin)).toEqual([]);
  expect(receiptIn(place)).toMatchObject({ number: 1, answered: true });
});

inSoak('three in a row: every prompt once, one note, and nothing accumulates', async ({ signal }) => {
  await using world = await startWorld({ calls: turnsOf(5) });
  const place = placeMod(world.scratch.home, { note: 'NOTE-1', budget: 30_000 });
  const prompts = ['PROMPT-1', '/compact', 'PROMPT-2', '/compact', 'PROMPT-3', '/compact', 'PROMPT-4'];
  await talk(world, ['--plugin-dir', place], prompts, signal);
  const blocks = blocksIn(mainRequests(world.standin)[18]);
  expect(blocks.filter((text) => /PROMPT|NOTE|ANSWER/.test(text))).toEqual([
    ...['text PROMPT-1', 'text ANSWER-5', 'text PROMPT-2', 'text ANSWER-11', 'text PROMPT-3'],
    ...[`${NOTE}\n\nNOTE-1`, 'text ANSWER-17', 'text PROMPT-4'],
  ]);
  expect(blocks.filter((text) => text.startsWith('text [ctxb] Done here'))).toEqual([
    ...[lines(0, 1, 2, 3, 4), lines(6, 7, 8, 9, 10), lines(12, 13, 14, 15)],
  ]);
  expect(receiptIn(place)).toMatchObject({ number: 3, prompts: { kept: 3, of: 3 }, steps: { whole: 2, lines: 28 } });
  expect(summaryRequests(world.standin)).toEqual([]);
});

/** A long turn whose context crosses claude's trigger before its tenth call. */
const LONG_TURN = (_: RecordedRequest, index: number): Call => {
  const context = index < 8 ? 50_000 : index === 8 ? 118_000 : 40_000;
  const call = turnsOf(13)(_, index);
  return { ...call, context };
};

const TRIGGER = { CLAUDE_CODE_AUTO_COMPACT_WINDOW: '120000' };

inSoak(
  'in mid-turn: keeps the prompt and the open step, as words for a model that wants its thoughts back, also after kill -9 and --resume',
  async ({ signal }) => {
    await using world = await startWorld({ calls: LONG_TURN });
    const { cwd } = world.scratch;
    const env = { ...world.scratch.env, ...TRIGGER };
    const place = placeMod(world.scratch.home, { note: 'NOTE-1', budget: 30_000 });
    const args = [...FLAGS, ...SMALL_WINDOW];
    const claude = startProgram(world.claude, [...args, '--plugin-dir', place], { env, cwd, signal });
    claude.send(promptLine('RUNNING PROMPT'));
    const { session_id } = await claude.waitForLine(({ subtype }) => subtype === 'compact_boundary');
    await claude.waitForLine((line) => JSON.stringify(line).includes('WORDS-11'));
    claude.kill('SIGKILL');
    await claude.finished;

    expect(receiptIn(place)).toMatchObject({
      answered: true,
      prompts: { kept: 1, of: 1 },
      steps: { whole: 2, lines: 16 },
    });
    expect(summaryRequests(world.standin)).toEqual([]);
    const stay = ['text RUNNING PROMPT', lines(0, 1, 2, 3, 4, 5, 6, 7), `${NOTE}\n\nNOTE-1`];
    const open = /^text \[ctxb\] Your last step.*- said: WORDS-8\n.*\nOUT-8-a 100\n.*\nOUT-8-b 100$/s;
    expect(blocksIn(mainRequests(world.standin)[9])).toEqual([...stay, expect.stringMatching(open)]);

    const again = startProgram(world.claude, [...args, '--resume', String(session_id)], { env, cwd, signal });
    again.send(promptLine('GO ON'));
    await again.waitForLine(isResult);
    again.stdin.end();
    await again.finished;
    const resumed = blocksIn(mainRequests(world.standin)[12]);
    expect(resumed.slice(0, 5)).toEqual([...stay, expect.stringMatching(open), 'thinking THOUGHT-9']);
    expect(resumed.filter((text) => /RUNNING|GO ON/.test(text))).toEqual(['text RUNNING PROMPT', 'text GO ON']);

    // With the mod again: the next compaction has them once, as a line.
    await talk(world, ['--plugin-dir', place, '--resume', String(session_id)], ['/compact', 'AND ON'], signal);
    expect(receiptIn(place)).toMatchObject({ answered: true, prompts: { kept: 2, of: 2 } });
    const later = blocksIn(mainRequests(world.standin).at(-1));
    expect(later.filter((text) => /RUNNING|ON$|NOTE/.test(text))).toEqual([
      ...['text RUNNING PROMPT', `${NOTE}\n\nNOTE-1`, 'text GO ON', 'text AND ON'],
    ]);
    expect(later.find((text) => text.includes('WORDS-8'))?.match(/WORDS-8$/gm)).toHaveLength(1);
  },
);

inSoak('a prompt too long for the API: claude sends what stays instead', async ({ signal }) => {
  const message = 'prompt is too long: 210000 tokens > 200000 maximum';
  await using world = await startWorld({
    calls: (request, index) =>
      index === 10 ? { error: { status: 400, message } } : turnsOf(15)(request, index > 10 ? index - 1 : index),
  });
  const place = placeMod(world.scratch.home, { note: 'NOTE-1', budget: 30_000 });
  await talk(world, ['--plugin-dir', place], ['RUNNING PROMPT'], signal);
  expect(receiptIn(place)).toMatchObject({ number: 1, answered: true, prompts: { kept: 1, of: 1 } });
  expect(blocksIn(mainRequests(world.standin)[11])).toEqual([
    ...['text RUNNING PROMPT', lines(0, 1, 2, 3, 4, 5, 6, 7), `${NOTE}\n\nNOTE-1`],
    ...[...whole(8, 17), ...whole(9, 19)],
  ]);
  expect(summaryRequests(world.standin)).toEqual([]);
});

inSoak('without a plan claude writes a summary, and the receipt names the reason', async ({ signal }) => {
  await using world = await startWorld({ calls: turnsOf(5) });
  const place = placeMod(world.scratch.home);
  const session = await talk(world, ['--plugin-dir', place], ['PROMPT-1', '/compact'], signal);
  expect(summaryRequests(world.standin)).toHaveLength(1);
  expect(receiptIn(place)).toMatchObject({ answered: false, why: 'there is no plan' });

  // An exact compaction afterwards keeps what claude has summed up, and says whose words they are.
  const planned = placeMod(world.scratch.home, { note: 'NOTE-1', budget: 30_000 });
  await talk(world, ['--plugin-dir', planned, '--resume', session], ['PROMPT-2', '/compact', 'PROMPT-3'], signal);
  const blocks = blocksIn(mainRequests(world.standin).at(-1));
  expect(blocks.filter((text) => /summary|PROMPT|continued/.test(text))).toEqual([
    "text [ctxb] Claude's summary of what came before:\nThe conversation so far, in one sentence.",
    ...['text PROMPT-2', 'text PROMPT-3'],
  ]);
});

inSoak('keeps prompts that came while the model worked in their place', async ({ signal }) => {
  await using world = await startWorld({
    calls(request, index) {
      const call = LONG_TURN(request, index);
      const wait = { command: 'until [ -e heard ]; do sleep 0.1; done', description: 'Wait' };
      return index === 3 ? { ...call, tools: [{ name: 'Bash', input: wait }] } : call;
    },
  });
  const { cwd } = world.scratch;
  const env = { ...world.scratch.env, ...TRIGGER };
  const place = placeMod(world.scratch.home, { note: 'NOTE-1', budget: 30_000 });
  const claude = startProgram(world.claude, [...FLAGS, ...SMALL_WINDOW, '--plugin-dir', place], { env, cwd, signal });
  claude.send(promptLine('RUNNING PROMPT'));
  await claude.waitForLine((line) => JSON.stringify(line).includes('until [ -e heard ]'));
  claude.send(promptLine('NOT THAT ONE', { uuid: '11111111-1111-4111-8111-111111111111' }));
  await claude.waitForLine(({ type }) => type === 'command_lifecycle');
  writeFileSync(join(cwd, 'heard'), '');
  await claude.waitForLine(isResult);
  claude.stdin.end();
  await claude.finished;
  expect(receiptIn(place)).toMatchObject({ answered: true, prompts: { kept: 2, of: 2 } });
  const said = mainRequests(world.standin).map((request) =>
    blocksIn(request).filter((text) => /RUNNING|NOT THAT/.test(text)),
  );
  expect(said[9]).toEqual(['text RUNNING PROMPT', 'text [ctxb] The user said while you worked:\nNOT THAT ONE']);
  expect(said.at(-1)).toEqual(said[9]);
});
