import { expect, it } from 'vitest';
import { type KnownReceipt, readReceipt } from '../../src/flow/earlier-run.ts';
import { reportRun } from '../../src/flow/report/run-report.ts';
import { figures, fixtureFlow, stepReceipt } from '../support/flow-run.ts';

const { flow } = fixtureFlow('25-steps.yaml');
type Played = Parameters<typeof stepReceipt>[2];

/** As it comes back from its file. */
function receipt(id: string, played: Played): KnownReceipt {
  const read = readReceipt(JSON.stringify(stepReceipt(flow, id, played)));
  if (read === undefined) throw new Error('no receipt');
  return read;
}

const played: Played = {
  normalize: { output: 'a'.repeat(9_000), measured: figures() },
  frame: {
    output: 'b',
    measured: figures({ calls: 4, cost_usd: 0.5 }),
    curation: { cost_usd: 0.01, duration_ms: 900, fault: 'prose', summed_up: [] },
  },
  clarify: { output: '' },
};
const run = {
  id: 'r2',
  receipts: () => Object.keys(played).map((id) => receipt(id, played)),
  otherAttemptsUsd: ({ step }: KnownReceipt) => (step === 'normalize' ? 0 : 0.125),
};

it('reports the input and usage of each step, and the totals', () => {
  const { steps, total, ...rest } = reportRun(run);
  expect(rest).toEqual({ version: 1, run: 'r2', flow: 'shared-lists' });
  expect(steps).toMatchObject([
    { step: 'normalize', included: 0, cut: 0, omitted: 0, measured: { calls: 3 } },
    {
      step: 'frame',
      included: 1,
      cut: 0,
      omitted: 0,
      budget_chars: 200_000,
      curation: { fault: 'prose' },
    },
    { step: 'clarify', included: 1, cut: 1, omitted: 0, measured: null, other_attempts_usd: 0.125 },
  ]);
  expect(total).toEqual({
    steps: 3,
    included: 2,
    summary: 0,
    cut: 1,
    omitted: 0,
    calls: 7,
    cost_usd: 0.75,
    other_attempts_usd: 0.25,
    curator_cost_usd: 0.01,
    duration_ms: 8_000,
  });
});

it('a run without receipts', () => {
  expect(reportRun({ ...run, receipts: () => [] })).toMatchObject({ flow: null, total: { steps: 0 } });
});
