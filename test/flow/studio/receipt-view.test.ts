import { describe, expect, it } from 'vitest';
import { receiptView } from '../../../src/flow/studio/receipt-view.ts';
import { aReceipt, aReceiptItem } from '../../support/studio.ts';

describe('receiptView', () => {
  it('counts what became of the steps of each tier', () => {
    const items = [
      aReceiptItem({ tier: 'LOW', outcome: 'omitted' }),
      aReceiptItem({ tier: 'LOW', outcome: 'included' }),
      aReceiptItem({ tier: 'CRITICAL', outcome: 'cut' }),
    ];
    expect(receiptView(JSON.stringify(aReceipt({ items })))).toMatchObject({
      tiers: [
        { tier: 'CRITICAL', included: 0, cut: 1, omitted: 0 },
        { tier: 'HIGH', included: 0, cut: 0, omitted: 0 },
        { tier: 'MEDIUM', included: 0, cut: 0, omitted: 0 },
        { tier: 'LOW', included: 1, cut: 0, omitted: 1 },
      ],
    });
  });

  it.each([
    { name: 'the whole', truncated: true, outcome: 'cut', binding: 'whole' },
    { name: 'the limit of a step', truncated: false, outcome: 'cut', binding: 'steps' },
    { name: 'nothing', truncated: false, outcome: 'included', binding: 'nothing' },
  ] as const)('says that $name was binding', ({ truncated, outcome, binding }) => {
    const receipt = aReceipt({ items: [aReceiptItem({ outcome })], truncated });
    expect(receiptView(JSON.stringify(receipt))).toMatchObject({ binding });
  });

  it('takes a receipt of a step that has not ended', () => {
    const { measured: _, ...receipt } = aReceipt({});
    expect(receiptView(JSON.stringify(receipt))).toMatchObject({ measured: undefined });
  });

  it.each([
    { name: 'half a file', json: '{"version": 1,' },
    { name: 'another version', json: JSON.stringify({ ...aReceipt({}), version: 2 }) },
    { name: 'something else', json: '[]' },
    { name: 'no text', json: '' },
  ])('says of $name that it cannot be read', ({ json }) => {
    expect(receiptView(json)).toEqual({ fault: 'its receipt is not one that can be read' });
  });
});
