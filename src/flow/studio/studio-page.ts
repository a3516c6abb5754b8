import { groupDigits, pluralize } from '../../core/text/words.ts';
import { dollars, duration } from '../../report/figures.ts';
import { type Html, html, htmlTable } from '../../report/html.ts';
import type { KnownReceipt } from '../earlier-run.ts';
import { BUDGET_FIELDS } from '../pack/budgets.ts';
import { TIERS } from '../pack/priority.ts';
import { outcomeCounts } from '../pack/receipt.ts';
import {
  type BudgetsView,
  bindingOf,
  type Edit,
  type FlowView,
  levelOf,
  type StepView,
  type StudioView,
} from './file-studio.ts';

/** What the page shows of a flow. */
interface ShownEdit {
  /** The level whose budgets the form edits. */
  readonly level: Edit['step'];
  /** Values in the form that differ from the file. */
  readonly edits: readonly Edit[];
  /** The result of the last request, or why it failed. */
  readonly notice?: string;
}

/** The studio's page: a form for the budgets of one level, and their effect. Contains no script. */
export function studioPage(view: StudioView, shown: ShownEdit): string {
  const { file, flow } = view;
  const title = flow?.name ?? 'Flow Studio';
  const about = [file, flow?.profile && `profile ${flow.profile}`].filter(Boolean).join(' · ');
  const notice = flow === undefined ? `${file} is not a flow that can be run` : shown.notice;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} – Flow Studio</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="style.css">
</head>
<body>
<a class="skip" href="#level">Skip to the budgets</a>
<header><h1>${title}</h1><p class="quiet">${about}</p></header>
${notice !== undefined && html`<p class="card notice" role="alert">${notice}</p>`}
${flow === undefined ? html`<ul>${view.findings.map(({ message }) => html`<li>${message}</li>`)}</ul>` : main(view, flow, shown)}
</body>
</html>
`.text;
}

function main(view: StudioView, flow: FlowView, shown: ShownEdit): Html {
  const step = flow.steps.find(({ id }) => id === shown.level);
  return html`<main>
<nav aria-label="Steps of the flow">
${link(null, 'The flow: budgets of all steps', shown)}
${flow.steps.map((each) => html`<ul><li>${stepLink(each, shown)}</li></ul>`)}
</nav>
<section id="level" class="card">
${headOf(flow, step)}
${form(view, flow, shown)}
${step === undefined ? overview(flow) : html`<h3>Last run</h3>${receiptOf(step)}`}
</section>
</main>`;
}

function link(level: Edit['step'], text: string, shown: Pick<ShownEdit, 'level'>, kind = ''): Html {
  const query = level === null ? '' : `level=${encodeURIComponent(level)}`;
  const current = level === shown.level && html` aria-current="true"`;
  return html`<a href="?${query}" class="${kind}"${current}>${text}</a>`;
}

function stepLink(step: StepView, shown: ShownEdit): Html {
  const own = Object.keys(step.budgets.own).length > 0 ? 'own' : '';
  const size = groupDigits(step.budgets.effective.contextBudgetChars.value);
  return html`${link(step.id, step.id, shown, own)} <small>${size}</small>`;
}

function headOf({ steps, window }: FlowView, step: StepView | undefined): Html {
  if (step !== undefined) {
    const { id, agent, objective } = step;
    return html`<h2>${id} <span class="agent">${agent}</span></h2>${objective !== undefined && html`<p>${objective}</p>`}
<p class="quiet">It sees the output of ${pluralize(steps.indexOf(step), 'earlier step')}.</p>`;
  }
  return html`<h2>The flow</h2><p class="quiet">These budgets apply to each of its ${pluralize(steps.length, 'step')}, unless the step sets its own. Presets and shares refer to a window of ${groupDigits(window)} tokens.</p>`;
}

export const FIELDS = [
  { key: 'preset', label: 'Preset', hint: 'Sets the three sizes below; a size that is set there wins.' },
  { key: 'contextBudgetChars', label: 'Whole briefing', hint: 'In characters.' },
  { key: 'historyRecentChars', label: 'Newest step', hint: 'Its output, in characters.' },
  { key: 'historyOlderChars', label: 'Each older step', hint: 'Its output, in characters.' },
] as const;

const PRESETS = ['', 'lean', 'balanced', 'heavy'];

/** The Save button appears only after the effect of the changes is shown. */
function form(view: StudioView, flow: FlowView, { level, edits }: ShownEdit): Html {
  const budgets = levelOf(flow, level);
  const place = level === null ? 'budgets' : `steps[${flow.steps.findIndex(({ id }) => id === level)}].budgets`;
  const rows = FIELDS.map((field) => {
    const typed = edits.find(({ key }) => key === field.key)?.value;
    const fault = view.findings.find(({ key }) => key === `${place}.${field.key}`)?.message;
    return budgets && row(field, budgets, typed, fault);
  });
  const isGood = view.isChanged && view.findings.length === 0;
  return html`<form method="post" autocomplete="off">
<input type="hidden" name="hash" value="${view.hash}">
${rows}
<div class="actions"><button name="action" value="view">Preview</button>${isGood && html` <button name="action" value="save" class="main">Save</button>`} ${link(level, 'Discard', { level: '' })}</div>
</form>`;
}

function row(
  { key, label, hint }: (typeof FIELDS)[number],
  budgets: BudgetsView,
  typed: string | undefined,
  fault = '',
): Html {
  const value = typed ?? String(budgets.own[key] ?? '');
  const message = fault || (budgets.warnings.find(({ field }) => field === key)?.message ?? '');
  const size = key === 'preset' ? undefined : budgets.effective[key];
  const used = size && `${groupDigits(size.value)} used, from ${size.source}`;
  const kind = value === '' ? 'row' : 'row own';
  const input =
    key === 'preset'
      ? html`<select id="${key}" name="${key}">${PRESETS.map((preset) => html`<option value="${preset}"${preset === value && html` selected`}>${preset || 'not set'}</option>`)}</select>`
      : html`<input id="${key}" name="${key}" value="${value}" maxlength="100" inputmode="numeric" spellcheck="false" aria-describedby="${key}-hint"${fault !== '' && html` aria-invalid="true"`}>`;
  return html`<div class="${kind}"><label for="${key}">${label} <code>${key}</code></label>${input}<p class="used">${used}</p>
<p id="${key}-hint" class="quiet">${hint}</p><p class="warning">${message}</p></div>`;
}

/** The effective budgets of all steps, with the source of each value. */
function overview({ steps }: FlowView): Html {
  const rows = steps.map((step) => [
    link(step.id, step.id, { level: null }),
    ...BUDGET_FIELDS.map((field) => cell(step, field)),
    runText(step),
  ]);
  const columns = ['Step', 'Whole', 'Newest step', 'Older steps', 'Last run'];
  return htmlTable('Budgets of all steps, in characters', columns, rows);
}

function cell({ budgets }: StepView, field: keyof BudgetsView['effective']): Html {
  const { value, source } = budgets.effective[field];
  const isOwn = source === 'step' || source.endsWith('(step)');
  const isChanged = budgets.warnings.some((warning) => warning.field === field);
  const kind = `figure${isOwn ? ' own' : ''}${isChanged ? ' changed' : ''}`;
  return html`<td class="${kind}">${groupDigits(value)}<small>${source.replace('preset ', '')}${isChanged && ', limited'}</small></td>`;
}

function runText({ receipt }: StepView): string {
  if (receipt === undefined) return 'not run';
  return 'fault' in receipt ? 'not readable' : bindingText(receipt);
}

function receiptOf({ receipt, budgets }: StepView): Html {
  if (receipt === undefined) return html`<p class="quiet">This step has not been run yet.</p>`;
  if ('fault' in receipt) return html`<p class="warning">Not shown: ${receipt.fault}.</p>`;
  const { chars_used, budget_chars } = receipt.context_truncation;
  const now = budgets.effective.contextBudgetChars.value;
  const excess = receipt.over_budget_chars;
  return html`<p class="binding ${bindingOf(receipt)}">${bindingText(receipt)}</p>
<p><label><meter max="${budget_chars}" value="${chars_used}"></meter> ${groupDigits(chars_used)} of ${groupDigits(budget_chars)} characters${excess > 0 && `, ${groupDigits(excess)} too many`}</label></p>
${budget_chars !== now && html`<p class="quiet">It was made with ${groupDigits(budget_chars)}; now ${groupDigits(now)} are allowed.</p>`}
${receipt.warnings.map((warning) => html`<p class="warning">${warning}</p>`)}
${receipt.items.length > 0 && [tiers(receipt), items(receipt)]}
<p class="quiet">${figures(receipt)}</p>`;
}

function bindingText(receipt: KnownReceipt): string {
  const { summary, cut, omitted } = outcomeCounts(receipt.items);
  const steps = pluralize(receipt.items.length, 'earlier step');
  const binding = bindingOf(receipt);
  if (binding === 'nothing') return `Nothing was held back (${steps}).`;
  const summed = summary > 0 ? `, ${groupDigits(summary)} in summary` : '';
  if (binding === 'steps')
    return `${pluralize(cut, 'earlier step')} cut${summed} at the limit for a single step; the whole had room.`;
  return `The budget was binding: of ${steps}, ${groupDigits(omitted)} omitted${summed} and ${groupDigits(cut)} cut.`;
}

function tiers({ items }: KnownReceipt): Html {
  const rows = TIERS.map((tier) => {
    const { included, summary, cut, omitted } = outcomeCounts(items.filter((item) => item.tier === tier));
    return [
      tier,
      ...[included, summary, cut, omitted].map((count) => html`<td class="figure">${groupDigits(count)}</td>`),
    ];
  });
  return htmlTable('Earlier steps by priority', ['Priority', 'Included', 'Summary', 'Cut', 'Omitted'], rows);
}

function items({ items }: KnownReceipt): Html {
  const rows = items.map(({ step, tier, outcome, chars, shown_chars, reason }) => [
    step,
    tier,
    html`<td class="${outcome}">${outcome}</td>`,
    html`<td class="figure">${groupDigits(shown_chars)} of ${groupDigits(chars)}</td>`,
    reason,
  ]);
  const columns = ['Step', 'Priority', 'Outcome', 'Characters', 'Why'];
  return html`<details><summary>Each of ${pluralize(items.length, 'earlier step')}</summary>${htmlTable('Earlier steps, oldest first', columns, rows)}</details>`;
}

function figures({ run, measured }: KnownReceipt): string {
  if (measured === undefined) return `Run ${run}. It has not ended.`;
  const { first_tokens, peak_tokens, cost_usd, duration_ms, exit_code, error } = measured;
  return `Run ${run}. ${groupDigits(first_tokens)} tokens in the first call, ${groupDigits(peak_tokens)} at most (measured); ${dollars(cost_usd)}, ${duration(duration_ms)}, exit code ${exit_code}${error ? `: ${error}` : ''}.`;
}
