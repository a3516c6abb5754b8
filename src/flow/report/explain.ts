import { counted, percent, tokens } from '../../report/figures.ts';
import { align, foldText } from '../../report/layout.ts';
import { onOneLine } from '../../report/shown.ts';
import type { Style } from '../../report/style.ts';
import { type BriefingWorld, briefingOf, effectiveCurator } from '../briefing.ts';
import type { Flow, FlowStep } from '../flow.ts';
import { BUDGET_FIELDS } from '../pack/budgets.ts';

type FlowExplained = ReturnType<typeof explainFlow>;

type StepExplained = FlowExplained['steps'][number];

/**
 * The briefings that the steps of a flow would receive if they ran now.
 *
 * @param world its outputs come from `run`
 * @param run id of a run; undefined if the flow has not run
 */
export function explainFlow(flow: Flow, world: BriefingWorld, run?: string) {
  return {
    version: 1,
    flow: flow.name,
    profile: flow.profile ?? null,
    run: run ?? null,
    steps: flow.steps.map((step) => explainStep(flow, step, world)),
  };
}

function explainStep(flow: Flow, step: FlowStep, world: BriefingWorld) {
  const { pack, budgets } = briefingOf(flow, step, {
    ...world,
    // Include steps that have not run.
    outputs: (id) => world.outputs(id) ?? { ok: true, output: '', error: undefined },
  });
  const seen = pack.receipt.items.map((item) => item.step);
  const { curator, source } = effectiveCurator(flow, step, world);
  return {
    step: step.id,
    agent: step.agent ?? null,
    budgets: budgets.values,
    curator: { enabled: curator.enabled, model: curator.model, source },
    budget_warnings: budgets.warnings,
    // The receipt lists these with 0 characters.
    without_output: seen.filter((id) => world.outputs(id) === undefined),
    receipt: pack.receipt,
  };
}

/** @param columns width of the terminal; undefined if the output is not a terminal */
export function flowExplainText(explained: FlowExplained, style: Style, columns?: number): string {
  const { flow, profile, run, steps } = explained;
  const from = run === null ? 'nothing has run yet' : `outputs of run ${run}`;
  const facts = [counted(steps.length, 'step'), ...(profile === null ? [] : [`profile ${onOneLine(profile)}`]), from];
  const heading = `${style.bold(flow)}: ${facts.join(', ')}`;
  return `${foldText([heading, ...steps.map((step) => stepText(step, style))].join('\n\n'), columns)}\n`;
}

function stepText(step: StepExplained, style: Style): string {
  const agent = step.agent === null ? '' : ` ${style.dim(`(${onOneLine(step.agent)})`)}`;
  const lines = [
    ...budgetLines(step, style),
    ...curatorLine(step),
    ...step.budget_warnings.map(({ message }) => style.yellow(`! ${message}`)),
    packLine(step, style),
    ...step.receipt.warnings.map((warning) => style.red(`! ${warning}`)),
    ...nameLines(step, style),
    ...heldBack(step, style),
  ];
  return [`${style.bold(style.cyan(step.step))}${agent}`, ...lines.map((line) => `  ${line}`)].join('\n');
}

function budgetLines({ budgets }: StepExplained, style: Style): string[] {
  const lines = align(BUDGET_FIELDS.map((field) => [field, tokens(budgets[field].value)]));
  return BUDGET_FIELDS.map((field, index) => {
    const source = onOneLine(budgets[field].source);
    return `${lines[index]}  ${source === 'default' ? style.dim(source) : source}`;
  });
}

function curatorLine({ curator: { enabled, model, source } }: StepExplained): string[] {
  if (source === 'default') return [];
  return [`curator: ${enabled ? onOneLine(model) : 'off'}  ${onOneLine(source)}`];
}

function packLine({ receipt, curator }: StepExplained, { yellow, red }: Style): string {
  const { chars_used, budget_chars, truncated } = receipt.context_truncation;
  const size = `${tokens(chars_used)} of ${tokens(budget_chars)} characters (${percent(chars_used / budget_chars)})`;
  const paint = receipt.over_budget_chars > 0 ? red : truncated ? yellow : (text: string) => text;
  // Curators are asked only during a run.
  const note = curator.enabled ? ', before its curator has chosen' : '';
  return `${paint(`briefing: ${size}`)}, of them ${tokens(receipt.whole_chars)} of notes and task${note}`;
}

/** Names of the complete steps, the steps without output, and the files. */
function nameLines({ receipt, without_output }: StepExplained, { green, dim }: Style): string[] {
  const waiting = new Set(without_output);
  const whole = receipt.items.filter(({ step, outcome }) => outcome === 'included' && !waiting.has(step));
  const steps = whole.map(({ step }) => step);
  const files = receipt.artifacts.filter(({ outcome }) => outcome === 'included').map(({ path }) => path);
  return [
    ...namesLine(green('whole'), steps),
    ...namesLine(dim('no output yet'), without_output),
    ...namesLine(green('files'), files),
  ];
}

function namesLine(label: string, names: readonly string[]): string[] {
  return names.length === 0 ? [] : [`${label}: ${names.map(onOneLine).join(', ')}`];
}

function heldBack({ receipt, without_output }: StepExplained, { yellow, red }: Style): string[] {
  const waiting = new Set(without_output);
  const items = receipt.items.filter(({ step, outcome }) => outcome !== 'included' && !waiting.has(step));
  const rows = items.map(({ outcome, step, tier, shown_chars, chars }) => [
    `${outcome.padEnd('omitted'.length)}  ${step}`,
    tier,
    `${tokens(shown_chars)} of ${tokens(chars)}`,
  ]);
  const lines = align(rows);
  const painted = items.map(({ outcome, reason }, index) =>
    (outcome === 'cut' ? yellow : red)(`${lines[index]}  ${reason}`),
  );
  const files = receipt.artifacts.filter(({ outcome }) => outcome === 'omitted').map(({ path }) => path);
  return [...painted, ...namesLine(red('files omitted'), files)];
}
