import { shorten } from '../../core/text/words.ts';
import { counted, dollars, duration, NONE, tokens } from '../../report/figures.ts';
import { align, foldText, present, tableOf } from '../../report/layout.ts';
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
  return align(tableOf(steps.map(cellsOf)), columns).map((line, index) => {
    const row = index % (steps.length + 1);
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
