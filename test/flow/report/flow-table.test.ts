import { expect, it } from 'vitest';
import { flowTable } from '../../../src/flow/report/flow-progress.ts';
import { flowOf, flowStep } from '../../support/packs.ts';
import { stepEnd } from '../../support/step-end.ts';

const FLOW = flowOf(['plan', 'build', 'test', 'ship', 'tell'].map((id) => flowStep({ id })));

it('says of each step what became of it, and sums up what was run', () => {
  const ends = new Map([
    ['build', stepEnd({ calls: 1_200, costUsd: 1.5, durationMs: 61_000, peakTokens: 150_000 })],
    ['test', stepEnd({ exitCode: 124, timedOut: true, calls: 0, firstTokens: 0, peakTokens: 0, costUsd: 0 })],
  ]);
  const board = { plan: 'done', build: 'done', test: 'failed', ship: 'skipped', tell: 'left-out' } as const;
  expect(flowTable(FLOW, board, ends)).toBe(
    [
      'step           status  calls  first call     peak   cost       took',
      'plan      done before      –           –        –      –          –',
      'build            done  1,200      21,000  150,000  $1.50  1 min 1 s',
      'test        timed out      0           –        –  $0.00      1.2 s',
      'ship          not run      –           –        –      –          –',
      'tell         left out      –           –        –      –          –',
      'together  2 of 4 done  1,200              150,000  $1.50  1 min 2 s',
      '',
    ].join('\n'),
  );
});

it.each([
  { status: 'failed', says: 'failed' },
  { status: 'stopped', says: 'stopped' },
  { status: 'waiting', says: 'not run' },
] as const)('a step that is $status', ({ status, says }) => {
  const table = flowTable(flowOf([flowStep({ id: 'a' })]), { a: status }, new Map([['a', stepEnd({ exitCode: 1 })]]));
  expect(table).toMatch(new RegExp(`^a +${says} +2 `, 'm'));
  expect(table).toMatch(/^together +0 of 1 done/m);
});

it('where nothing was run there is no peak', () => {
  const table = flowTable(flowOf([flowStep({ id: 'a' })]), { a: 'done' }, new Map());
  expect(table).toMatch(/^together +1 of 1 done +0 +– +\$0\.00 +0\.0 s$/m);
});
