import type { Readable } from 'node:stream';
import type { GovernorState } from '../governor/state.ts';
import { fateOf, isInjectedTurn } from '../governor/visibility.ts';
import { decodeLine } from '../stream/decode.ts';
import type { Event } from '../stream/events.ts';
import { createFramer } from '../stream/frame.ts';
import type { CallerOutput } from './output.ts';

/** The way of claude's lines to the caller. */
export interface PassOn {
  /** Reads to the end. Resolves when every line has been handed on. */
  read(stdout: Readable): Promise<void>;
  /** What becomes of the lines that were withheld until it was clear whose they are. */
  settleWithheld(fate: 'show' | 'drop'): void;
}

export interface PassOnOptions {
  readonly output: CallerOutput;
  readonly state: () => GovernorState;
  /** Told of every line, after it was passed on. */
  readonly onEvent: (event: Event, line: string) => void;
}

/**
 * Lines are passed on first and parsed after, so that no line waits for the judgement of it. Only where a line may be
 * ctxb's own (in an injected turn, on the control channel, or when it names one of our ids) it is looked at before.
 */
export function createPassOn({ output, state, onEvent }: PassOnOptions): PassOn {
  let withheld: { bytes: Buffer; event: Event }[] = [];
  const controlMark = Buffer.from('"control_');
  const uuidMark = Buffer.from(state().run.runId.slice(0, -12));

  function show(bytes: Buffer, event: Event): void {
    output.bytes(bytes);
    output.event(event, bytes);
  }

  function accept(bytes: Buffer): void {
    const now = state();
    const mayBeOwn = isInjectedTurn(now) || bytes.includes(controlMark) || bytes.includes(uuidMark);
    if (!mayBeOwn) output.bytes(bytes);
    const line = withoutTerminator(bytes.toString());
    const event = decodeLine(line);
    if (!mayBeOwn) {
      output.event(event, bytes);
      onEvent(event, line);
      return;
    }
    const fate = fateOf(now, event);
    if (fate === 'withhold') withheld.push({ bytes, event });
    // The judgement comes first here: it may say that what was withheld goes before this line.
    onEvent(event, line);
    if (fate === 'show') show(bytes, event);
  }

  return {
    read: (stdout) =>
      new Promise((resolve, reject) => {
        const framer = createFramer();
        stdout.on('data', (chunk: Buffer) => {
          for (const line of framer.push(chunk)) accept(line);
          if (!output.isBlocked) return;
          stdout.pause();
          output.whenDrained(() => stdout.resume());
        });
        stdout.on('error', reject);
        stdout.on('end', () => {
          const last = framer.flush();
          if (last) accept(last);
          resolve();
        });
      }),
    settleWithheld(fate) {
      const lines = withheld;
      withheld = [];
      if (fate === 'show') for (const { bytes, event } of lines) show(bytes, event);
    },
  };
}

function withoutTerminator(line: string): string {
  return line.replace(/\r?\n$/, '');
}
