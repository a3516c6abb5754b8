import { randomUUID } from 'node:crypto';
import type { Readable } from 'node:stream';
import split2 from 'split2';
import { userLine } from '../governor/compaction.ts';
import { decodeLine } from '../stream/decode.ts';
import type { Event } from '../stream/events.ts';

/** Where the caller's lines come from. */
export interface CallerInput {
  start(listener: CallerListener): void;
  stop(): void;
}

export interface CallerListener {
  readonly line: (event: Event, line: string) => void;
  readonly end: () => void;
  /** Calls back when claude's stdin takes more. */
  readonly mayContinue: (resume: () => void) => void;
}

/** Prompts that are all known at the start; each is a line of claude's input format. */
export function fixedPrompts(lines: readonly string[]): CallerInput {
  return {
    start({ line, end }) {
      for (const text of lines) line(decodeLine(text), text);
      end();
    },
    stop() {},
  };
}

/**
 * Lines of a program that speaks the stream protocol. Prompts without a `uuid` get one, so that after a crash the
 * session log says which were delivered; nothing else is changed.
 */
export function protocolLines(stdin: Readable, stamp: boolean): CallerInput {
  const lines = split2();
  return {
    start({ line, end, mayContinue }) {
      lines.on('data', (text: string) => {
        const stamped = stamp ? withUuid(text) : text;
        line(decodeLine(stamped), stamped);
        lines.pause();
        mayContinue(() => lines.resume());
      });
      lines.on('end', end);
      stdin.on('error', () => lines.end());
      stdin.pipe(lines);
    },
    stop() {
      stdin.unpipe(lines);
      // An open stdin that nobody reads any more must not keep the process alive.
      stdin.destroy();
    },
  };
}

/** A prompt as a line of claude's input format. */
export function promptLine(text: string): string {
  return userLine(text, randomUUID());
}

/** Puts a `uuid` before the closing brace of a user line that has none; every other byte stays as it is. */
export function withUuid(line: string): string {
  const event = decodeLine(line);
  if (event.kind !== 'user' || event.uuid !== undefined) return line;
  const end = line.lastIndexOf('}');
  return `${line.slice(0, end)},"uuid":"${randomUUID()}"${line.slice(end)}`;
}
