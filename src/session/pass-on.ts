import type { Readable } from 'node:stream';
import { fateOf, isInjectedTurn } from '../governor/prompts/visibility.ts';
import type { GovernorState } from '../governor/state.ts';
import { decodeLine } from '../stream/decode.ts';
import type { Event } from '../stream/events.ts';
import { createFramer } from '../stream/frame.ts';
import type { CallerOutput } from './output.ts';

/** Texts in lines that may tell of a full context. */
const EXHAUSTION_MARKS = ['rompt is too long', 'prompt_too_long', 'blocking_limit'];

/** The way of claude's lines to the caller. */
export interface PassOn {
  /** Reads to the end. Resolves when every line has been handed on. */
  read(stdout: Readable): Promise<void>;
  /** What becomes of lines that were kept back: `withheld` until it is clear whose they are, `postponed` as a failure. */
  settle(which: 'withheld' | 'postponed', fate: 'show' | 'drop'): void;
}

export interface PassOnOptions {
  readonly output: CallerOutput;
  readonly state: () => GovernorState;
  /** Told of every line, after it was passed on. */
  readonly onEvent: (event: Event, line: string) => void;
}

/**
 * Lines are passed on first and parsed after, so that no line waits for the judgement of it. Only where a line may be
 * ctxb's own (in an injected turn, on the control channel, or when it names one of our ids), or tells of a failure that
 * can be mended, it is looked at before.
 */
export function createPassOn({ output, state, onEvent }: PassOnOptions): PassOn {
  const keptBack: Record<'withheld' | 'postponed', { bytes: Buffer; event: Event }[]> = { withheld: [], postponed: [] };
  const marks = ['"control_', state().run.runId.slice(0, -12), ...EXHAUSTION_MARKS].map((mark) => Buffer.from(mark));

  function show(bytes: Buffer, event: Event): void {
    output.bytes(bytes);
    output.event(event, bytes);
  }

  /** Of turns that failed one after the other only the last one tells how it stands. */
  function postpone(line: { bytes: Buffer; event: Event }): void {
    if (keptBack.postponed.at(-1)?.event.kind === 'result') keptBack.postponed = [];
    keptBack.postponed.push(line);
  }

  function accept(bytes: Buffer): void {
    const now = state();
    const mayBeOwn =
      isInjectedTurn(now) ||
      now.spending.phase === 'stopping' ||
      now.process.phase === 'starting' ||
      marks.some((mark) => bytes.includes(mark));
    if (!mayBeOwn) output.bytes(bytes);
    const line = withoutTerminator(bytes.toString());
    const event = decodeLine(line);
    if (!mayBeOwn) {
      output.event(event, bytes);
      onEvent(event, line);
      return;
    }
    const fate = fateOf(now, event);
    if (fate === 'withhold') keptBack.withheld.push({ bytes, event });
    if (fate === 'postpone') postpone({ bytes, event });
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
    settle(which, fate) {
      const lines = keptBack[which];
      keptBack[which] = [];
      if (fate === 'show') for (const { bytes, event } of lines) show(bytes, event);
    },
  };
}

function withoutTerminator(line: string): string {
  return line.replace(/\r?\n$/, '');
}
