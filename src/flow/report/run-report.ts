import { counted, dollars, duration, NONE, tokens } from '../../report/figures.ts';
import { align, foldText } from '../../report/layout.ts';
import { onOneLine } from '../../report/shown.ts';
import type { Style } from '../../report/style.ts';
import type { EarlierRun, KnownReceipt } from '../earlier-run.ts';
import { outcomeCounts } from '../pack/receipt.ts';

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

type Column = readonly [heading: string, cell: (figures: StepFigures) => string];

const COLUMNS: readonly Column[] = [
  ['whole', ({ included }) => tokens(included)],
  ['summed up', ({ summary }) => tokens(summary)],
  ['cut', ({ cut }) => tokens(cut)],
  ['omitted', ({ omitted }) => tokens(omitted)],
  ['characters', ({ pack_chars }) => tokens(pack_chars)],
  ['budget', ({ budget_chars }) => tokens(budget_chars)],
  ['first tokens', ifEnded(({ first_tokens }) => tokens(first_tokens))],
  ['most tokens', ifEnded(({ peak_tokens }) => tokens(peak_tokens))],
  ['calls', ifEnded(({ calls }) => tokens(calls))],
  ['cost', ifEnded(({ cost_usd }) => dollars(cost_usd))],
  ['took', ifEnded(({ duration_ms }) => duration(duration_ms))],
  ['exit', ifEnded(({ exit_code }) => String(exit_code))],
  // The curator's cost, even if its answer was not used.
  ['curator', ({ curation }) => (curation ? dollars(curation.cost_usd) : NONE)],
];

function ifEnded(cell: (measured: NonNullable<StepFigures['measured']>) => string): Column[1] {
  return ({ measured }) => (measured ? cell(measured) : NONE);
}

export function flowReportText({ run, flow, steps, total }: RunReport, style: Style, columns?: number): string {
  if (flow === null) return `run ${onOneLine(run)}: no step has left a receipt\n`;
  const lines = [
    style.bold(`${onOneLine(flow)}, run ${onOneLine(run)}`),
    ...table(steps, style, columns),
    ...steps.flatMap(({ step, curation }) =>
      curation?.fault ? [style.yellow(`! the curator of ${onOneLine(step)}: ${onOneLine(curation.fault)}`)] : [],
    ),
    '',
    totalLine(total),
  ];
  return `${foldText(lines.join('\n'), columns)}\n`;
}

function table(steps: readonly StepFigures[], style: Style, columns?: number): string[] {
  const headings = ['step', ...COLUMNS.map(([heading]) => heading)];
  const rows = steps.map((step) => [onOneLine(step.step), ...COLUMNS.map(([, cell]) => cell(step))]);
  return align([headings, ...rows], columns).map((line, at) => {
    const row = at % (rows.length + 1);
    return row === 0 ? style.bold(line) : paintLine(line, steps[row - 1], style);
  });
}

function paintLine(line: string, step: StepFigures | undefined, { red, yellow }: Style): string {
  if (step?.measured && step.measured.exit_code !== 0) return red(line);
  return step?.truncated ? yellow(line) : line;
}

function totalLine({ steps, calls, cost_usd, curator_cost_usd, duration_ms }: RunReport['total']): string {
  const curators = curator_cost_usd > 0 ? ` and ${dollars(curator_cost_usd)} for curators` : '';
  return `${counted(steps, 'step')}: ${counted(calls, 'call')}, ${dollars(cost_usd)}${curators}, ${duration(duration_ms)}`;
}
