import { expect, it } from 'vitest';
import { type KnownReceipt, readReceipt } from '../../../src/flow/step-receipt.ts';
import { bindingOf, tierCounts } from '../../../src/flow/studio/studio-view.ts';
import { aReceipt, aReceiptItem } from '../../support/studio.ts';

function known(parts: Parameters<typeof aReceipt>[0]): KnownReceipt {
  const receipt = readReceipt(JSON.stringify(aReceipt(parts)));
  if (receipt === undefined) throw new Error('expected a receipt');
  return receipt;
}

it('counts what became of the steps of each tier', () => {
  const items = [
    aReceiptItem({ tier: 'LOW', outcome: 'omitted' }),
    aReceiptItem({ tier: 'LOW', outcome: 'included' }),
    aReceiptItem({ tier: 'CRITICAL', outcome: 'cut' }),
  ];
  expect(Object.entries(tierCounts(known({ items })))).toEqual([
    ['CRITICAL', { included: 0, summary: 0, cut: 1, omitted: 0 }],
    ['HIGH', { included: 0, summary: 0, cut: 0, omitted: 0 }],
    ['MEDIUM', { included: 0, summary: 0, cut: 0, omitted: 0 }],
    ['LOW', { included: 1, summary: 0, cut: 0, omitted: 1 }],
  ]);
});

it.each([
  { name: 'the whole', truncated: true, outcome: 'cut', binding: 'whole' },
  { name: 'the limit of a step', truncated: false, outcome: 'cut', binding: 'steps' },
  { name: 'nothing', truncated: false, outcome: 'included', binding: 'nothing' },
] as const)('says that $name was binding', ({ truncated, outcome, binding }) => {
  expect(bindingOf(known({ items: [aReceiptItem({ outcome })], truncated }))).toBe(binding);
});
