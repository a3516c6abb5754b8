import type { Output } from '../../io.ts';
import { decisionText, isRoutine } from '../../messages.ts';
import { counted, dollars, duration, tokens } from '../../report/figures.ts';
import { hangingIndent, presentLines } from '../../report/layout.ts';
import { onOneLine } from '../../report/printable.ts';
import type { Style } from '../../report/style.ts';
import type { FlowStep } from '../flow.ts';
import type { FlowWatcher, NewsByStep, RanStep, StepNews } from '../run/conduct-flow.ts';
import { shortenError, totalsOf } from './run-report.ts';

export function createFlowProgress(stderr: Output, style: Style, quiet: boolean): FlowWatcher {
  stderr.on('error', () => {});

  function line(content: string): void {
    stderr.write(`${content}\n`);
  }

  function say(step: FlowStep, text: string): void {
    if (!quiet)
      line(hangingIndent(style.dim('ctxb:'), `${style.bold(`[${step.id}]`)} ${onOneLine(text)}`, stderr.columns));
  }

  return {
    news(news) {
      if (news.kind !== 'skipped') say(news.step, newsText(news));
    },
    watcher: (step) => ({
      notice: (text) => say(step, text),
      decision(decision) {
        if (!isRoutine(decision)) say(step, decisionText(decision));
      },
      // claude's stderr is for the caller, also with --quiet.
      relay: (text) => line(`${style.bold(`[${step.id}]`)} ${text}`),
    }),
  };
}

function newsText({ kind, end }: StepNews): string {
  if (end === undefined) return kind;
  if (kind === 'failed') return `failed: ${shortenError(end.measured.error)} (${endText([end])})`;
  return kind === 'done' ? `done: ${endText([end])}` : `stopped (${endText([end])})`;
}

function endText(ends: readonly RanStep[]): string {
  const { calls, cost_usd, curator_cost_usd, duration_ms } = totalsOf(ends);
  const peak = Math.max(0, ...ends.map(({ measured }) => measured.peak_tokens));
  const context = peak === 0 ? '' : `, at most ${tokens(peak)} tokens`;
  return `${duration(duration_ms)}, ${counted(calls, 'call')}${context}, ${dollars(cost_usd + curator_cost_usd)}`;
}

/** The steps that did not run, and totals over all steps. The receipts have the figures of each step. */
export function flowEndLines(newsByStep: NewsByStep): string[] {
  const idsOf = (wanted: StepNews['kind']) => [...newsByStep].flatMap(([id, { kind }]) => (kind === wanted ? id : []));
  const skipped = idsOf('skipped');
  const ends = [...newsByStep.values()].flatMap(({ end }) => end ?? []);
  return presentLines(
    skipped.length > 0 && `not run: ${skipped.join(', ')}`,
    `${idsOf('done').length} of ${counted(newsByStep.size, 'step')} done: ${endText(ends)}; each step: ctxb flow report`,
  );
}
