import type { RunStatus } from '../core/governor/run-status.ts';
import { costText, counted, DAY_MS, duration, localTime, NO_VALUE, percent, roundedTokens, tokens } from './figures.ts';
import { align, fitText } from './layout.ts';
import { onOneLine } from './printable.ts';
import type { Style } from './style.ts';

/** A run in the list. Times are in milliseconds since the epoch. */
interface ListedRun extends RunStatus {
  readonly runId: string;
  readonly cwd: string;
  readonly since: number;
  readonly at: number;
  /** null while the run is active. */
  readonly end: { readonly reason: string } | null;
  readonly resumable: boolean;
}

const INDENT = ' '.repeat(10);
const HEADINGS = ['run', 'for', 'turn', 'context', 'cost', 'prompts'];

/** @param columns of the terminal; a longer folder keeps its end */
export function runsTable(
  runs: readonly ListedRun[],
  style: Style,
  now: number,
  columns = Number.POSITIVE_INFINITY,
): string {
  const [first = '', ...rows] = align([HEADINGS, ...runs.map((run) => cellsOf(run, now))]);
  const lines = runs.flatMap((run, index) => [
    `${rows[index]}  ${stateText(run, now)}`,
    style.dim(INDENT + fitText(onOneLine(run.cwd), columns - INDENT.length, 'end')),
  ]);
  return [style.bold(`${first}  state`), ...lines, ...nextSteps(runs), ''].join('\n');
}

function cellsOf(run: ListedRun, now: number): string[] {
  const { context, window, costUsd, turn, prompts, runId } = run;
  const share = context === null || window === null ? '' : ` ${percent(Math.min(1, context / window))}`;
  return [
    runId.slice(0, 8),
    duration(Math.max(0, (run.end === null ? now : run.at) - run.since)),
    tokens(turn),
    context === null ? NO_VALUE : `${roundedTokens(context)}${share}`,
    costText({ usd: costUsd }),
    prompts === 0 ? NO_VALUE : tokens(prompts),
  ];
}

/**
 * The activity of a run, the reason and the end of its wait, or the reason of its end. Shows the date of a time that is
 * a day or more away.
 */
export function stateText(
  { phase, waitsFor, end }: Pick<ListedRun, 'phase' | 'waitsFor' | 'end'>,
  now: number,
): string {
  if (end !== null) return `ended: ${end.reason}`;
  if (waitsFor === null) return phase;
  const { what, until } = waitsFor;
  if (until === null) return `waits: ${what}`;
  const time = localTime(until);
  return `${what} until ${until - now < DAY_MS ? time.slice(-5) : time.slice(5, -7)}`;
}

function nextSteps(runs: readonly ListedRun[]): string[] {
  const [left, ...others] = runs.filter(({ resumable, prompts }) => resumable && prompts > 0);
  if (left === undefined) return [];
  const more = others.length === 0 ? '' : ` (and ${counted(others.length, 'more run')})`;
  return ['', `Continue in its folder: ctxb run --resume-run ${left.runId.slice(0, 8)}${more}`];
}
