import { expect, it } from 'vitest';
import { flowEndLines } from '../../../src/flow/report/flow-progress.ts';
import type { NewsByStep, StepNews } from '../../../src/flow/run/conduct-flow.ts';
import { flowStep } from '../../support/packs.ts';
import { stepEnd } from '../../support/step-end.ts';

const boardOf = (...news: readonly StepNews[]): NewsByStep => new Map(news.map((each) => [each.step.id, each]));

it('names skipped steps, and adds up those that ran', () => {
  const build = stepEnd({ calls: 1_200, cost_usd: 1.5, duration_ms: 61_000, peak_tokens: 150_000 });
  const test = stepEnd({ exit_code: 124, calls: 0, first_tokens: 0, peak_tokens: 0, cost_usd: 0 });
  const board = boardOf(
    { step: flowStep({ id: 'plan' }), kind: 'done' },
    { step: flowStep({ id: 'build' }), kind: 'done', end: build },
    { step: flowStep({ id: 'test' }), kind: 'failed', end: test },
    { step: flowStep({ id: 'ship' }), kind: 'skipped' },
  );
  expect(flowEndLines(board)).toEqual([
    'not run: ship',
    '2 of 4 steps done: 1 min 2 s, 1,200 calls, at most 150,000 tokens, $1.50; each step: ctxb flow report',
  ]);
});

it('omits the peak if nothing ran', () => {
  expect(flowEndLines(boardOf({ step: flowStep(), kind: 'done' }))).toEqual([
    '1 of 1 step done: 0.0 s, 0 calls, $0.00; each step: ctxb flow report',
  ]);
});
