import type { Readable } from 'node:stream';
import { userLine } from '../../governor/prompts/own-lines.ts';
import { stampUuid } from '../../governor/prompts/prompt.ts';
import { decodeLine } from '../../stream/decode.ts';
import type { Event } from '../../stream/events.ts';
import { createFramer } from '../../stream/frame.ts';

/** Where the caller's lines come from. */
export interface CallerInput {
  /** Lines of prompts, where all are known at the start. */
  readonly lines?: readonly string[];
  start(listener: CallerListener): void;
  stop(): void;
}

export interface CallerListener {
  readonly line: (event: Event, line: string) => void;
  readonly end: () => void;
  /** Calls back when claude's stdin takes more. */
  readonly mayContinue: (resume: () => void) => void;
}

/** Makes the `uuid` of the next prompt that came without one. */
export type Stamp = () => string;

export function createStamp(runId: string): Stamp {
  let count = 0;
  return () => stampUuid(runId, ++count);
}

/** Prompts that are all known at the start; each is a line of claude's input format. */
export function fixedPrompts(lines: readonly string[]): CallerInput {
  return {
    lines,
    start({ line, end }) {
      for (const text of lines) line(decodeLine(text), text);
      end();
    },
    stop() {},
  };
}

/**
 * Lines of a program that speaks the stream protocol, each with its own terminator. Prompts without a `uuid` get one,
 * so that after a crash the session log says which were delivered; nothing else is changed.
 */
export function protocolLines(stdin: Readable, stamp: Stamp | undefined): CallerInput {
  async function read({ line, end, mayContinue }: CallerListener): Promise<void> {
    const framer = createFramer();
    const deliver = async (bytes: Buffer) => {
      const text = stamp ? withUuid(bytes.toString(), stamp) : bytes.toString();
      line(decodeLine(text), text);
      await new Promise<void>(mayContinue);
    };
    for await (const chunk of stdin) {
      for (const bytes of framer.push(chunk as Buffer)) await deliver(bytes);
    }
    const last = framer.flush();
    if (last) await deliver(last);
    end();
  }

  return {
    // A stdin that breaks, or that is no longer wanted, is at its end.
    start: (listener) => void read(listener).catch(listener.end),
    // An open stdin that nobody reads any more must not keep the process alive.
    stop: () => stdin.destroy(),
  };
}

/** A prompt as a line of claude's input format. */
export function promptLine(text: string, stamp: Stamp): string {
  return userLine(text, stamp());
}

/** Puts a `uuid` before the closing brace of a user line that has none; every other byte stays as it is. */
export function withUuid(line: string, stamp: Stamp): string {
  const event = decodeLine(line);
  if (event.kind !== 'user' || event.uuid !== undefined) return line;
  const end = line.lastIndexOf('}');
  return `${line.slice(0, end)},"uuid":"${stamp()}"${line.slice(end)}`;
}
