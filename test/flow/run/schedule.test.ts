import { describe, expect, it } from 'vitest';
import { orderSteps } from '../../../src/flow/file/order-steps.ts';
import { type Board, newBoard, startable } from '../../../src/flow/run/run-flow.ts';
import { flowOf, flowStep } from '../../support/packs.ts';

// a ← b, a ← c, (b, c) ← d
const DIAMOND = flowOf([
  flowStep({ id: 'a', needs: [] }),
  flowStep({ id: 'b', needs: ['a'], onFail: 'continue' }),
  flowStep({ id: 'c', needs: ['a'] }),
  flowStep({ id: 'd', needs: ['b', 'c'] }),
]);

const ALL_WAIT: Board = { a: 'waiting', b: 'waiting', c: 'waiting', d: 'waiting' };

describe('the board before anything has run', () => {
  it.each([
    { title: 'nothing is settled', settled: undefined, board: ALL_WAIT },
    {
      title: 'an earlier run has finished some',
      settled: { done: new Set(['a']), leftOut: new Set<string>() },
      board: { ...ALL_WAIT, a: 'done' },
    },
    {
      title: 'one alone was asked for',
      settled: { done: new Set(['a']), leftOut: new Set(['b', 'd']) },
      board: { a: 'done', b: 'left-out', c: 'waiting', d: 'left-out' },
    },
  ])('$title', ({ settled, board }) => {
    expect(newBoard(DIAMOND, settled)).toEqual(board);
  });
});

describe('what may start', () => {
  it.each([
    { title: 'only what needs nothing', board: {}, parallel: 4, starts: ['a'] },
    { title: 'nothing while what is needed runs', board: { a: 'running' }, parallel: 4, starts: [] },
    { title: 'as many as may run at once', board: { a: 'done' }, parallel: 1, starts: ['b'] },
    { title: 'both beside each other', board: { a: 'done' }, parallel: 2, starts: ['b', 'c'] },
    { title: 'one beside one that runs', board: { a: 'done', b: 'running' }, parallel: 2, starts: ['c'] },
    { title: 'none beside as many as may run', board: { a: 'done', b: 'running' }, parallel: 1, starts: [] },
    { title: 'nothing before all that is needed is over', board: { a: 'done', b: 'done' }, parallel: 9, starts: ['c'] },
    { title: 'what goes on without a failed one', board: { a: 'done', b: 'failed', c: 'done' }, starts: ['d'] },
    { title: 'nothing after a failed one that stops the flow', board: { a: 'done', c: 'failed' }, starts: [] },
    { title: 'what needs one that nobody asked for', board: { a: 'left-out', b: 'left-out' }, starts: ['c'] },
    { title: 'nothing after one that was stopped', board: { a: 'stopped' }, starts: [] },
  ] as { title: string; board: Board; parallel?: number; starts: string[] }[])(
    '$title',
    ({ board, parallel = 2, starts }) => {
      const { needs } = orderSteps(DIAMOND);
      expect(startable(DIAMOND, needs, { ...ALL_WAIT, ...board }, parallel).map(({ id }) => id)).toEqual(starts);
    },
  );
});
