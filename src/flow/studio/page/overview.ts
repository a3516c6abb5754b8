import { grouped, h, table } from '../../../browser/dom.ts';
import { bindingOf, outcomeCounts } from '../receipt-summary.ts';
import type { FlowView, StepView } from '../studio-view.ts';

/** The effective budgets of all steps, with where each one comes from. */
export function overview({ steps }: FlowView): HTMLElement {
  const rows = steps.map((step) => [
    h('a', { href: `#step/${step.id}` }, step.id),
    ...(['contextBudgetChars', 'historyRecentChars', 'historyOlderChars'] as const).map((field) => cell(step, field)),
    runText(step),
  ]);
  const columns = ['Step', 'Whole', 'Newest step', 'Older steps', 'Last run'];
  return h('div', { class: 'wide' }, table('Budgets of all steps, in characters', columns, rows));
}

function cell({ budgets }: StepView, field: keyof StepView['budgets']['effective']): HTMLElement {
  const { value, source } = budgets.effective[field];
  const isOwn = source === 'step' || source.endsWith('(step)');
  const isChanged = budgets.warnings.some((warning) => warning.field === field);
  const from = source.replace('preset ', '');
  return h(
    'td',
    { class: ['number', isOwn && 'own', isChanged && 'changed'].filter(Boolean).join(' ') },
    grouped(value),
    h('small', {}, isChanged ? `${from}, limited` : from),
  );
}

function runText({ receipt }: StepView): string {
  if (receipt === undefined) return 'not run';
  if ('fault' in receipt) return 'not readable';
  const { omitted, cut } = outcomeCounts(receipt.items);
  const binding = bindingOf(receipt);
  if (binding === 'whole') return `binding: ${omitted} omitted, ${cut} cut`;
  return binding === 'steps' ? `${cut} cut` : 'all fitted';
}
