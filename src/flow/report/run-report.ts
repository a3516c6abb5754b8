import { counted, dollars, duration, tokens } from '../../report/figures.ts';
import { aligned, folded } from '../../report/layout.ts';
import { onOneLine } from '../../report/shown.ts';
import type { Style } from '../../report/style.ts';
import type { EarlierRun } from '../earlier-run.ts';
import { outcomeCounts } from '../pack/receipt.ts';
import type { KnownReceipt } from '../step-receipt.ts';

type RunReport = ReturnType<typeof reportRun>;

export type StepFigures = Readonly<ReturnType<typeof figuresOf>>;

/**
 * What the steps of a run were given, and what they used.
 *
 * @param older receipts of a step in other runs of the same flow, newest first
 */
export function reportRun(run: Pick<EarlierRun, 'id' | 'receipts'>, older: (step: string) => Iterable<KnownReceipt>) {
  const receipts = run.receipts();
  const steps = receipts.map(figuresOf);
  return {
    version: 1,
    run: run.id,
    /** `null`: no step has left a receipt. */
    flow: receipts[0]?.flow ?? null,
    /** A step comes after those that it sees. */
    steps,
    total: sumsOf(steps),
    /** Steps that have run with a curator and without one. */
    curator: receipts.flatMap((receipt) => comparison(receipt, older(receipt.step))),
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
    // Of the steps alone, and of their curators.
    cost_usd: sum(({ measured }) => measured?.cost_usd),
    curator_cost_usd: sum(({ curation }) => curation?.cost_usd),
    duration_ms: sum(({ measured }) => measured?.duration_ms),
  };
}

/** With the newest receipt of the other kind. Steps that have not ended are not compared. */
function comparison(receipt: KnownReceipt, older: Iterable<KnownReceipt>) {
  if (receipt.measured === undefined) return [];
  for (const other of older) {
    if (other.measured === undefined || isCurated(other) === isCurated(receipt)) continue;
    const [curated, mechanical] = isCurated(receipt) ? [receipt, other] : [other, receipt];
    // Steps that are in because of the choice, and out because of it.
    const { brought_in = [], pushed_out = [] } = curated.curator ?? {};
    const { step } = receipt;
    return [{ step, with: figuresOf(curated), without: figuresOf(mechanical), brought_in, pushed_out }];
  }
  return [];
}

function isCurated({ curator }: KnownReceipt): boolean {
  return curator !== undefined;
}

function figuresOf(receipt: KnownReceipt) {
  const { step, run, attempt, items, context_truncation, curation, measured } = receipt;
  return {
    step,
    run,
    attempt,
    ...outcomeCounts(items),
    pack_chars: context_truncation.chars_used,
    budget_chars: context_truncation.budget_chars,
    truncated: context_truncation.truncated,
    curated: isCurated(receipt),
    /** `null`: no curator was asked. */
    curation: curation ?? null,
    /** `null`: the step has not ended. */
    measured: measured ?? null,
  };
}

const NONE = '–';

type Column = readonly [heading: string, cell: (figures: StepFigures) => string];

const PACK: readonly Column[] = [
  ['whole', ({ included }) => tokens(included)],
  ['summed up', ({ summary }) => tokens(summary)],
  ['cut', ({ cut }) => tokens(cut)],
  ['omitted', ({ omitted }) => tokens(omitted)],
  ['characters', ({ pack_chars }) => tokens(pack_chars)],
];

const MEASURED: readonly Column[] = [
  ['first tokens', ({ measured }) => (measured ? tokens(measured.first_tokens) : NONE)],
  ['most tokens', ({ measured }) => (measured ? tokens(measured.peak_tokens) : NONE)],
  ['calls', ({ measured }) => (measured ? tokens(measured.calls) : NONE)],
  ['cost', ({ measured }) => (measured ? dollars(measured.cost_usd) : NONE)],
  ['took', ({ measured }) => (measured ? duration(measured.duration_ms) : NONE)],
];

/** What the curator cost, also where its answer was not used. */
const CURATOR: Column = ['curator', ({ curation }) => (curation ? dollars(curation.cost_usd) : NONE)];

const COLUMNS: readonly Column[] = [
  ...PACK,
  ['budget', ({ budget_chars }) => tokens(budget_chars)],
  ...MEASURED,
  ['exit', ({ measured }) => (measured ? String(measured.exit_code) : NONE)],
  CURATOR,
];

export function flowReportText(
  { run, flow, steps, total, curator }: RunReport,
  style: Style,
  columns?: number,
): string {
  if (flow === null) return `run ${onOneLine(run)}: no step has left a receipt\n`;
  const lines = [
    style.bold(`${onOneLine(flow)}, run ${onOneLine(run)}`),
    ...table(steps, style, columns),
    ...steps.flatMap(({ step, curation }) =>
      curation?.fault ? [style.yellow(`! the curator of ${onOneLine(step)}: ${onOneLine(curation.fault)}`)] : [],
    ),
    '',
    totalLine(total),
    ...(curator.length === 0 ? [] : ['', ...curatorLines(curator, style, columns)]),
  ];
  return `${folded(lines.join('\n'), columns)}\n`;
}

function table(steps: readonly StepFigures[], style: Style, columns?: number): string[] {
  const headings = ['step', ...COLUMNS.map(([heading]) => heading)];
  const rows = steps.map((step) => [onOneLine(step.step), ...COLUMNS.map(([, cell]) => cell(step))]);
  return aligned([headings, ...rows], columns).map((line, at) => {
    const row = at % (rows.length + 1);
    return row === 0 ? style.bold(line) : painted(line, steps[row - 1], style);
  });
}

function painted(line: string, step: StepFigures | undefined, { red, yellow }: Style): string {
  if (step?.measured && step.measured.exit_code !== 0) return red(line);
  return step?.truncated ? yellow(line) : line;
}

function totalLine({ steps, calls, cost_usd, curator_cost_usd, duration_ms }: RunReport['total']): string {
  const curators = curator_cost_usd > 0 ? ` and ${dollars(curator_cost_usd)} for curators` : '';
  return `${counted(steps, 'step')}: ${counted(calls, 'call')}, ${dollars(cost_usd)}${curators}, ${duration(duration_ms)}`;
}

/** Each figure as `with | without`. */
function curatorLines(comparisons: RunReport['curator'], style: Style, width?: number): string[] {
  const columns = [...PACK, ...MEASURED, CURATOR];
  const headings = ['step', ...columns.map(([heading]) => heading), 'run'];
  const rows = comparisons.map((each) => [
    onOneLine(each.step),
    ...columns.map(([, cell]) => `${cell(each.with)} | ${cell(each.without)}`),
    `${onOneLine(each.with.run)} | ${onOneLine(each.without.run)}`,
  ]);
  const lines = aligned([headings, ...rows], width).flatMap((line, at) => {
    const row = at % (rows.length + 1);
    return row === 0 ? [style.bold(line)] : [line, ...(at > rows.length ? [] : changesOf(comparisons[row - 1]))];
  });
  return ['With a curator | without one:', ...lines];
}

function changesOf(comparison: RunReport['curator'][number] | undefined): string[] {
  const named = (what: string, steps: readonly string[] = []) =>
    steps.length === 0 ? [] : [`  ${what}: ${steps.map(onOneLine).join(', ')}`];
  return [...named('brought in', comparison?.brought_in), ...named('pushed out', comparison?.pushed_out)];
}
