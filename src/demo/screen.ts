import split2 from 'split2';
import type { Block } from '../core/protocol/block.ts';
import { decodeLine } from '../core/protocol/decode.ts';
import type { Event } from '../core/protocol/events.ts';
import type { Output } from '../io.ts';
import type { SessionSummary } from '../replay/summary.ts';
import { counted, dollars, roundedTokens, shareOf, tokens } from '../report/figures.ts';
import { hangingIndent, textWidth } from '../report/layout.ts';
import { printable } from '../report/printable.ts';
import type { Style } from '../report/style.ts';
import { resultText } from '../run/output/output.ts';

/** The stdout of the demo's run: prints prompts and claude's texts with the name of the speaker. */
export function createScreen(stdout: Output, style: Style, prompts: readonly string[]): Output {
  let turn = -1;
  let isOpen = false;
  let filesRead = 0;

  function say(speaker: string, text: string): void {
    stdout.write(`${hangingIndent(speaker, text, stdout.columns)}\n`);
  }

  function printText(text: string): void {
    const reading = filesRead === 0 ? '' : style.dim(`(${counted(filesRead, 'file')} read) `);
    filesRead = 0;
    say(style.cyan('claude │'), `${reading}${printable(text)}`);
  }

  function printBlock(block: Block): void {
    if (block.type === 'tool_use') filesRead++;
    if (block.type === 'text') printText(block.text);
  }

  function show(event: Event): void {
    // claude may send `init` more than once per turn.
    if (event.kind === 'init' && !isOpen) {
      isOpen = true;
      say(style.green('   you │'), style.bold(prompts[++turn] ?? ''));
    }
    if (event.kind === 'assistant') event.blocks.forEach(printBlock);
    if (event.kind !== 'result') return;
    isOpen = false;
    if (event.isError) printText(resultText(event));
  }

  const lines = split2();
  lines.on('data', (line: string) => show(decodeLine(line)));
  // If the reader closes stdout, the run stops, as without the demo.
  lines.on('error', () => {});
  stdout.on('error', (error) => lines.destroy(error));
  return lines;
}

/** The events of the job, and its cost with and without ctxb. @param session with its series of calls */
export function closingText(session: SessionSummary, style: Style, columns: number | undefined): string {
  const { claudeCodeVersion, model, window, cost } = session;
  const turns = Array.from({ length: session.turns }, (_, index) => index);
  if (turns.length === 0) return '';
  const width = textWidth(columns);
  const line = (label: string, text: string) => hangingIndent(`  ${label}`, text, width);
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

/** Rounded before adding, so that the sum matches the printed amounts. */
function toCents(usd: number): number {
  return Math.round(usd * 100) / 100;
}

function turnText({ window, series = [] }: SessionSummary, index: number): string {
  const contexts = series.filter(({ turn }) => turn === index + 1).map(({ context }) => context);
  const [first = 0, last = 0] = [contexts[0], contexts.at(-1)];
  const from = contexts.length < 2 ? '' : `${roundedTokens(first)} → `;
  const share = shareOf(last, window.tokens);
  return `${counted(contexts.length, 'call')}, context ${from}${roundedTokens(last)} (${share})`;
}
