import type { Writable } from 'node:stream';
import type { FlowStep } from '../flow/flow.ts';
import type { StepNews } from '../flow/run/run-flow.ts';
import type { StepEnd } from '../flow/run/run-step.ts';
import type { Decision } from '../governor/actions.ts';
import { readGauge } from '../governor/gauge/gauge.ts';
import { costUsd, type GovernorState } from '../governor/state.ts';
import { decisionText, isRoutine } from '../messages.ts';
import { counted, dollars, percent, tokens } from './figures.ts';
import { onOneLine, type Style } from './style.ts';

/** Tells a person how far a flow has come. */
export interface FlowProgress {
  news(step: FlowStep, news: StepNews): void;
  /** Watches the session of a step; what it says has the step's name in front. */
  watcher(step: FlowStep): StepWatcher;
  /** Takes the status line away. */
  close(): void;
}

/** Who is told what happens in the session of a step. */
export interface StepWatcher {
  notice(text: string): void;
  decision(decision: Decision): void;
  status(state: GovernorState): void;
  relay(line: string): void;
  ended(state: GovernorState): void;
  clear(): void;
}

export interface FlowProgressOptions {
  readonly stderr: Writable & { readonly isTTY?: boolean | undefined; readonly columns?: number | undefined };
  readonly style: Style;
  readonly quiet: boolean;
  /** Steps of the flow, and of these already done. */
  readonly total: number;
  readonly done: number;
}

const CLEAR_LINE = '\r\u001b[2K';

export function createFlowProgress({ stderr, style, quiet, total, done: before }: FlowProgressOptions): FlowProgress {
  const running = new Map<string, string>();
  const drawsStatus = !quiet && stderr.isTTY === true;
  let done = before;
  let shown = '';
  stderr.on('error', () => {});

  function clear(): void {
    if (shown !== '') stderr.write(CLEAR_LINE);
    shown = '';
  }

  function draw(): void {
    if (!drawsStatus) return;
    const parts = [`${done}/${total} done`, ...[...running].map(([id, text]) => `${id} ${text}`)];
    const text = parts.join(' · ').slice(0, (stderr.columns ?? 120) - 1);
    if (text === shown) return;
    stderr.write(CLEAR_LINE + text);
    shown = text;
  }

  function say(step: FlowStep, text: string): void {
    if (quiet) return;
    clear();
    stderr.write(`${style.dim('ctxb:')} ${style.bold(`[${step.id}]`)} ${onOneLine(text)}\n`);
    draw();
  }

  return {
    news(step, news) {
      if (news.kind === 'started') running.set(step.id, 'starting');
      else running.delete(step.id);
      if (news.kind === 'done' || news.kind === 'failed') done++;
      say(step, newsText(news));
    },
    watcher: (step) => ({
      notice: (text) => say(step, text),
      decision(decision) {
        if (!isRoutine(decision)) say(step, decisionText(decision));
      },
      relay: (line) => say(step, line),
      status(state) {
        running.set(step.id, stateText(state));
        draw();
      },
      ended: () => {},
      clear: () => {},
    }),
    close: clear,
  };
}

function newsText(news: StepNews): string {
  switch (news.kind) {
    case 'started':
      return news.attempt === 1 ? 'started' : `started again (${news.attempt})`;
    case 'done':
      return `done: ${endText(news.end)}`;
    case 'failed':
      return `failed: ${news.end.error ?? ''} (${endText(news.end)})`;
    case 'retry':
      return `failed and is tried again: ${news.end.error ?? ''}`;
    case 'skipped':
      return 'not run';
  }
}

function endText({ durationMs, peakTokens, calls, costUsd: cost }: StepEnd): string {
  return `${(durationMs / 1_000).toFixed(1)} s, ${counted(calls, 'call')}, at most ${tokens(peakTokens)} tokens, ${dollars(cost)}`;
}

function stateText(state: GovernorState): string {
  return `${percent(readGauge(state.gauge).fraction)} ${state.told.zone} ${dollars(costUsd(state))}`;
}
