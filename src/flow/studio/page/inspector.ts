import { counted, grouped, h, part, table } from '../../../browser/dom.ts';
import { TIERS } from '../../pack/priority.ts';
import { outcomeCounts } from '../../pack/receipt.ts';
import type { KnownReceipt } from '../../step-receipt.ts';
import { bindingOf, type Edit, type FlowView, PROFILE, type StepView, type StudioView } from '../studio-view.ts';
import { createForm } from './budgets-form.ts';
import { type Drafts, levelOf } from './drafts.ts';

interface Callbacks {
  readonly onEdit: (edit: Edit) => void;
  readonly onSubmit: () => void;
}

/**
 * Renders the part of the page about one level: the flow as a whole, its profile, or a step.
 *
 * @param saved the flow without the drafts
 * @returns shows a newer view; the form, and what is being typed, stays
 */
export function inspect(
  step: string | null,
  [flow, saved]: readonly [FlowView, FlowView],
  drafts: Drafts,
  { onEdit, onSubmit }: Callbacks,
): (view: StudioView) => void {
  const own = levelOf(saved, step)?.own;
  const form = createForm((key) => drafts.get(step, key) ?? own?.[key] ?? '', {
    onInput: (key, value) => onEdit({ step, key, value }),
    onSubmit,
  });
  const below = h('div');
  part('inspector').replaceChildren(...headOf(flow, step), form.element, below);
  return ({ flow: now, findings }) => {
    const budgets = levelOf(now, step);
    if (now === undefined || budgets === undefined) return;
    const index = now.steps.findIndex(({ id }) => id === step);
    const holder = step === PROFILE ? now.profile?.key : `steps[${index}]`;
    const place = step === null ? 'budgets' : `${holder}.budgets`;
    form.update({
      budgets,
      faultOf: (key) => findings.find((finding) => finding.key === `${place}.${key}`)?.message,
      isDraft: (key) => drafts.get(step, key) !== undefined,
    });
    const chosen = now.steps[index];
    const lastRun = chosen && h('section', {}, h('h3', {}, 'Last run'), ...receiptLines(chosen));
    below.replaceChildren(lastRun ?? overview(now));
  };
}

export function levelLinks({ profile }: FlowView, step: string | null): HTMLElement[] {
  const link = (href: string, text: string, isChosen: boolean) =>
    h('a', { href, class: 'flow-link', 'aria-current': isChosen ? 'true' : undefined }, text);
  const ofFlow = link('#flow', 'The flow: budgets of all steps', step === null);
  return profile === undefined ? [ofFlow] : [link('#profile', `The profile ${profile.name}`, step === PROFILE), ofFlow];
}

function headOf(flow: FlowView, step: string | null): HTMLElement[] {
  const { steps, window, profile } = flow;
  const chosen = steps.find(({ id }) => id === step);
  if (chosen !== undefined) return stepHead(chosen);
  if (step !== PROFILE) {
    const sizes = `Presets and shares are those of a window of ${grouped(window)} tokens.`;
    return head('The flow', `Holds for all of its ${counted(steps.length, 'step')} that say nothing else. ${sizes}`);
  }
  const place =
    profile?.file === undefined
      ? 'It stands in the file of the flow.'
      : `It stands in ${profile.file}: what is changed here holds for all flows that choose it.`;
  return head(`The profile ${profile?.name}`, `Holds where neither the flow nor the step says anything else. ${place}`);
}

function head(title: string, about: string): HTMLElement[] {
  return [h('h2', { id: 'inspector-title' }, title), h('p', { class: 'quiet' }, about)];
}

function stepHead({ id, agent, objective, after, sees }: StepView): HTMLElement[] {
  const needs = after.length === 0 ? 'It needs no other step' : `After ${after.join(', ')}`;
  return [
    h('h2', { id: 'inspector-title' }, id, ' ', h('span', { class: 'agent' }, agent ?? '')),
    ...(objective === undefined ? [] : [h('p', {}, objective)]),
    h('p', { class: 'quiet' }, `${needs}; it sees the output of ${counted(sees, 'step')}.`),
  ];
}

/** The effective budgets of all steps, with where each one comes from. */
function overview({ steps }: FlowView): HTMLElement {
  const rows = steps.map((step) => [
    h('a', { href: `#step/${step.id}` }, step.id),
    ...(['contextBudgetChars', 'historyRecentChars', 'historyOlderChars'] as const).map((field) => cell(step, field)),
    runText(step),
  ]);
  const columns = ['Step', 'Whole', 'Newest step', 'Older steps', 'Last run'];
  return h('div', { class: 'scroll' }, table('Budgets of all steps, in characters', columns, rows));
}

function cell({ budgets }: StepView, field: keyof StepView['budgets']['effective']): HTMLElement {
  const { value, source } = budgets.effective[field];
  const isOwn = source === 'step' || source.endsWith('(step)');
  const isChanged = budgets.warnings.some((warning) => warning.field === field);
  const from = source.replace('preset ', '');
  return h(
    'td',
    { class: ['figure', isOwn && 'own', isChanged && 'changed'].filter(Boolean).join(' ') },
    grouped(value),
    h('small', {}, isChanged ? `${from}, limited` : from),
  );
}

function runText({ receipt }: StepView): string {
  if (receipt === undefined) return 'not run';
  if ('fault' in receipt) return 'not readable';
  const { omitted, summary, cut } = outcomeCounts(receipt.items);
  const binding = bindingOf(receipt);
  if (binding === 'nothing') return 'all fitted';
  const parts = `${summary > 0 ? `${summary} in summary, ` : ''}${cut} cut`;
  return binding === 'whole' ? `binding: ${omitted} omitted, ${parts}` : parts;
}

function receiptLines({ receipt, budgets }: StepView): (HTMLElement | false)[] {
  if (receipt === undefined) return [h('p', { class: 'quiet' }, 'This step has not been run yet.')];
  if ('fault' in receipt) return [h('p', { class: 'warning' }, `Not shown: ${receipt.fault}.`)];
  const { budget_chars } = receipt.context_truncation;
  const now = budgets.effective.contextBudgetChars.value;
  const change = `It was made with ${grouped(budget_chars)}; now ${grouped(now)} are allowed.`;
  return [
    h('p', { class: `binding ${bindingOf(receipt)}` }, bindingText(receipt)),
    usage(receipt),
    budget_chars !== now && h('p', { class: 'quiet' }, change),
    ...receipt.warnings.map((warning) => h('p', { class: 'warning' }, warning)),
    receipt.items.length > 0 && tiers(receipt),
    receipt.items.length > 0 && items(receipt),
    h('p', { class: 'quiet' }, figures(receipt)),
  ];
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
  const meter = h('meter', { id: 'usage', max: budgetChars, high: budgetChars * 0.95, optimum: 0, value: usedChars });
  return h('p', { class: 'usage' }, meter, h('label', { for: 'usage' }, text));
}

function tiers({ items }: KnownReceipt): HTMLElement {
  const cell = (count: number) => h('td', { class: count === 0 ? 'figure none' : 'figure' }, grouped(count));
  const rows = TIERS.map((tier) => {
    const { included, summary, cut, omitted } = outcomeCounts(items.filter((item) => item.tier === tier));
    return [tier, ...[included, summary, cut, omitted].map(cell)];
  });
  return table('Earlier steps by priority', ['Priority', 'Included', 'Summary', 'Cut', 'Omitted'], rows);
}

function items({ items }: KnownReceipt): HTMLElement {
  const rows = items.map(({ step, tier, outcome, chars, shown_chars, reason }) => [
    step,
    tier,
    h('td', { class: outcome }, outcome),
    h('td', { class: 'figure' }, `${grouped(shown_chars)} of ${grouped(chars)}`),
    reason,
  ]);
  const all = table('Earlier steps, oldest first', ['Step', 'Priority', 'Outcome', 'Characters', 'Why'], rows);
  const summary = h('summary', {}, `Each of ${counted(items.length, 'earlier step')}`);
  return h('details', {}, summary, h('div', { class: 'scroll' }, all));
}

function figures({ run, attempt, measured }: KnownReceipt): string {
  const which = `Run ${run}, attempt ${attempt}.`;
  if (measured === undefined) return `${which} It has not ended.`;
  const { first_tokens, peak_tokens, cost_usd, duration_ms, exit_code } = measured;
  const tokens = `${grouped(first_tokens)} tokens in the first call, ${grouped(peak_tokens)} at most (measured)`;
  const time = grouped(Math.round(duration_ms / 1000));
  return `${which} ${tokens}; $${cost_usd.toFixed(2)}, ${time} s, exit code ${exit_code}.`;
}
