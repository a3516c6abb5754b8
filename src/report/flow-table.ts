import type { Flow } from '../flow/flow.ts';
import type { StepEnd } from '../flow/run/run-step.ts';
import type { Board } from '../flow/run/schedule.ts';
import { dollars, tokens } from './figures.ts';
import { aligned } from './table.ts';

const NONE = '–';

/** What became of each step, and of all of them. */
export function flowTable({ steps }: Flow, board: Board, ends: ReadonlyMap<string, StepEnd>): string {
  const rows = steps.map(({ id }) => [id, board[id] ?? 'waiting', ...cellsOf(ends.get(id))]);
  const all = [...ends.values()];
  const cost = all.reduce((sum, end) => sum + end.costUsd, 0);
  const calls = all.reduce((sum, end) => sum + end.calls, 0);
  const total = ['all', '', tokens(calls), '', '', dollars(cost), ''];
  return `${aligned([HEADINGS, ...rows, total]).join('\n')}\n`;
}

const HEADINGS = ['step', 'status', 'calls', 'first call', 'peak', 'cost', 'took'];

function cellsOf(end: StepEnd | undefined): string[] {
  if (end === undefined) return [NONE, NONE, NONE, NONE, NONE];
  const { calls, firstTokens, peakTokens, costUsd, durationMs } = end;
  return [
    tokens(calls),
    tokens(firstTokens),
    tokens(peakTokens),
    dollars(costUsd),
    `${(durationMs / 1_000).toFixed(1)} s`,
  ];
}
