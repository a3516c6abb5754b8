import type { HealthMetrics, HealthReport } from '../health/health-report.ts';
import { duration, NONE, percent, tokens } from './figures.ts';
import { align } from './layout.ts';
import { onOneLine } from './shown.ts';
import type { Style } from './style.ts';

type Column = readonly [heading: string, cell: (metrics: HealthMetrics) => string];

const COLUMNS: readonly Column[] = [
  ['sessions', ({ sessions }) => tokens(sessions)],
  ['turns', ({ turns }) => tokens(turns)],
  ['sessions too full', ({ exhaustion }) => share(exhaustion.sessions, exhaustion.rate)],
  ['compactions', ({ compactions: { auto, manual } }) => tokens(auto + manual)],
  ['handoffs', ({ handoffs }) => tokens(handoffs.count)],
  ['handed over below 90%', ({ handoffs }) => share(handoffs.early, handoffs.earlyRate)],
  ['context at handoff', ({ handoffs }) => (handoffs.fraction.mean === null ? NONE : percent(handoffs.fraction.mean))],
  ['a handoff took', ({ handoffs }) => (handoffs.ms.mean === null ? NONE : duration(handoffs.ms.mean))],
  ['zone changes', ({ zoneTransitions }) => tokens(zoneTransitions.count)],
];

/**
 * The health report as text: a row for each project and, for several projects, a row with the totals. Empty without
 * records.
 *
 * @param width columns of the terminal; a wider table is transposed (a column for each project) if that fits
 */
export function healthTable({ projects, total }: HealthReport, style: Style, width = Number.POSITIVE_INFINITY): string {
  if (projects.length === 0) return '';
  const rows = projects.map(({ project, metrics }) => [onOneLine(project), ...cellsOf(metrics)]);
  const all = projects.length > 1 ? [['all', ...cellsOf(total)]] : [];
  const headings = ['project', ...COLUMNS.map(([heading]) => heading)];
  const table = [headings, ...rows, ...all];
  const upright = align(headings.map((_, column) => table.map((row) => row[column] ?? '')));
  const [wide, fits] = [align(table), (lines: string[]) => (lines[0]?.length ?? 0) <= width];
  const [first = '', ...lines] = !fits(wide) && fits(upright) ? upright : wide;
  return [style.bold(first), ...lines, ''].join('\n');
}

function cellsOf(metrics: HealthMetrics): string[] {
  return COLUMNS.map(([, cell]) => cell(metrics));
}

function share(count: number, rate: number | null): string {
  return rate === null ? NONE : `${tokens(count)} (${percent(rate)})`;
}
