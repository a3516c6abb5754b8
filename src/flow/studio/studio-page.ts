import { type Html, html } from '../../report/html.ts';
import { PLAIN } from '../../report/style.ts';
import type { FlowStep } from '../flow.ts';
import { explainHeading, explainLines, type StepExplained } from '../report/explain.ts';
import { flowReportText, reportRun } from '../report/run-report.ts';
import { budgetFields, type StudioView } from './studio.ts';

export function studioPage(view: StudioView): string {
  const { file, hash, flow, explained, run, message, isChanged } = view;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${flow.name} – Flow Studio</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="style.css">
</head>
<body>
<header><h1>${flow.name}</h1><p class="quiet">${file}: ${explainHeading(explained)}</p></header>
${message !== undefined && html`<p class="card notice" role="alert">${message}</p>`}
<form method="post" autocomplete="off">
<input type="hidden" name="hash" value="${hash}">
<p class="quiet">Sizes in characters. An empty field shows the size that applies, in grey.</p>
${[undefined, ...flow.steps].map((step, at) => level(view, step, explained.steps[at - 1]))}
<p class="actions"><button name="action" value="view">Preview</button>${isChanged && html` <button name="action" value="save" class="main">Save</button>`} <a href="?">Discard</a></p>
</form>
${run !== undefined && html`<section class="card"><h2>Last run</h2><pre>${flowReportText(reportRun(run), PLAIN)}</pre></section>`}
</body>
</html>
`.text;
}

const LABELS = {
  preset: 'Preset',
  contextBudgetChars: 'Whole briefing',
  historyRecentChars: 'Newest step',
  historyOlderChars: 'Each older step',
} as const;

function level({ flow, form }: StudioView, step?: FlowStep, explained?: StepExplained): Html {
  const fields = budgetFields(flow, step).map(({ key, name, value }) => {
    const typed = form.get(name) ?? value;
    const used = key === 'preset' ? undefined : explained?.budgets[key].value;
    const input =
      key === 'preset'
        ? html`<select name="${name}">${['', 'lean', 'balanced', 'heavy'].map((preset) => html`<option${preset === typed && html` selected`}>${preset}</option>`)}</select>`
        : html`<input name="${name}" value="${typed}" placeholder="${used}" maxlength="100" inputmode="numeric">`;
    return html`<label class="${typed === '' ? '' : 'own'}">${LABELS[key]} ${input}</label>`;
  });
  return html`<fieldset class="card"><legend>${step?.id ?? 'All steps'} <span class="quiet">${step?.agent}</span></legend>
<div class="fields">${fields}</div>
${explained !== undefined && html`<p>${step?.objective}</p><pre>${explainLines(explained, PLAIN).join('\n')}</pre>`}</fieldset>`;
}
