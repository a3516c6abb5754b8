import { counted, grouped, h, table } from '../../../browser/dom.ts';
import type { ReceiptView, StepView } from '../studio-view.ts';

/** What the last run says of a step. */
export function receiptPart({ receipt, budgets }: StepView): HTMLElement {
  const title = h('h3', {}, 'Last run');
  if (receipt === undefined)
    return h('section', {}, title, h('p', { class: 'quiet' }, 'This step has not been run yet.'));
  if ('fault' in receipt) return h('section', {}, title, h('p', { class: 'warning' }, `Not shown: ${receipt.fault}.`));
  const now = budgets.effective.contextBudgetChars.value;
  const old =
    receipt.budgetChars !== now && `It was made with ${grouped(receipt.budgetChars)}; now ${grouped(now)} are allowed.`;
  return h(
    'section',
    {},
    title,
    h('p', { class: `binding ${receipt.binding}` }, bindingText(receipt)),
    usage(receipt),
    old && h('p', { class: 'quiet' }, old),
    ...receipt.warnings.map((warning) => h('p', { class: 'warning' }, warning)),
    receipt.items.length > 0 && tiers(receipt),
    receipt.items.length > 0 && items(receipt),
    h('p', { class: 'quiet' }, figures(receipt)),
  );
}

function bindingText({ binding, items }: ReceiptView): string {
  const count = (outcome: string) => items.filter((item) => item.outcome === outcome).length;
  if (binding === 'nothing') return `Nothing was held back: all of ${counted(items.length, 'earlier step')} fitted.`;
  if (binding === 'steps')
    return `${counted(count('cut'), 'earlier step')} cut at the limit for a single step; the whole had room.`;
  return `The budget was binding: of ${counted(items.length, 'earlier step')}, ${grouped(count('omitted'))} omitted and ${grouped(count('cut'))} cut.`;
}

function usage({ usedChars, budgetChars, overChars }: ReceiptView): HTMLElement {
  const over = overChars > 0 ? `, ${grouped(overChars)} too many` : '';
  const text = `${grouped(usedChars)} of ${grouped(budgetChars)} characters${over}`;
  const most = Math.max(budgetChars, 1);
  // Nearly full is shown as such.
  const meter = h('meter', { id: 'usage', max: most, high: most * 0.95, optimum: 0, value: Math.min(usedChars, most) });
  return h('p', { class: 'usage' }, meter, h('label', { for: 'usage' }, text));
}

function tiers({ tiers }: ReceiptView): HTMLElement {
  const rows = tiers.map(({ tier, included, cut, omitted }) => [tier, ...[included, cut, omitted].map(numberCell)]);
  return table('Earlier steps by priority', ['Priority', 'Included', 'Cut', 'Omitted'], rows);
}

function numberCell(count: number): HTMLElement {
  return h('td', { class: count === 0 ? 'number none' : 'number' }, grouped(count));
}

function items({ items }: ReceiptView): HTMLElement {
  const rows = items.map(({ step, tier, outcome, chars, shownChars, reason }) => [
    step,
    tier,
    h('td', { class: outcome }, outcome),
    h('td', { class: 'number' }, `${grouped(shownChars)} of ${grouped(chars)}`),
    reason,
  ]);
  const all = table('Earlier steps, oldest first', ['Step', 'Priority', 'Outcome', 'Characters', 'Why'], rows);
  return h(
    'details',
    {},
    h('summary', {}, `Each of ${counted(items.length, 'earlier step')}`),
    h('div', { class: 'wide' }, all),
  );
}

function figures({ run, attempt, measured }: ReceiptView): string {
  const which = `Run ${run}, attempt ${attempt}.`;
  if (measured === undefined) return `${which} It has not ended.`;
  const { firstTokens, peakTokens, costUsd, durationMs, exitCode } = measured;
  const tokens = `${grouped(firstTokens)} tokens in the first call, ${grouped(peakTokens)} at most (measured)`;
  return `${which} ${tokens}; $${costUsd.toFixed(2)}, ${grouped(Math.round(durationMs / 1000))} s, exit code ${exitCode}.`;
}
