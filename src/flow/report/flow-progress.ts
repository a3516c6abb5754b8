import type { Writable } from 'node:stream';
import { costUsd } from '../../core/governor/cost/cost.ts';
import { readGauge } from '../../core/governor/gauge/gauge.ts';
import { decisionText, isRoutine } from '../../messages.ts';
import { counted, dollars, duration, percent, tokens } from '../../report/figures.ts';
import { fitText } from '../../report/layout.ts';
import { onOneLine } from '../../report/shown.ts';
import type { Style } from '../../report/style.ts';
import { CLEAR_LINE } from '../../report/terminal/progress.ts';
import type { Flow, FlowStep } from '../flow.ts';
import type { FlowWatcher } from '../run/conduct-flow.ts';
import type { Board, StepNews, StepStatus } from '../run/run-flow.ts';
import { type StepEnd, sumOf } from '../run/run-step.ts';

interface FlowProgressOptions {
  readonly stderr: Writable & { readonly isTTY?: boolean | undefined; readonly columns?: number | undefined };
  readonly style: Style;
  readonly quiet: boolean;
  /** Number of requested steps; `done` of them finished in an earlier run. */
  readonly total: number;
  readonly done: number;
}

const STARTING = { text: 'starting', costUsd: 0 };

/** Prints the progress of a flow to stderr; lines from a step's session start with the step's name. */
export function createFlowProgress({ stderr, style, quiet, total, done: before }: FlowProgressOptions): FlowWatcher {
  const running = new Map<string, { readonly text: string; readonly costUsd: number }>();
  const drawsStatus = !quiet && stderr.isTTY === true;
  const skipped: string[] = [];
  let done = before;
  let failed = 0;
  /** Cost of finished attempts in US dollars. */
  let spent = 0;
  let shown = '';
  stderr.on('error', () => {});

  function clear(): void {
    if (shown !== '') stderr.write(CLEAR_LINE);
    shown = '';
  }

  function draw(): void {
    if (!drawsStatus) return;
    const counts = `${done} of ${total} done${failed === 0 ? '' : `, ${failed} failed`}`;
    const cost = [...running.values()].reduce((sum, { costUsd: more }) => sum + more, spent);
    const parts = [counts, dollars(cost), ...[...running].map(([id, { text: now }]) => `${id} ${now}`)];
    // CLEAR_LINE clears a single line, so the text must not wrap.
    const text = fitText(parts.join(' · '), (stderr.columns ?? 120) - 1);
    if (text === shown) return;
    stderr.write(CLEAR_LINE + text);
    shown = text;
  }

  function line(content: string): void {
    clear();
    stderr.write(`${content}\n`);
    draw();
  }

  function say(step: FlowStep, text: string): void {
    if (!quiet) line(`${style.dim('ctxb:')} ${style.bold(`[${step.id}]`)} ${onOneLine(text)}`);
  }

  return {
    news(step, news) {
      if (news.kind === 'skipped') return void skipped.push(step.id);
      if (news.kind === 'started') running.set(step.id, STARTING);
      else {
        running.delete(step.id);
        spent += news.end.costUsd;
      }
      if (news.kind === 'done') done++;
      if (news.kind === 'failed') failed++;
      say(step, newsText(news));
    },
    watcher: (step) => ({
      notice: (text) => say(step, text),
      decision(decision) {
        if (!isRoutine(decision)) say(step, decisionText(decision));
      },
      // claude's stderr belongs to the caller, even with --quiet.
      relay: (text) => line(`${style.bold(`[${step.id}]`)} ${text}`),
      status(state) {
        // The last state of a session can arrive after its step has ended.
        if (!running.has(step.id)) return;
        const text = `${percent(readGauge(state.gauge).fraction)} ${state.told.zone}`;
        running.set(step.id, state.gauge.calls === 0 ? STARTING : { text, costUsd: costUsd(state) });
        draw();
      },
    }),
    close() {
      clear();
      if (skipped.length > 0 && !quiet) line(`${style.dim('ctxb:')} not run: ${skipped.join(', ')}`);
      clear();
    },
  };
}

function newsText(news: Exclude<StepNews, { readonly kind: 'skipped' }>): string {
  if (news.kind === 'started') return news.attempt === 1 ? 'started' : `started again (${news.attempt})`;
  const { kind, end } = news;
  if (kind === 'retry') return `failed and is tried again: ${errorText(end)}`;
  if (kind === 'failed') return `failed: ${errorText(end)} (${endText(end)})`;
  return kind === 'done' ? `done: ${endText(end)}` : `stopped (${endText(end)})`;
}

/** The step file contains the complete error. */
function errorText({ error = '' }: StepEnd): string {
  return error.length <= ERROR_LENGTH ? error : `${error.slice(0, ERROR_LENGTH)}…`;
}

const ERROR_LENGTH = 200;

function endText({ durationMs, peakTokens, calls, costUsd: cost }: ReturnType<typeof sumOf>): string {
  const peak = peakTokens === 0 ? '' : `, at most ${tokens(peakTokens)} tokens`;
  return `${duration(durationMs)}, ${counted(calls, 'call')}${peak}, ${dollars(cost)}`;
}

/** One line of totals over all steps; the receipts contain the figures of each step. */
export function flowSumText({ steps }: Flow, board: Board, ends: ReadonlyMap<string, StepEnd>): string {
  const count = (status: StepStatus) => steps.filter(({ id }) => board[id] === status).length;
  const all = counted(steps.length - count('left-out'), 'step');
  return `${count('done')} of ${all} done: ${endText(sumOf([...ends.values()]))}`;
}
