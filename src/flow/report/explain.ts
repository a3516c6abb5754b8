import { counted, percent, tokens } from '../../report/figures.ts';
import { escaped, HTML_HEAD, htmlTable } from '../../report/html.ts';
import { aligned, folded } from '../../report/layout.ts';
import { onOneLine } from '../../report/shown.ts';
import type { Style } from '../../report/style.ts';
import { type BriefingWorld, briefingOf } from '../briefing.ts';
import { effectiveCurator } from '../effective.ts';
import { stepGraph } from '../file/order-steps.ts';
import type { Flow, FlowStep } from '../flow.ts';
import { BUDGET_FIELDS, type BudgetSource, LEVELS, type Level } from '../pack/budgets.ts';
import { outcomeCounts } from '../pack/receipt.ts';

export type FlowExplained = ReturnType<typeof explainFlow>;

type StepExplained = FlowExplained['steps'][number];

/** A level without values of its own may have none. */
export type LevelFiles = Readonly<Partial<Record<Level, string>>>;

/** Where a value comes from, with the file. */
function sourceText(source: BudgetSource, files: LevelFiles): string {
  const level = LEVELS.find((each) => source === each || source.endsWith(`(${each})`));
  const file = level && files[level];
  return file === undefined ? source : `${source}, ${file}`;
}

/**
 * What the steps of a flow would be given if they were run now.
 *
 * @param world its outputs are those of `run`; undefined: the flow has not run
 * @param files that the values of each level stand in, relative to the working folder
 */
export function explainFlow(
  flow: Flow,
  world: BriefingWorld,
  { run, files = {} }: { readonly run?: string | undefined; readonly files?: LevelFiles } = {},
) {
  const needs = stepGraph(flow.steps);
  return {
    version: 1,
    flow: flow.name,
    profile: flow.profile ?? null,
    files,
    run: run ?? null,
    steps: flow.steps.map((step) => explainStep(flow, step, world, needs.get(step.id) ?? [])),
  };
}

function explainStep(flow: Flow, step: FlowStep, world: BriefingWorld, needs: readonly string[]) {
  const { pack, budgets } = briefingOf(flow, step, {
    ...world,
    // Steps that have not run are listed too.
    outputs: (id) => world.outputs(id) ?? { ok: true, output: '', error: undefined },
  });
  const seen = pack.receipt.items.map((item) => item.step);
  const { curator, source } = effectiveCurator(flow, step, world);
  return {
    step: step.id,
    agent: step.agent ?? null,
    needs,
    budgets: budgets.values,
    curator: { enabled: curator.enabled, model: curator.model, source },
    budget_warnings: budgets.warnings,
    // The receipt has them with 0 characters.
    without_output: seen.filter((id) => world.outputs(id) === undefined),
    receipt: pack.receipt,
  };
}

/** @param columns of the terminal; undefined: none */
export function flowExplainText(explained: FlowExplained, style: Style, columns?: number): string {
  const { flow, profile, files, run, steps } = explained;
  const from = run === null ? 'nothing has run yet' : `outputs of run ${run}`;
  const facts = [counted(steps.length, 'step'), ...(profile === null ? [] : [`profile ${onOneLine(profile)}`]), from];
  const heading = `${style.bold(flow)}: ${facts.join(', ')}`;
  return `${folded([heading, ...steps.map((step) => stepText(step, files, style))].join('\n\n'), columns)}\n`;
}

function stepText(step: StepExplained, files: LevelFiles, style: Style): string {
  const agent = step.agent === null ? '' : ` ${style.dim(`(${onOneLine(step.agent)})`)}`;
  const lines = [
    ...budgetLines(step, files, style),
    ...curatorLine(step, files),
    ...step.budget_warnings.map(({ message }) => style.yellow(`! ${message}`)),
    packLine(step, style),
    ...step.receipt.warnings.map((warning) => style.red(`! ${warning}`)),
    ...nameLines(step, style),
    ...heldBack(step, style),
  ];
  return [`${style.bold(style.cyan(step.step))}${agent}`, ...lines.map((line) => `  ${line}`)].join('\n');
}

function budgetLines({ budgets }: StepExplained, files: LevelFiles, style: Style): string[] {
  const lines = aligned(BUDGET_FIELDS.map((field) => [field, tokens(budgets[field].value)]));
  return BUDGET_FIELDS.map((field, index) => {
    const source = onOneLine(sourceText(budgets[field].source, files));
    return `${lines[index]}  ${source === 'default' ? style.dim(source) : source}`;
  });
}

function curatorLine({ curator: { enabled, model, source } }: StepExplained, files: LevelFiles): string[] {
  if (source === 'default') return [];
  return [`curator: ${enabled ? onOneLine(model) : 'off'}  ${onOneLine(sourceText(source, files))}`];
}

function packLine({ receipt, curator }: StepExplained, { yellow, red }: Style): string {
  const { chars_used, budget_chars, truncated } = receipt.context_truncation;
  const size = `${tokens(chars_used)} of ${tokens(budget_chars)} characters (${percent(chars_used / budget_chars)})`;
  const paint = receipt.over_budget_chars > 0 ? red : truncated ? yellow : (text: string) => text;
  return `${paint(`briefing: ${size}`)}, of them ${tokens(receipt.whole_chars)} of notes and task${unchosen(curator)}`;
}

/** A curator is only asked when the step runs. */
function unchosen({ enabled }: StepExplained['curator']): string {
  return enabled ? ', before its curator has chosen' : '';
}

/** Steps that are whole, or have no output yet, and files, by name. */
function nameLines({ receipt, without_output }: StepExplained, { green, dim }: Style): string[] {
  const waiting = new Set(without_output);
  const whole = receipt.items.filter(({ step, outcome }) => outcome === 'included' && !waiting.has(step));
  const steps = whole.map(({ step }) => step);
  const files = receipt.artifacts.filter(({ outcome }) => outcome === 'included').map(({ path }) => path);
  return [
    ...named(green('whole'), steps),
    ...named(dim('no output yet'), without_output),
    ...named(green('files'), files),
  ];
}

function named(what: string, names: readonly string[]): string[] {
  return names.length === 0 ? [] : [`${what}: ${names.map(onOneLine).join(', ')}`];
}

function heldBack({ receipt, without_output }: StepExplained, { yellow, red }: Style): string[] {
  const waiting = new Set(without_output);
  const items = receipt.items.filter(({ step, outcome }) => outcome !== 'included' && !waiting.has(step));
  const rows = items.map(({ outcome, step, tier, shown_chars, chars }) => [
    `${outcome.padEnd('omitted'.length)}  ${step}`,
    tier,
    `${tokens(shown_chars)} of ${tokens(chars)}`,
  ]);
  const lines = aligned(rows);
  const painted = items.map(({ outcome, reason }, at) => (outcome === 'cut' ? yellow : red)(`${lines[at]}  ${reason}`));
  const files = receipt.artifacts.filter(({ outcome }) => outcome === 'omitted').map(({ path }) => path);
  return [...painted, ...named(red('files omitted'), files)];
}

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
<p><label>Briefing <meter min="0" max="${budget_chars}" value="${chars_used}">${size}</meter></label> ${size}, of them ${tokens(receipt.whole_chars)} of notes and task${unchosen(curator)}.</p>
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
