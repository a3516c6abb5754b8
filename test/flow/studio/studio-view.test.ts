import { expect, it } from 'vitest';
import { type KnownReceipt, readReceipt } from '../../../src/flow/earlier-run.ts';
import { bindingOf } from '../../../src/flow/studio/file-studio.ts';
import { aReceipt, aReceiptItem } from '../../support/studio.ts';

function known(parts: Parameters<typeof aReceipt>[0]): KnownReceipt {
  const receipt = readReceipt(JSON.stringify(aReceipt(parts)));
  if (receipt === undefined) throw new Error('expected a receipt');
  return receipt;
}

it.each([
  { name: 'the whole', truncated: true, outcome: 'cut', binding: 'whole' },
  { name: 'the limit of a step', truncated: false, outcome: 'cut', binding: 'steps' },
  { name: 'nothing', truncated: false, outcome: 'included', binding: 'nothing' },
] as const)('names $name as the binding limit', ({ truncated, outcome, binding }) => {
  expect(bindingOf(known({ items: [aReceiptItem({ outcome })], truncated }))).toBe(binding);
});
