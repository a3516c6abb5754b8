import { expect, it } from 'vitest';
import { createSessionReplay } from '../../src/replay/session-replay.ts';
import { callLine, initLine, type Line, runWith, userLine } from '../support/governor.ts';
import { asRead } from '../support/recordings.ts';
import { unmasked } from '../support/unmasked.ts';

let ids = 0;

/** A call that says something and uses a tool, and what the tool gives back. */
function step(text: string, input: object, result: string): Line[] {
  const id = `toolu_${++ids}`;
  const call = callLine(30_000 + 500 * ids) as { message: object };
  const content = [
    { type: 'text', text },
    { type: 'tool_use', id, name: 'Bash', input },
  ];
  return [
    { ...call, message: { ...call.message, content } },
    userLine([{ type: 'tool_result', tool_use_id: id, content: result }]),
  ];
}

/** What each call uses, as the call that had it last and the tokens of the result. */
function usesOf(...lines: readonly Line[]) {
  const run = runWith({ mode: 'replay' });
  const replay = createSessionReplay({ run, series: true, uses: true, mask: unmasked });
  for (const line of [initLine(), ...lines]) replay.line(asRead(JSON.stringify(line)));
  return replay.summary('r').series?.map(({ uses = [] }) => uses.map(({ seen }) => seen));
}

const nothing = () => step('I go on.', { command: 'make' }, 'done');

it('finds the paths and figures that a call names, and the lines that an edit replaces', () => {
  const list = step('I look.', { command: 'ls' }, 'src/queue.ts holds 4711 entries\n  export const limit = 1;');
  expect(usesOf(...list, ...nothing(), ...step('', { command: 'cat src/queue.ts' }, ''))).toEqual([[], [], [1]]);
  expect(usesOf(...list, ...nothing(), ...step('It has 4711.', { command: 'make' }, ''))).toEqual([[], [], [1]]);
  const edit = { file_path: 'a', old_string: 'export const limit = 1;', new_string: 'src/queue.ts' };
  expect(usesOf(...list, ...nothing(), ...step('', edit, ''))).toEqual([[], [], [1]]);
  expect(usesOf(...list, ...nothing(), ...step('It has 12 queues.', { command: 'make' }, ''))).toEqual([[], [], []]);
});

it('counts named content as seen again by the model', () => {
  const list = step('I look.', { command: 'ls' }, 'src/queue.ts');
  const name = () => step('', { command: 'wc src/queue.ts' }, '3');
  expect(usesOf(...list, ...nothing(), ...name(), ...name(), ...nothing(), ...name())).toEqual([
    ...[[], [], [1], [], []],
    [4],
  ]);
});

it('ignores words that only the user or the model wrote, and words of prompts', () => {
  const said = step('See src/own.ts and src/queue.ts.', { command: 'ls' }, 'src/queue.ts');
  const again = step('src/own.ts', { command: 'cat src/queue.ts' }, '');
  expect(usesOf(...said, ...nothing(), ...again)).toEqual([[], [], [1]]);
  const prompt = userLine('Look at src/queue.ts and src/own.ts');
  expect(usesOf(prompt, ...said, ...nothing(), ...again)).toEqual([[], [], []]);
});
