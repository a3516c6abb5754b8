import type { SessionSummary } from '../replay/summary.ts';
import { counted, dollars, roughTokens, shareOf, tokens } from '../report/figures.ts';
import { hanging, textWidth } from '../report/layout.ts';
import type { Style } from '../report/style.ts';

/**
 * The summary of the demo: what happened, and the cost of the job with and without ctxb.
 *
 * @param session the record of the run, with its series
 */
export function closingText(session: SessionSummary, style: Style, columns: number | undefined): string {
  const { claudeCodeVersion, model, window, cost } = session;
  const turns = Array.from({ length: session.turns }, (_, index) => index);
  if (turns.length === 0) return '';
  const width = textWidth(columns);
  const line = (label: string, text: string) => hanging(`  ${label}`, text, width);
  const size = window.tokens === null ? '?' : tokens(window.tokens);
  const usd = cost.usd ?? 0;
  return [
    '',
    style.bold('What happened'),
    line('Claude Code', `${claudeCodeVersion ?? '?'}, ${model ?? '?'}, window of ${size} tokens`),
    ...turns.map((index) => line(`prompt ${index + 1} `, turnText(session, index))),
    '',
    style.bold('What the job cost'),
    line('with ctxb   ', style.bold(dollars(usd))),
    line('claude alone', `about ${dollars(toCents(usd) + toCents(cost.saved ?? 0))}, by ctxb's estimate`),
    line('paid        ', 'nothing: the stand-in made up the token counts'),
    '',
  ].join('\n');
}

/** Round before adding, so that the sum matches the printed amounts. */
function toCents(usd: number): number {
  return Math.round(usd * 100) / 100;
}

/** `33 calls, context 95k → 48k (5%)` */
function turnText({ window, series = [] }: SessionSummary, index: number): string {
  const contexts = series.filter(({ turn }) => turn === index + 1).map(({ context }) => context);
  const [first = 0, last = 0] = [contexts[0], contexts.at(-1)];
  const from = contexts.length < 2 ? '' : `${roughTokens(first)} → `;
  const share = shareOf(last, window.tokens);
  return `${counted(contexts.length, 'call')}, context ${from}${roughTokens(last)} (${share})`;
}
