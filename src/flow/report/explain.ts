import { BUDGET_FIELDS } from '../../config/config.ts';
import { counted, percent, tokens } from '../../report/figures.ts';
import { align, foldText, presentLines } from '../../report/layout.ts';
import { onOneLine } from '../../report/printable.ts';
import type { Style } from '../../report/style.ts';
import { type BriefingInputs, briefingOf, effectiveCurator, type FlowPlace } from '../briefing.ts';
import { earlierRuns, type FlowRuns } from '../earlier-run.ts';
import type { Flow, FlowStep } from '../flow.ts';
import type { ReceiptItem } from '../pack/receipt.ts';

export function viewFlow(flow: Flow, { contextDir, prices, ...place }: FlowPlace & FlowRuns) {
  const [run] = earlierRuns({ contextDir, prices }, flow.name);
  const outputs = (id: string) => run?.outputOf(id);
  return { run, explained: explainFlow(flow, { ...place, outputs }, run?.id) };
}

export type FlowView = ReturnType<typeof viewFlow>;

type FlowExplained = ReturnType<typeof explainFlow>;

export type StepExplained = FlowExplained['steps'][number];

/**
 * Explains a flow without running it.
 * @param run id of the run with the outputs of `inputs`; undefined if the flow has not run
 */
export function explainFlow(flow: Flow, inputs: BriefingInputs, run?: string) {
  return {
    version: 1,
    flow: flow.name,
    profile: flow.profile ?? null,
    run: run ?? null,
    steps: flow.steps.map((step) => explainStep(flow, step, inputs)),
  };
}

function explainStep(flow: Flow, step: FlowStep, inputs: BriefingInputs) {
  const { pack, budgets } = briefingOf(flow, step, {
    ...inputs,
    // Include steps that have not run.
    outputs: (id) => inputs.outputs(id) ?? { ok: true, output: '', error: undefined },
  });
  const seen = pack.receipt.items.map((item) => item.step);
  const { curator, source } = effectiveCurator(flow, step, inputs);
  return {
    step: step.id,
    agent: step.agent ?? null,
    budgets: budgets.values,
    curator: { enabled: curator.enabled, model: curator.model, source },
    budget_warnings: budgets.warnings,
    // The receipt lists these steps with 0 characters.
    without_output: seen.filter((id) => inputs.outputs(id) === undefined),
    receipt: pack.receipt,
  };
}

export function flowExplainText(explained: FlowExplained, style: Style, columns?: number): string {
  const steps = explained.steps.map((step) => {
    const agent = step.agent === null ? '' : ` ${style.dim(`(${onOneLine(step.agent)})`)}`;
    const lines = explainLines(step, style).map((line) => `  ${line}`);
    return [`${style.bold(style.cyan(step.step))}${agent}`, ...lines].join('\n');
  });
  const heading = `${style.bold(explained.flow)}: ${explainHeading(explained)}`;
  return `${foldText([heading, ...steps].join('\n\n'), columns)}\n`;
}

export function explainHeading({ profile, run, steps }: FlowExplained): string {
  const from = run === null ? 'nothing has run yet' : `outputs of run ${run}`;
  return presentLines(counted(steps.length, 'step'), profile !== null && `profile ${onOneLine(profile)}`, from).join(
    ', ',
  );
}

export function explainLines(step: StepExplained, style: Style): string[] {
  const { budgets, curator, budget_warnings, receipt, without_output } = step;
  const { green, yellow, red, dim } = style;
  const waiting = new Set(without_output);
  const items = receipt.items.filter((item) => !waiting.has(item.step));
  const whole = items.filter(({ outcome }) => outcome === 'included').map((item) => item.step);
  const filesBy = (wanted: string) =>
    receipt.artifacts.filter(({ outcome }) => outcome === wanted).map(({ path }) => path);
  const sizes = align(BUDGET_FIELDS.map((field) => [field, tokens(budgets[field].value)]));
  const sources = BUDGET_FIELDS.map((field) => budgets[field].source);
  return [
    ...sources.map((source, index) => `${sizes[index]}  ${source === 'default' ? dim(source) : source}`),
    ...(curator.source === 'default'
      ? []
      : [`curator: ${curator.enabled ? onOneLine(curator.model) : 'off'}  ${curator.source}`]),
    ...budget_warnings.map(({ message }) => yellow(`! ${message}`)),
    packLine(step, style),
    ...receipt.warnings.map((warning) => red(`! ${warning}`)),
    ...namesLine(green('whole'), whole),
    ...namesLine(dim('no output yet'), without_output),
    ...namesLine(green('files'), filesBy('included')),
    ...shortenedLines(
      items.filter(({ outcome }) => outcome !== 'included'),
      style,
    ),
    ...namesLine(red('files omitted'), filesBy('omitted')),
  ];
}

function packLine({ receipt, curator }: StepExplained, { yellow, red }: Style): string {
  const { chars_used, budget_chars, truncated } = receipt.context_truncation;
  const size = `briefing: ${tokens(chars_used)} of ${tokens(budget_chars)} characters (${percent(chars_used / budget_chars)})`;
  const painted = receipt.over_budget_chars > 0 ? red(size) : truncated ? yellow(size) : size;
  // Curators run only in a run.
  const note = curator.enabled ? ', before its curator has chosen' : '';
  return `${painted}, of them ${tokens(receipt.whole_chars)} of notes and task${note}`;
}

function namesLine(label: string, names: readonly string[]): string[] {
  return names.length === 0 ? [] : [`${label}: ${names.map(onOneLine).join(', ')}`];
}

function shortenedLines(items: readonly ReceiptItem[], { yellow, red }: Style): string[] {
  const rows = items.map(({ outcome, step, tier, shown_chars, chars }) => [
    `${outcome.padEnd('omitted'.length)}  ${step}`,
    tier,
    `${tokens(shown_chars)} of ${tokens(chars)}`,
  ]);
  const lines = align(rows);
  return items.map(({ outcome, reason }, index) => (outcome === 'cut' ? yellow : red)(`${lines[index]}  ${reason}`));
}
