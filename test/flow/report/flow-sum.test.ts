import { expect, it } from 'vitest';
import { flowSumText } from '../../../src/flow/report/flow-progress.ts';
import { flowOf, flowStep } from '../../support/packs.ts';
import { stepEnd } from '../../support/step-end.ts';

const FLOW = flowOf(['plan', 'build', 'test', 'ship', 'tell'].map((id) => flowStep({ id })));

it('adds up the steps that ran', () => {
  const ends = new Map([
    ['build', stepEnd({ calls: 1_200, costUsd: 1.5, durationMs: 61_000, peakTokens: 150_000 })],
    ['test', stepEnd({ exitCode: 124, timedOut: true, calls: 0, firstTokens: 0, peakTokens: 0, costUsd: 0 })],
  ]);
  const board = { plan: 'done', build: 'done', test: 'failed', ship: 'skipped', tell: 'left-out' } as const;
  expect(flowSumText(FLOW, board, ends)).toBe(
    '2 of 4 steps done: 1 min 2 s, 1,200 calls, at most 150,000 tokens, $1.50',
  );
});

it('omits the peak if nothing ran', () => {
  const flow = flowOf([flowStep({ id: 'a' })]);
  expect(flowSumText(flow, { a: 'done' }, new Map())).toBe('1 of 1 step done: 0.0 s, 0 calls, $0.00');
});
