import type { HealthMetrics, HealthReport } from '../health/health-report.ts';
import { duration, NO_VALUE, percent, tokens } from './figures.ts';
import { align, tableOf } from './layout.ts';
import { onOneLine } from './printable.ts';
import type { Style } from './style.ts';

/** A row for each project, and a row of totals for several. @param width a wider table is split */
export function healthTable({ projects, total }: HealthReport, style: Style, width = Number.POSITIVE_INFINITY): string {
  if (projects.length === 0) return '';
  const table = tableOf([
    ...projects.map(({ project, metrics }) => ({ project: onOneLine(project), ...cellsOf(metrics) })),
    ...(projects.length > 1 ? [{ project: 'all', ...cellsOf(total) }] : []),
  ]);
  const lines = align(table, width).map((line, index) => (index % table.length === 0 ? style.bold(line) : line));
  return [...lines, ''].join('\n');
}

function cellsOf({ sessions, turns, exhaustion, compactions, handoffs, zoneTransitions }: HealthMetrics) {
  return {
    sessions: tokens(sessions),
    turns: tokens(turns),
    'sessions too full': share(exhaustion.sessions, exhaustion.rate),
    compactions: tokens(compactions.auto + compactions.manual),
    handoffs: tokens(handoffs.count),
    'handed over below 90%': share(handoffs.early, handoffs.earlyRate),
    'context at handoff': handoffs.fraction.mean === null ? NO_VALUE : percent(handoffs.fraction.mean),
    'a handoff took': handoffs.ms.mean === null ? NO_VALUE : duration(handoffs.ms.mean),
    'zone changes': tokens(zoneTransitions.count),
  };
}

function share(count: number, rate: number | null): string {
  return rate === null ? NO_VALUE : `${tokens(count)} (${percent(rate)})`;
}
