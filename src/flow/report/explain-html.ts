import { counted, percent, tokens } from '../../report/figures.ts';
import { escaped, HTML_HEAD, htmlTable } from '../../report/html.ts';
import { type FlowExplained, type LevelFiles, type StepExplained, sourceText } from '../explain.ts';
import { BUDGET_FIELDS, type BudgetSource } from '../pack/budgets.ts';
import { outcomeCounts } from '../pack/receipt.ts';

/** One self-contained page: no network, no script. */
export function flowExplainHtml(flow: FlowExplained): string {
  const title = `Briefings of ${flow.flow}`;
  return `${HTML_HEAD}
<title>${escaped(title)}</title>
</head>
<body>
<a class="skip" href="#steps">To the steps</a>
<header>
<h1>${escaped(title)}</h1>
<p>${escaped(factsOf(flow))}</p>
</header>
<main>
<section aria-labelledby="overview">
<h2 id="overview">Overview</h2>
${overview(flow)}
</section>
<section aria-labelledby="steps">
<h2 id="steps">Steps</h2>
${flow.steps.map((step) => section(step, flow.files)).join('\n')}
</section>
</main>
</body>
</html>
`;
}

function factsOf({ profile, run, steps }: FlowExplained): string {
  const from =
    run === null ? 'nothing has run yet, so earlier steps have no output' : `outputs are those of run ${run}`;
  return `${[counted(steps.length, 'step'), ...(profile === null ? [] : [`profile ${profile}`]), from].join(', ')}.`;
}

const OVERVIEW_FIGURES =
  'Context budget,Recent history,Older history,Pack,Filled,Whole,No output yet,Cut,Omitted'.split(',');

function overview({ steps }: FlowExplained): string {
  return htmlTable({
    caption: 'Every step, its budgets and what its pack would hold, in characters',
    wide: true,
    headings: [{ text: 'Step' }, ...OVERVIEW_FIGURES.map((text) => ({ text, figure: true }))],
    rows: steps.map((step) => {
      const { chars_used, budget_chars } = step.receipt.context_truncation;
      const { without_output, receipt } = step;
      const counts = outcomeCounts(receipt.items.filter((item) => !without_output.includes(item.step)));
      return [
        { html: `<a href="#step-${escaped(step.step)}">${escaped(step.step)}</a>` },
        ...BUDGET_FIELDS.map((field) => ({ html: tokens(step.budgets[field].value) })),
        { html: tokens(chars_used) },
        { html: percent(chars_used / budget_chars), kind: chars_used > budget_chars ? 'omitted' : undefined },
        { html: tokens(counts.included) },
        { html: tokens(step.without_output.length) },
        { html: tokens(counts.cut), kind: counts.cut > 0 ? 'cut' : undefined },
        { html: tokens(counts.omitted), kind: counts.omitted > 0 ? 'omitted' : undefined },
      ];
    }),
  });
}

function section(step: StepExplained, files: LevelFiles): string {
  const { agent, needs, receipt, curator } = step;
  const { chars_used, budget_chars } = receipt.context_truncation;
  const id = escaped(step.step);
  const size = `${tokens(chars_used)} of ${tokens(budget_chars)} characters`;
  const facts = [
    ...(agent === null ? [] : [`Agent ${agent}.`]),
    `Needs ${needs.join(', ') || 'nothing'}.`,
    ...(curator.source === 'default'
      ? []
      : [`Curator: ${curator.enabled ? curator.model : 'off'} (${sourceText(curator.source, files)}).`]),
  ].join(' ');
  const warnings = [...step.budget_warnings.map(({ message }) => message), ...receipt.warnings];
  return `<article aria-labelledby="step-${id}">
<h3 id="step-${id}">${id}</h3>
<p>${escaped(facts)}</p>
${warnings.length === 0 ? '' : `<ul class="warnings" aria-label="Warnings of ${id}">${warnings.map(listItem).join('')}</ul>`}
<p><label>Pack <meter min="0" max="${budget_chars}" value="${chars_used}">${size}</meter></label> ${size}, of them ${tokens(receipt.whole_chars)} of notes and task.</p>
${budgetTable(step, files)}
${historyTable(step)}
${fileList(step)}
</article>`;
}

function listItem(text: string): string {
  return `<li>${escaped(text)}</li>`;
}

function budgetTable({ step, budgets }: StepExplained, files: LevelFiles): string {
  return htmlTable({
    caption: `Budgets of ${step}`,
    headings: [{ text: 'Budget' }, { text: 'Characters', figure: true }, { text: 'Comes from' }],
    rows: BUDGET_FIELDS.map((field) => [
      { html: field },
      { html: tokens(budgets[field].value) },
      sourceCell(budgets[field].source, files),
    ]),
  });
}

function sourceCell(source: BudgetSource, files: LevelFiles) {
  return { html: escaped(sourceText(source, files)), kind: source === 'default' ? undefined : ('set' as const) };
}

function historyTable({ step, receipt, without_output }: StepExplained): string {
  if (receipt.items.length === 0) return '<p>It sees no earlier steps.</p>';
  const waiting = new Set(without_output);
  return htmlTable({
    caption: `Earlier steps that ${step} sees, oldest first`,
    headings: [
      { text: 'Step' },
      { text: 'Priority' },
      { text: 'Characters', figure: true },
      { text: 'Shown', figure: true },
      { text: 'Outcome' },
      { text: 'Why' },
    ],
    rows: receipt.items.map(({ step: id, tier, classified_by, chars, shown_chars, outcome, reason }) =>
      waiting.has(id)
        ? [id, `${tier} (${classified_by})`, '–', '–', 'no output yet', ''].map((text) => ({ html: escaped(text) }))
        : [
            { html: escaped(id) },
            { html: escaped(`${tier} (${classified_by})`) },
            { html: tokens(chars) },
            { html: tokens(shown_chars) },
            { html: outcome === 'included' ? 'whole' : outcome, kind: outcome },
            { html: escaped(reason) },
          ],
    ),
  });
}

function fileList({ receipt: { artifacts }, step }: StepExplained): string {
  if (artifacts.length === 0) return '';
  const items = artifacts.map(({ path, outcome }) => listItem(outcome === 'included' ? path : `${path} (omitted)`));
  return `<h4 id="files-${escaped(step)}">Files of earlier steps</h4>
<ul aria-labelledby="files-${escaped(step)}">${items.join('')}</ul>`;
}
