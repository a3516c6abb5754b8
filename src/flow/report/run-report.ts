import { sumOf } from '../../core/text/sum-of.ts';
import { shorten } from '../../core/text/words.ts';
import { counted, dollars, duration, NO_VALUE, tokens } from '../../report/figures.ts';
import { align, foldText, presentLines, tableOf } from '../../report/layout.ts';
import { onOneLine } from '../../report/printable.ts';
import type { Style } from '../../report/style.ts';
import type { EarlierRun, KnownReceipt } from '../earlier-run.ts';
import { outcomeCounts } from '../pack/receipt.ts';

type RunReport = ReturnType<typeof reportRun>;

export type StepFigures = Readonly<ReturnType<typeof figuresOf>>;

export function reportRun(run: Pick<EarlierRun, 'id' | 'receipts' | 'otherAttemptsUsd'>) {
  const receipts = run.receipts();
  const steps = receipts.map((receipt) => figuresOf(receipt, run.otherAttemptsUsd(receipt)));
  return {
    version: 1,
    run: run.id,
    flow: receipts[0]?.flow ?? null,
    steps,
    total: {
      steps: receipts.length,
      ...outcomeCounts(receipts.flatMap(({ items }) => items)),
      ...totalsOf(receipts),
      other_attempts_usd: sumOf(steps, (step) => step.other_attempts_usd),
    },
  };
}

/** `cost_usd` is without curators. */
export function totalsOf(steps: readonly Pick<KnownReceipt, 'measured' | 'curation'>[]) {
  const sum = (figure: (step: (typeof steps)[number]) => number | undefined) =>
    sumOf(steps, (step) => figure(step) ?? 0);
  return {
    calls: sum(({ measured }) => measured?.calls),
    cost_usd: sum(({ measured }) => measured?.cost_usd),
    curator_cost_usd: sum(({ curation }) => curation?.cost_usd),
    duration_ms: sum(({ measured }) => measured?.duration_ms),
  };
}

function figuresOf({ step, items, context_truncation, curation, measured }: KnownReceipt, otherAttemptsUsd: number) {
  return {
    step,
    ...outcomeCounts(items),
    pack_chars: context_truncation.chars_used,
    budget_chars: context_truncation.budget_chars,
    truncated: context_truncation.truncated,
    curation: curation ?? null,
    measured: measured ?? null,
    other_attempts_usd: otherAttemptsUsd,
  };
}

export function flowReportText({ run, flow, steps, total }: RunReport, style: Style, columns?: number): string {
  if (flow === null) return `run ${onOneLine(run)}: no step has left a receipt\n`;
  const { calls, cost_usd, other_attempts_usd, curator_cost_usd, duration_ms } = total;
  const attempts = other_attempts_usd > 0 ? ` and ${dollars(other_attempts_usd)} for killed or repeated attempts` : '';
  const curators = curator_cost_usd > 0 ? ` and ${dollars(curator_cost_usd)} for curators` : '';
  const lines = [
    style.bold(`${onOneLine(flow)}, run ${onOneLine(run)}`),
    ...table(steps, style, columns),
    ...steps.flatMap((step) => faultLines(step, style)),
    '',
    `${counted(steps.length, 'step')}: ${counted(calls, 'call')}, ${dollars(cost_usd)}${attempts}${curators}, ${duration(duration_ms)}`,
  ];
  return `${foldText(lines.join('\n'), columns)}\n`;
}

function table(steps: readonly StepFigures[], { bold, red, yellow }: Style, columns?: number): string[] {
  return align(tableOf(steps.map(cellsOf)), columns).map((line, index) => {
    const row = index % (steps.length + 1);
    if (row === 0) return bold(line);
    const { measured, truncated } = steps[row - 1] ?? {};
    return measured?.exit_code ? red(line) : truncated ? yellow(line) : line;
  });
}

function cellsOf({ step, measured, curation, ...figures }: StepFigures) {
  const cell = (figure: number | undefined, text = tokens) => (figure === undefined ? NO_VALUE : text(figure));
  return {
    step: onOneLine(step),
    whole: tokens(figures.included),
    'summed up': tokens(figures.summary),
    cut: tokens(figures.cut),
    omitted: tokens(figures.omitted),
    characters: tokens(figures.pack_chars),
    budget: tokens(figures.budget_chars),
    'first tokens': cell(measured?.first_tokens),
    'most tokens': cell(measured?.peak_tokens),
    calls: cell(measured?.calls),
    cost: cell(measured?.cost_usd, dollars),
    took: cell(measured?.duration_ms, duration),
    exit: cell(measured?.exit_code, String),
    // The curator's cost, even if its answer was not used.
    curator: cell(curation?.cost_usd, dollars),
  };
}

function faultLines({ step, curation, measured }: StepFigures, { red, yellow }: Style): string[] {
  const name = onOneLine(step);
  return presentLines(
    measured?.error && red(`! ${name}: ${onOneLine(shortenError(measured.error))}`),
    curation?.fault != null && yellow(`! the curator of ${name}: ${onOneLine(curation.fault)}`),
  );
}

/** The step file contains the complete error. */
export function shortenError(error = ''): string {
  return shorten(error, 200);
}
