import { counted, percent, tokens } from '../../report/figures.ts';
import { escaped, HTML_HEAD, htmlTable } from '../../report/html.ts';
import { BUDGET_FIELDS } from '../pack/budgets.ts';
import { outcomeCounts } from '../pack/receipt.ts';
import { type FlowExplained, type LevelFiles, type StepExplained, sourceText } from './explain.ts';

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

function overview({ steps }: FlowExplained): string {
  return htmlTable({
    caption: 'Every step, its budgets and what its pack would hold, in characters',
    wide: true,
    headings: 'Step,Context budget,Recent history,Older history,Pack,Filled,Whole,No output yet,Cut,Omitted'.split(','),
    figures: [1, 2, 3, 4, 5, 6, 7, 8, 9],
    rows: steps.map(({ step, budgets, without_output, receipt }) => {
      const { chars_used, budget_chars } = receipt.context_truncation;
      const { included, cut, omitted } = outcomeCounts(
        receipt.items.filter((item) => !without_output.includes(item.step)),
      );
      const marked = (text: string, kind: string, isMarked: boolean) => ({ text, kind: isMarked ? kind : undefined });
      return [
        { text: step, href: `#step-${step}` },
        ...BUDGET_FIELDS.map((field) => tokens(budgets[field].value)),
        tokens(chars_used),
        marked(percent(chars_used / budget_chars), 'omitted', chars_used > budget_chars),
        tokens(included),
        tokens(without_output.length),
        marked(tokens(cut), 'cut', cut > 0),
        marked(tokens(omitted), 'omitted', omitted > 0),
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
    headings: ['Budget', 'Characters', 'Comes from'],
    figures: [1],
    rows: BUDGET_FIELDS.map((field) => {
      const { value, source } = budgets[field];
      const from = { text: sourceText(source, files), kind: source === 'default' ? undefined : 'set' };
      return [field, tokens(value), from];
    }),
  });
}

function historyTable({ step, receipt, without_output }: StepExplained): string {
  if (receipt.items.length === 0) return '<p>It sees no earlier steps.</p>';
  return htmlTable({
    caption: `Earlier steps that ${step} sees, oldest first`,
    headings: ['Step', 'Priority', 'Characters', 'Shown', 'Outcome', 'Why'],
    figures: [2, 3],
    rows: receipt.items.map(({ step: id, tier, classified_by, chars, shown_chars, outcome, reason }) => {
      const named = [id, `${tier} (${classified_by})`];
      if (without_output.includes(id)) return [...named, '–', '–', 'no output yet', ''];
      const text = outcome === 'included' ? 'whole' : outcome;
      return [...named, tokens(chars), tokens(shown_chars), { text, kind: outcome }, reason];
    }),
  });
}

function fileList({ receipt: { artifacts }, step }: StepExplained): string {
  if (artifacts.length === 0) return '';
  const items = artifacts.map(({ path, outcome }) => listItem(outcome === 'included' ? path : `${path} (omitted)`));
  return `<h4 id="files-${escaped(step)}">Files of earlier steps</h4>
<ul aria-labelledby="files-${escaped(step)}">${items.join('')}</ul>`;
}
