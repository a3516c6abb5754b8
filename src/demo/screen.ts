import { Writable } from 'node:stream';
import type { ChalkInstance } from 'chalk';
import type { Output } from '../io.ts';
import { counted } from '../report/figures.ts';
import { printable } from '../report/style.ts';
import { resultText } from '../session/result-text.ts';
import { decodeLine } from '../stream/decode.ts';
import type { Event } from '../stream/events.ts';
import { createFramer } from '../stream/frame.ts';

/** The caller's side of the demo: shows the prompts and what claude's visible lines say, each under its speaker's name. */
export interface Screen {
  /** A visible line of claude's. */
  show(event: Event): void;
  /** The same for a run's stdout. */
  readonly stdout: Output;
}

export function createScreen(stdout: Output, style: ChalkInstance, prompts: readonly string[]): Screen {
  let turn = -1;
  let isOpen = false;
  let filesRead = 0;

  function say(speaker: string, text: string): void {
    stdout.write(`${speaker} ${printable(text)}\n`);
  }

  function show(event: Event): void {
    // `init` may come again within a turn.
    if (event.kind === 'init' && !isOpen) {
      isOpen = true;
      say(style.bold.green('   you │'), style.bold(prompts[++turn] ?? ''));
    }
    if (event.kind === 'assistant') {
      for (const block of event.blocks) {
        if (block.type === 'tool_use') filesRead++;
        if (block.type === 'text') speak(block.text);
      }
    }
    if (event.kind === 'result') {
      isOpen = false;
      if (event.isError) speak(resultText(event));
    }
  }

  function speak(text: string): void {
    const reading = filesRead === 0 ? '' : `(${counted(filesRead, 'file')} read) `;
    filesRead = 0;
    say(style.bold.cyan('claude │'), `${reading}${text}`);
  }

  const framer = createFramer();
  return {
    show,
    stdout: new Writable({
      write(chunk: Buffer, _, done) {
        for (const line of framer.push(chunk)) show(decodeLine(line.toString()));
        done();
      },
    }),
  };
}
