import { expect, it } from 'vitest';
import { type Choice, settledSteps } from '../../../src/flow/run/run-flow.ts';
import { flowOf, flowStep } from '../../support/packs.ts';

const FLOW = flowOf(['a', 'b', 'c', 'd'].map((id) => flowStep({ id })));
const isDone = (id: string) => id === 'a' || id === 'c';

it.each([
  { title: 'all is run', choice: {}, done: [], leftOut: [] },
  { title: 'what a run has left is run', choice: { resume: 'r' }, done: ['a', 'c'], leftOut: [] },
  { title: 'from a step on, done ones too', choice: { from: 'c' }, done: ['a'], leftOut: ['b'] },
  { title: 'from a step on, with a run', choice: { from: 'c', resume: 'r' }, done: ['a'], leftOut: ['b'] },
  { title: 'one alone', choice: { only: 'c' }, done: ['a'], leftOut: ['b', 'd'] },
] as { title: string; choice: Choice; done: string[]; leftOut: string[] }[])('$title', ({ choice, done, leftOut }) => {
  expect(settledSteps(FLOW, choice, isDone)).toEqual({ done: new Set(done), leftOut: new Set(leftOut) });
});

it.each([
  { choice: { from: 'x' }, says: '--from x: no step of flow has this id: a, b, c, d' },
  { choice: { only: 'x' }, says: '--only x: no step of flow has this id: a, b, c, d' },
  { choice: { from: 'a', only: 'b' }, says: '--from and --only name different steps to run: leave one of them out' },
])('$choice is refused', ({ choice, says }) => {
  expect(() => settledSteps(FLOW, choice, isDone)).toThrow(says);
});
