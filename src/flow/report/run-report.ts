import { shorten } from '../../core/text/words.ts';
import { counted, dollars, duration, NONE, percent, tokens } from '../../report/figures.ts';
import { align, foldText, present, tableOf } from '../../report/layout.ts';
import { onOneLine } from '../../report/shown.ts';
import type { Style } from '../../report/style.ts';
import { type BriefingWorld, briefingOf, effectiveCurator } from '../briefing.ts';
import type { EarlierRun, KnownReceipt } from '../earlier-run.ts';
import type { Flow, FlowStep } from '../flow.ts';
import { BUDGET_FIELDS } from '../pack/budgets.ts';
import { outcomeCounts } from '../pack/receipt.ts';

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

function namesLine(what: string, names: readonly string[]): string[] {
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
  const lines = align(rows);
  const painted = items.map(({ outcome, reason }, at) => (outcome === 'cut' ? yellow : red)(`${lines[at]}  ${reason}`));
  const files = receipt.artifacts.filter(({ outcome }) => outcome === 'omitted').map(({ path }) => path);
  return [...painted, ...namesLine(red('files omitted'), files)];
}

type RunReport = ReturnType<typeof reportRun>;

export type StepFigures = Readonly<ReturnType<typeof figuresOf>>;

/** Inputs and usage of all steps of a run. */
export function reportRun(run: Pick<EarlierRun, 'id' | 'receipts'>) {
  const receipts = run.receipts();
  const steps = receipts.map(figuresOf);
  return {
    version: 1,
    run: run.id,
    /** `null` without receipts. */
    flow: receipts[0]?.flow ?? null,
    /** Each step follows the steps that it sees. */
    steps,
    total: sumsOf(steps),
  };
}

function sumsOf(steps: readonly StepFigures[]) {
  const sum = (figure: (step: StepFigures) => number | undefined) =>
    steps.reduce((total, step) => total + (figure(step) ?? 0), 0);
  return {
    steps: steps.length,
    included: sum(({ included }) => included),
    summary: sum(({ summary }) => summary),
    cut: sum(({ cut }) => cut),
    omitted: sum(({ omitted }) => omitted),
    calls: sum(({ measured }) => measured?.calls),
    // Cost of the steps without their curators, and cost of the curators.
    cost_usd: sum(({ measured }) => measured?.cost_usd),
    curator_cost_usd: sum(({ curation }) => curation?.cost_usd),
    duration_ms: sum(({ measured }) => measured?.duration_ms),
  };
}

function figuresOf(receipt: KnownReceipt) {
  const { step, run, items, context_truncation, curation, measured } = receipt;
  return {
    step,
    run,
    ...outcomeCounts(items),
    pack_chars: context_truncation.chars_used,
    budget_chars: context_truncation.budget_chars,
    truncated: context_truncation.truncated,
    curated: receipt.curator !== undefined,
    /** `null` if no curator was asked. */
    curation: curation ?? null,
    /** `null` if the step has not ended. */
    measured: measured ?? null,
  };
}

export function flowReportText({ run, flow, steps, total }: RunReport, style: Style, columns?: number): string {
  if (flow === null) return `run ${onOneLine(run)}: no step has left a receipt\n`;
  const lines = [
    style.bold(`${onOneLine(flow)}, run ${onOneLine(run)}`),
    ...table(steps, style, columns),
    ...steps.flatMap((step) => faultLines(step, style)),
    '',
    totalLine(total),
  ];
  return `${foldText(lines.join('\n'), columns)}\n`;
}

function faultLines({ step, curation, measured }: StepFigures, { red, yellow }: Style): string[] {
  const name = onOneLine(step);
  return present(
    measured?.error && red(`! ${name}: ${onOneLine(shortError(measured.error))}`),
    curation?.fault != null && yellow(`! the curator of ${name}: ${onOneLine(curation.fault)}`),
  );
}

/** The step file contains the complete error. */
export function shortError(error = ''): string {
  return shorten(error, 200);
}

function table(steps: readonly StepFigures[], style: Style, columns?: number): string[] {
  return align(tableOf(steps.map(cellsOf)), columns).map((line, at) => {
    const row = at % (steps.length + 1);
    return row === 0 ? style.bold(line) : paintLine(line, steps[row - 1], style);
  });
}

function cellsOf({ step, measured, curation, ...figures }: StepFigures) {
  const ended = (text: (end: NonNullable<StepFigures['measured']>) => string) => (measured ? text(measured) : NONE);
  return {
    step: onOneLine(step),
    whole: tokens(figures.included),
    'summed up': tokens(figures.summary),
    cut: tokens(figures.cut),
    omitted: tokens(figures.omitted),
    characters: tokens(figures.pack_chars),
    budget: tokens(figures.budget_chars),
    'first tokens': ended(({ first_tokens }) => tokens(first_tokens)),
    'most tokens': ended(({ peak_tokens }) => tokens(peak_tokens)),
    calls: ended(({ calls }) => tokens(calls)),
    cost: ended(({ cost_usd }) => dollars(cost_usd)),
    took: ended(({ duration_ms }) => duration(duration_ms)),
    exit: ended(({ exit_code }) => String(exit_code)),
    // The curator's cost, even if its answer was not used.
    curator: curation ? dollars(curation.cost_usd) : NONE,
  };
}

function paintLine(line: string, step: StepFigures | undefined, { red, yellow }: Style): string {
  if (step?.measured && step.measured.exit_code !== 0) return red(line);
  return step?.truncated ? yellow(line) : line;
}

function totalLine({ steps, calls, cost_usd, curator_cost_usd, duration_ms }: RunReport['total']): string {
  const curators = curator_cost_usd > 0 ? ` and ${dollars(curator_cost_usd)} for curators` : '';
  return `${counted(steps, 'step')}: ${counted(calls, 'call')}, ${dollars(cost_usd)}${curators}, ${duration(duration_ms)}`;
}
