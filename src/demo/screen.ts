import split2 from 'split2';
import { decodeLine } from '../core/protocol/decode.ts';
import type { Block, Event } from '../core/protocol/events.ts';
import type { Output } from '../io.ts';
import { counted } from '../report/figures.ts';
import { hanging } from '../report/layout.ts';
import { printable } from '../report/shown.ts';
import type { Style } from '../report/style.ts';
import { resultText } from '../run/output/output.ts';

/** The stdout of the demo's run: prints prompts and claude's texts with the name of the speaker. */
export function createScreen(stdout: Output, style: Style, prompts: readonly string[]): Output {
  let turn = -1;
  let isOpen = false;
  let filesRead = 0;

  function say(speaker: string, text: string): void {
    stdout.write(`${hanging(speaker, text, stdout.columns)}\n`);
  }

  /** claude may send `init` more than once per turn. */
  function begin(): void {
    if (isOpen) return;
    isOpen = true;
    say(style.green('   you │'), style.bold(prompts[++turn] ?? ''));
  }

  function speak(text: string): void {
    const reading = filesRead === 0 ? '' : style.dim(`(${counted(filesRead, 'file')} read) `);
    filesRead = 0;
    say(style.cyan('claude │'), `${reading}${printable(text)}`);
  }

  function hear(block: Block): void {
    if (block.type === 'tool_use') filesRead++;
    if (block.type === 'text') speak(block.text);
  }

  function show(event: Event): void {
    if (event.kind === 'init') begin();
    if (event.kind === 'assistant') event.blocks.forEach(hear);
    if (event.kind !== 'result') return;
    isOpen = false;
    if (event.isError) speak(resultText(event));
  }

  const lines = split2();
  lines.on('data', (line: string) => show(decodeLine(line)));
  // If the reader closes stdout, the run stops, as it does without the demo.
  lines.on('error', () => {});
  stdout.on('error', (error) => lines.destroy(error));
  return lines;
}
