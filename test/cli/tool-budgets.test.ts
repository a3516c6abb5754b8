import { expect, it } from 'vitest';
import { numbered } from '../support/tool-agents.ts';
import { createPlace, inputLines, journalOf, runFake } from './fakes.ts';

it('reports once that claude ignores the tool budgets, and does not ask again', async () => {
  await using place = await createPlace();
  const PLAY_FILE = await place.file('long.txt', numbered(1_000));
  const { code, stderr } = await runFake(place, {
    fake: 'ignores-answers',
    flags: ['--prompt', 'go'],
    env: { PLAY_FILE, PLAY_INPUT: place.path('input'), CTXB_TOOLS_PER_CALL: '8000' },
  });

  expect(code).toBe(0);
  expect(stderr.match(/tool budgets are off: .*/g)).toEqual([
    'tool budgets are off: a limit that was set for a tool did not hold',
  ]);
  const kinds = journalOf(place).map(({ kind, of }) => `${kind}:${of}`);
  expect(kinds.filter((kind) => /tool-budget|unavailable/.test(String(kind)))).toEqual([
    'tool-budget:call',
    'unavailable:tools',
    'tool-budget:result',
  ]);
  const answers = inputLines(place).flatMap(({ type, response }) =>
    type === 'control_response' ? [JSON.stringify(response)] : [],
  );
  expect(answers).toHaveLength(8);
  // The second Read, and the second command: nothing is changed any more, and it is said what would be better.
  expect(answers[2]).toMatch(/This file has 1000 lines, more than/);
  for (const answer of answers.slice(2, 4)) expect(answer).not.toMatch(/updatedInput|updatedToolOutput/);
  expect(answers[5]).toContain('updatedToolOutput');
  expect(answers[7]).toMatch(/This result took about \d+ tokens/);
  expect(answers[7]).not.toContain('updatedToolOutput');
});
