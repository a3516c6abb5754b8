import { describe, expect, it } from 'vitest';
import type { CuratorEffect } from '../../src/flow/pack/receipt.ts';
import { reportRun } from '../../src/flow/report/run-report.ts';
import { type KnownReceipt, readReceipt } from '../../src/flow/step-receipt.ts';
import { figures, fixtureFlow, stepReceipt } from '../support/flow-run.ts';

const { flow } = fixtureFlow('25-steps.yaml');
const CURATOR: CuratorEffect = {
  steps: ['normalize'],
  files: [],
  unknown_steps: [],
  brought_in: ['normalize'],
  pushed_out: ['frame'],
};

type Played = Parameters<typeof stepReceipt>[2];

/** As it comes back from its file. */
function receipt(id: string, played: Played, run = 'r2'): KnownReceipt {
  const read = readReceipt(JSON.stringify({ ...stepReceipt(flow, id, played), run }));
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
const run = { id: 'r2', receipts: () => Object.keys(played).map((id) => receipt(id, played)) };

it('says of each step what it was given and took, and of all together', () => {
  const { steps, total, ...rest } = reportRun(run, () => []);
  expect(rest).toEqual({ version: 1, run: 'r2', flow: 'shared-lists', curator: [] });
  expect(steps).toMatchObject([
    { step: 'normalize', included: 0, cut: 0, omitted: 0, measured: { calls: 3 } },
    {
      step: 'frame',
      included: 1,
      cut: 0,
      omitted: 0,
      budget_chars: 200_000,
      curated: false,
      curation: { fault: 'prose' },
    },
    { step: 'clarify', included: 1, cut: 1, omitted: 0, curated: false, measured: null },
  ]);
  expect(total).toEqual({
    steps: 3,
    included: 2,
    summary: 0,
    cut: 1,
    omitted: 0,
    calls: 7,
    cost_usd: 0.75,
    curator_cost_usd: 0.01,
    duration_ms: 8_000,
  });
});

it('a run without receipts', () => {
  expect(reportRun({ id: 'r', receipts: () => [] }, () => [])).toMatchObject({ flow: null, total: { steps: 0 } });
});

describe('with and without a curator', () => {
  const curated = (id: string, of: string) =>
    receipt(id, { [id]: { output: '', measured: figures({ calls: 1 }), curator: CURATOR } }, of);
  const plain = (id: string, of: string) => receipt(id, { [id]: { output: '', measured: figures() } }, of);
  const running = (id: string) => receipt(id, { [id]: { output: '', curator: CURATOR } }, 'r1');

  it.each([
    {
      title: 'the newest run with one',
      here: plain('frame', 'r3'),
      older: [curated('frame', 'r2'), curated('frame', 'r1')],
      with: 'r2',
      without: 'r3',
    },
    {
      title: 'the newest run without one',
      here: curated('frame', 'r3'),
      older: [curated('frame', 'r2'), plain('frame', 'r1')],
      with: 'r3',
      without: 'r1',
    },
  ])('$title', ({ here, older, with: one, without }) => {
    const [compared] = reportRun({ id: 'r3', receipts: () => [here] }, () => older).curator;
    expect(compared).toMatchObject({
      step: 'frame',
      with: { run: one, curated: true, measured: { calls: 1 } },
      without: { run: without, curated: false, measured: { calls: 3 } },
      brought_in: ['normalize'],
      pushed_out: ['frame'],
    });
  });

  it.each([
    { title: 'only others of its kind', here: plain('frame', 'r3'), older: [plain('frame', 'r2')] },
    { title: 'another that has not ended', here: plain('frame', 'r3'), older: [running('frame')] },
    { title: 'a step that has not ended', here: running('frame'), older: [plain('frame', 'r2')] },
  ])('nothing to compare: $title', ({ here, older }) => {
    expect(reportRun({ id: 'r3', receipts: () => [here] }, () => older).curator).toEqual([]);
  });
});
