import { dollars, duration, tokens } from '../../report/figures.ts';
import { aligned } from '../../report/layout.ts';
import type { Flow } from '../flow.ts';
import type { Board, StepStatus } from '../run/run-flow.ts';
import type { StepEnd } from '../run/run-step.ts';

const NONE = '–';

/** How each step ended, and the sums of all that were run. */
export function flowTable({ steps }: Flow, board: Board, ends: ReadonlyMap<string, StepEnd>): string {
  const rows = steps.map(({ id }) => [id, statusText(board[id], ends.get(id)), ...cellsOf(ends.get(id))]);
  const all = [...ends.values()];
  const sum = (figure: (end: StepEnd) => number) => all.reduce((total, end) => total + figure(end), 0);
  const count = (status: StepStatus) => steps.filter(({ id }) => board[id] === status).length;
  const peak = Math.max(0, ...all.map(({ peakTokens }) => peakTokens));
  const total = [
    'together',
    `${count('done')} of ${steps.length - count('left-out')} done`,
    tokens(sum(({ calls }) => calls)),
    '',
    all.length === 0 ? NONE : tokens(peak),
    dollars(sum(({ costUsd }) => costUsd)),
    duration(sum(({ durationMs }) => durationMs)),
  ];
  return `${aligned([HEADINGS, ...rows, total])
    .map((line) => line.trimEnd())
    .join('\n')}\n`;
}

const HEADINGS = ['step', 'status', 'calls', 'first call', 'peak', 'cost', 'took'];

function statusText(status: StepStatus = 'waiting', end: StepEnd | undefined): string {
  if (status === 'done' && end === undefined) return 'done before';
  if (end?.timedOut) return 'timed out';
  return STATUS_TEXTS[status];
}

const STATUS_TEXTS: Readonly<Record<StepStatus, string>> = {
  waiting: 'not run',
  running: 'running',
  done: 'done',
  failed: 'failed',
  'left-out': 'left out',
  stopped: 'stopped',
  skipped: 'not run',
};

function cellsOf(end: StepEnd | undefined): string[] {
  if (end === undefined) return [NONE, NONE, NONE, NONE, NONE];
  const { calls, firstTokens, peakTokens, costUsd, durationMs } = end;
  const unless0 = (count: number) => (count === 0 ? NONE : tokens(count));
  return [tokens(calls), unless0(firstTokens), unless0(peakTokens), dollars(costUsd), duration(durationMs)];
}
