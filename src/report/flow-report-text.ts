import type { CuratorComparison, RunReport, StepFigures } from '../flow/report-run.ts';
import { counted, dollars, duration, tokens } from './figures.ts';
import { onOneLine, type Style } from './style.ts';
import { aligned } from './table.ts';

const NONE = '–';

/** A column: its heading, and what a step has there. */
type Column = readonly [heading: string, cell: (figures: StepFigures) => string];

const PACK: readonly Column[] = [
  ['whole', ({ included }) => tokens(included)],
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

const COLUMNS: readonly Column[] = [
  ...PACK,
  ['budget', ({ budget_chars }) => tokens(budget_chars)],
  ...MEASURED,
  ['exit', ({ measured }) => (measured ? String(measured.exit_code) : NONE)],
  ['curator', ({ curated }) => (curated ? 'yes' : 'no')],
];

/** For a person: what each step of a run was given and took, and what a curator changed. */
export function flowReportText({ run, flow, steps, total, curator }: RunReport, style: Style): string {
  if (flow === null) return `run ${onOneLine(run)}: no step has left a receipt\n`;
  const lines = [
    style.bold(`${onOneLine(flow)}, run ${onOneLine(run)}`),
    ...table(steps, style),
    '',
    `${counted(total.steps, 'step')}: ${counted(total.calls, 'call')}, ${dollars(total.cost_usd)}, ${duration(total.duration_ms)}`,
    ...(curator.length === 0 ? [] : ['', ...curatorLines(curator, style)]),
  ];
  return `${lines.join('\n')}\n`;
}

function table(steps: readonly StepFigures[], style: Style): string[] {
  const headings = ['step', ...COLUMNS.map(([heading]) => heading)];
  const rows = steps.map((step) => [onOneLine(step.step), ...COLUMNS.map(([, cell]) => cell(step))]);
  const [first = '', ...lines] = aligned([headings, ...rows]);
  return [style.bold(first), ...lines.map((line, index) => painted(line, steps[index], style))];
}

function painted(line: string, step: StepFigures | undefined, { red, yellow }: Style): string {
  if (step?.measured && step.measured.exit_code !== 0) return red(line);
  return step?.truncated ? yellow(line) : line;
}

/** Each figure as `with | without`. */
function curatorLines(comparisons: readonly CuratorComparison[], style: Style): string[] {
  const columns = [...PACK, ...MEASURED];
  const headings = ['step', ...columns.map(([heading]) => heading), 'run'];
  const rows = comparisons.map((each) => [
    onOneLine(each.step),
    ...columns.map(([, cell]) => `${cell(each.with)} | ${cell(each.without)}`),
    `${onOneLine(each.with.run)} | ${onOneLine(each.without.run)}`,
  ]);
  const [first = '', ...lines] = aligned([headings, ...rows]);
  return [
    'With a curator | without one:',
    style.bold(first),
    ...lines.flatMap((line, index) => [line, ...changesOf(comparisons[index])]),
  ];
}

function changesOf(comparison: CuratorComparison | undefined): string[] {
  const named = (what: string, steps: readonly string[] = []) =>
    steps.length === 0 ? [] : [`  ${what}: ${steps.map(onOneLine).join(', ')}`];
  return [...named('brought in', comparison?.brought_in), ...named('pushed out', comparison?.pushed_out)];
}
