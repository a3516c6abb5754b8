import { counted, grouped, h, table } from '../../../browser/dom.ts';
import { outcomeCounts } from '../../pack/receipt.ts';
import type { KnownReceipt } from '../../step-receipt.ts';
import { bindingOf, type StepView, tierCounts } from '../studio-view.ts';

export function receiptPart({ receipt, budgets }: StepView): HTMLElement {
  const title = h('h3', {}, 'Last run');
  if (receipt === undefined)
    return h('section', {}, title, h('p', { class: 'quiet' }, 'This step has not been run yet.'));
  if ('fault' in receipt) return h('section', {}, title, h('p', { class: 'warning' }, `Not shown: ${receipt.fault}.`));
  const { budget_chars } = receipt.context_truncation;
  const now = budgets.effective.contextBudgetChars.value;
  const old = budget_chars !== now && `It was made with ${grouped(budget_chars)}; now ${grouped(now)} are allowed.`;
  return h(
    'section',
    {},
    title,
    h('p', { class: `binding ${bindingOf(receipt)}` }, bindingText(receipt)),
    usage(receipt),
    old && h('p', { class: 'quiet' }, old),
    ...receipt.warnings.map((warning) => h('p', { class: 'warning' }, warning)),
    receipt.items.length > 0 && tiers(receipt),
    receipt.items.length > 0 && items(receipt),
    h('p', { class: 'quiet' }, figures(receipt)),
  );
}

function bindingText(receipt: KnownReceipt): string {
  const binding = bindingOf(receipt);
  const { summary, cut, omitted } = outcomeCounts(receipt.items);
  const steps = counted(receipt.items.length, 'earlier step');
  if (binding === 'nothing') return `Nothing was held back: all of ${steps} fitted.`;
  const summed = summary > 0 ? `, ${grouped(summary)} in summary` : '';
  if (binding === 'steps')
    return `${counted(cut, 'earlier step')} cut${summed} at the limit for a single step; the whole had room.`;
  return `The budget was binding: of ${steps}, ${grouped(omitted)} omitted${summed} and ${grouped(cut)} cut.`;
}

function usage({ context_truncation, over_budget_chars: overChars }: KnownReceipt): HTMLElement {
  const { chars_used: usedChars, budget_chars: budgetChars } = context_truncation;
  const over = overChars > 0 ? `, ${grouped(overChars)} too many` : '';
  const text = `${grouped(usedChars)} of ${grouped(budgetChars)} characters${over}`;
  const most = Math.max(budgetChars, 1);
  const meter = h('meter', { id: 'usage', max: most, high: most * 0.95, optimum: 0, value: Math.min(usedChars, most) });
  return h('p', { class: 'usage' }, meter, h('label', { for: 'usage' }, text));
}

function tiers(receipt: KnownReceipt): HTMLElement {
  const rows = Object.entries(tierCounts(receipt)).map(([tier, { included, summary, cut, omitted }]) => [
    tier,
    ...[included, summary, cut, omitted].map(numberCell),
  ]);
  return table('Earlier steps by priority', ['Priority', 'Included', 'Summary', 'Cut', 'Omitted'], rows);
}

function numberCell(count: number): HTMLElement {
  return h('td', { class: count === 0 ? 'number none' : 'number' }, grouped(count));
}

function items({ items }: KnownReceipt): HTMLElement {
  const rows = items.map(({ step, tier, outcome, chars, shown_chars, reason }) => [
    step,
    tier,
    h('td', { class: outcome }, outcome),
    h('td', { class: 'number' }, `${grouped(shown_chars)} of ${grouped(chars)}`),
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

function figures({ run, attempt, measured }: KnownReceipt): string {
  const which = `Run ${run}, attempt ${attempt}.`;
  if (measured === undefined) return `${which} It has not ended.`;
  const { first_tokens, peak_tokens, cost_usd, duration_ms, exit_code } = measured;
  const tokens = `${grouped(first_tokens)} tokens in the first call, ${grouped(peak_tokens)} at most (measured)`;
  const time = grouped(Math.round(duration_ms / 1000));
  return `${which} ${tokens}; $${cost_usd.toFixed(2)}, ${time} s, exit code ${exit_code}.`;
}
