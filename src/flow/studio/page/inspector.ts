import { counted, grouped, h, part, table } from '../../../browser/dom.ts';
import {
  type BudgetKey,
  type BudgetsView,
  bindingOf,
  type Edit,
  type FlowView,
  outcomeCounts,
  PROFILE,
  type StepView,
  type StudioView,
} from '../studio-view.ts';
import { type BudgetsForm, createForm } from './budgets-form.ts';
import { type Drafts, levelOf } from './drafts.ts';
import { receiptPart } from './receipt.ts';

/** The part of the page about the flow as a whole, or about one step. */
export interface Inspector {
  /** The level, as an edit names it. */
  chosen(): string | null;
  choose(step: string | null): void;
  /** Renders the form, with the drafts. */
  show(flow: FlowView | undefined, typed: FlowView | undefined): void;
  /** Updates what holds; the form stays. */
  update(view: StudioView, drafts: Drafts): void;
  levelIn(flow: FlowView | undefined): BudgetsView | undefined;
  /** Links to the levels that are no steps. */
  links(flow: FlowView): HTMLElement[];
}

interface Callbacks {
  readonly onEdit: (edit: Edit) => void;
  readonly onSubmit: () => void;
}

export function createInspector({ onEdit, onSubmit }: Callbacks): Inspector {
  let step: string | null = null;
  let form: BudgetsForm | undefined;
  const below = h('div');
  const levelIn = (flow: FlowView | undefined) => flow && levelOf(flow, step);

  return {
    chosen: () => step,
    choose: (id) => {
      step = id;
    },
    levelIn,
    show(flow, typed) {
      const of = step;
      const onInput = (key: BudgetKey, value: string) => onEdit({ step: of, key, value });
      form = typed && createForm(levelIn(typed)?.own ?? {}, { onInput, onSubmit });
      const chosen = flow?.steps.find(({ id }) => id === step);
      part('inspector').replaceChildren();
      if (flow === undefined || form === undefined) return;
      const head = chosen !== undefined ? stepHead(chosen) : step === PROFILE ? profileHead(flow) : flowHead(flow);
      part('inspector').append(...head, form.element, below);
    },
    update({ flow, findings }, drafts) {
      const level = levelIn(flow);
      if (flow === undefined || level === undefined) return;
      const index = flow.steps.findIndex(({ id }) => id === step);
      const holder = step === PROFILE ? `${flow.profile?.key}.` : step === null ? '' : `steps[${index}].`;
      form?.update({
        budgets: level,
        faultOf: (key) => findings.find((finding) => finding.key === `${holder}budgets.${key}`)?.message,
        isDraft: (key) => drafts.has(step, key),
      });
      const chosen = flow.steps[index];
      below.replaceChildren(chosen === undefined ? overview(flow) : receiptPart(chosen));
    },
    links({ profile }) {
      const link = (href: string, text: string, isChosen: boolean) =>
        h('a', { href, class: 'flow-link', 'aria-current': isChosen ? 'true' : undefined }, text);
      const ofProfile = profile && link('#profile', `The profile ${profile.name}`, step === PROFILE);
      return [...(ofProfile ? [ofProfile] : []), link('#flow', 'The flow: budgets of all steps', step === null)];
    },
  };
}

function flowHead({ steps, window }: FlowView): HTMLElement[] {
  const sizes = `Presets and shares are those of a window of ${grouped(window)} tokens.`;
  return [
    h('h2', { id: 'inspector-title' }, 'The flow'),
    h('p', { class: 'quiet' }, `Holds for all of its ${counted(steps.length, 'step')} that say nothing else. ${sizes}`),
  ];
}

function profileHead({ profile }: FlowView): HTMLElement[] {
  const place =
    profile?.file === undefined
      ? 'It stands in the file of the flow.'
      : `It stands in ${profile.file}: what is changed here holds for all flows that choose it.`;
  return [
    h('h2', { id: 'inspector-title' }, `The profile ${profile?.name}`),
    h('p', { class: 'quiet' }, `Holds where neither the flow nor the step says anything else. ${place}`),
  ];
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
  const { omitted, summary, cut } = outcomeCounts(receipt.items);
  const binding = bindingOf(receipt);
  if (binding === 'nothing') return 'all fitted';
  const parts = `${summary > 0 ? `${summary} in summary, ` : ''}${cut} cut`;
  return binding === 'whole' ? `binding: ${omitted} omitted, ${parts}` : parts;
}
