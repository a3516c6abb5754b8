import { expect, it } from 'vitest';
import { readStepClaude } from '../../../src/flow/run/run-step.ts';

it.each([
  { title: 'as it was given', words: ['claude', '--model', 'haiku'], step: undefined, passed: ['--model', 'haiku'] },
  { title: 'with -p said too', words: ['claude', '-p'], step: undefined, passed: [] },
  {
    title: "with the step's model behind the other, which claude takes",
    words: ['claude', '--model', 'haiku'],
    step: 'opus',
    passed: ['--model', 'haiku', '--model', 'opus'],
  },
])('claude is run $title', ({ words, step, passed }) => {
  const { program, invocation } = readStepClaude(words, step);
  expect([program, invocation.passed, invocation.outputFormat]).toEqual(['claude', passed, 'stream-json']);
});

it.each([
  { model: 'claude-sonnet-4-5[1m]', window: 1_000_000 },
  { model: 'claude-sonnet-4-5', window: undefined },
  { model: undefined, window: undefined },
])('the window of $model is $window', ({ model, window }) => {
  expect(readStepClaude(['claude', '--model', 'x[1m]'].slice(0, model ? 3 : 1), model).window).toBe(window);
});

it('is claude if nothing was given, as in a dry run', () => {
  expect(readStepClaude([], undefined).program).toBe('claude');
});
