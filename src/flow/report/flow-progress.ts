import { costUsd } from '../../core/governor/cost/cost.ts';
import { readGauge } from '../../core/governor/gauge/gauge.ts';
import type { Output } from '../../io.ts';
import { decisionText, isRoutine } from '../../messages.ts';
import { counted, dollars, duration, percent, tokens } from '../../report/figures.ts';
import { fitText, hanging } from '../../report/layout.ts';
import { onOneLine } from '../../report/shown.ts';
import type { Style } from '../../report/style.ts';
import { CLEAR_LINE } from '../../report/terminal/progress.ts';
import type { FlowStep } from '../flow.ts';
import type { Board, FlowWatcher, StepNews } from '../run/conduct-flow.ts';
import type { StepEnd } from '../run/run-step.ts';
import { shortError } from './run-report.ts';

interface FlowProgressOptions {
  readonly stderr: Output;
  readonly style: Style;
  readonly quiet: boolean;
  /** Number of steps; `done` of them finished in an earlier run. */
  readonly total: number;
  readonly done: number;
}

const STARTING = { text: 'starting', costUsd: 0 };

/** Prints the progress of a flow to stderr; lines from a step's session start with the step's name. */
export function createFlowProgress({ stderr, style, quiet, total, done: before }: FlowProgressOptions): FlowWatcher {
  let running: { readonly id: string; readonly text: string; readonly costUsd: number } | undefined;
  const drawsStatus = !quiet && stderr.isTTY === true;
  const skipped: string[] = [];
  let done = before;
  let failed = 0;
  /** Cost of finished steps in US dollars. */
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
    const parts = [counts, dollars(spent + (running?.costUsd ?? 0)), running && `${running.id} ${running.text}`];
    // CLEAR_LINE clears a single line, so the text must not wrap.
    const text = fitText(parts.filter(Boolean).join(' · '), (stderr.columns ?? 120) - 1);
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
    if (!quiet) line(hanging(style.dim('ctxb:'), `${style.bold(`[${step.id}]`)} ${onOneLine(text)}`, stderr.columns));
  }

  return {
    news(step, news) {
      if (news.kind === 'skipped') return void skipped.push(step.id);
      running = 'end' in news ? undefined : { id: step.id, ...STARTING };
      if ('end' in news) spent += news.end.costUsd;
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
        if (running?.id !== step.id) return;
        const text = `${percent(readGauge(state.gauge).fraction)} ${state.mailbox.told.zone}`;
        running = { id: step.id, ...(state.gauge.calls === 0 ? STARTING : { text, costUsd: costUsd(state) }) };
        draw();
      },
    }),
    close() {
      if (skipped.length > 0 && !quiet) line(`${style.dim('ctxb:')} not run: ${skipped.join(', ')}`);
      clear();
    },
  };
}

function newsText(news: StepNews): string {
  if (!('end' in news)) return news.kind;
  const { kind, end } = news;
  if (kind === 'failed') return `failed: ${shortError(end.error)} (${endText(end)})`;
  return kind === 'done' ? `done: ${endText(end)}` : `stopped (${endText(end)})`;
}

function endText({ durationMs, peakTokens, calls, costUsd: cost }: ReturnType<typeof sumOf>): string {
  const peak = peakTokens === 0 ? '' : `, at most ${tokens(peakTokens)} tokens`;
  return `${duration(durationMs)}, ${counted(calls, 'call')}${peak}, ${dollars(cost)}`;
}

/** One line of totals over all steps; the receipts contain the figures of each step. */
export function flowSumText(board: Board, ends: ReadonlyMap<string, StepEnd>): string {
  const done = [...board.values()].filter((status) => status === 'done').length;
  return `${done} of ${counted(board.size, 'step')} done: ${endText(sumOf([...ends.values()]))}`;
}

/** Totals over several steps; for the context, the maximum. */
function sumOf(ends: readonly StepEnd[]) {
  const sum = (figure: 'calls' | 'costUsd' | 'durationMs') => ends.reduce((total, end) => total + end[figure], 0);
  return {
    peakTokens: Math.max(0, ...ends.map(({ peakTokens }) => peakTokens)),
    calls: sum('calls'),
    costUsd: sum('costUsd'),
    durationMs: sum('durationMs'),
  };
}
