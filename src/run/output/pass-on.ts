import type { Readable } from 'node:stream';
import { registeredHooks } from '../../core/governor/control/control.ts';
import { isInjectedTurn, visibilityOf } from '../../core/governor/conversation/visibility.ts';
import { isOwnOrStamped } from '../../core/governor/prompts/own-lines.ts';
import { STAMP_MARK } from '../../core/governor/prompts/prompt.ts';
import { isAnswerFinal } from '../../core/governor/prompts/tasks.ts';
import { speaksOfMod } from '../../core/governor/relief/exact.ts';
import type { GovernorState } from '../../core/governor/state.ts';
import { asAlone, type Traces, traceMarks } from '../../core/protocol/as-alone.ts';
import { decodeLine } from '../../core/protocol/decode.ts';
import type { Event } from '../../core/protocol/events.ts';
import { createFramer } from '../../core/protocol/frame.ts';
import type { CallerOutput } from './output.ts';

/** Texts in lines that may tell of a turn that failed. */
const FAILURE_MARKS = [
  ...['"<synthetic>"', '"is_error":true', 'error_during_execution', 'hook_stopped'],
  ...['rompt is too long', 'prompt_too_long', 'blocking_limit', 'rapid_refill_breaker'],
];

export type PassOn = ReturnType<typeof createPassOn>;

export interface PassOnOptions {
  readonly output: CallerOutput;
  readonly state: () => GovernorState;
  /** Told of every line. `passOn` is called once: behind what was kept back, before anything else is done about it. */
  readonly onEvent: (event: Event, line: string, passOn: () => void) => void;
}

/**
 * Lines are passed on first and parsed after, so that no line waits for the judgement of it. Only where a line may be
 * ctxb's own (in an injected turn, on the control channel, or when it names one of our ids), may hold what is there
 * because of ctxb, or tells of a failure that can be mended, it is looked at before.
 */
export function createPassOn({ output, state, onEvent }: PassOnOptions) {
  const keptBack: Record<'buffered' | 'deferred', { bytes: Buffer; event: Event }[]> = { buffered: [], deferred: [] };
  const traces: Traces = {
    isStamped: (uuid) => isOwnOrStamped(state(), uuid),
    isStreamed: output.format === 'json',
    ownHooks: () => registeredHooks(state()),
    hasOnlyOwnHooks: () => state().control.initialize?.hooks === undefined,
  };
  const own = ['"control_', state().run.runId.slice(0, -12), STAMP_MARK];
  const marks = [...own, ...traceMarks(traces), ...FAILURE_MARKS].map((mark) => Buffer.from(mark));

  function show(bytes: Buffer, event: Event): void {
    output.bytes(bytes);
    tell(bytes, event);
  }

  function tell(bytes: Buffer, event: Event): void {
    output.event(event, bytes, isAnswerFinal(state()));
  }

  /** Of turns that failed one after the other only the last one tells how it stands. */
  function defer(line: { bytes: Buffer; event: Event }): void {
    if (keptBack.deferred.at(-1)?.event.kind === 'result') keptBack.deferred = [];
    keptBack.deferred.push(line);
  }

  function accept(bytes: Buffer): void {
    const now = state();
    const mayBeOwn =
      isInjectedTurn(now) ||
      speaksOfMod(now) ||
      isInterrupting(now) ||
      now.process.phase === 'starting' ||
      marks.some((mark) => bytes.includes(mark));
    if (!mayBeOwn) output.bytes(bytes);
    const text = bytes.toString();
    const line = withoutTerminator(text);
    const event = decodeLine(line);
    if (!mayBeOwn) {
      onEvent(event, line, () => tell(bytes, event));
      return;
    }
    const fate = visibilityOf(now, event);
    const alone = event.kind === 'malformed' ? text : asAlone(text, traces);
    const shown = { bytes: alone === text ? bytes : Buffer.from(alone), event };
    if (fate === 'buffer') keptBack.buffered.push(shown);
    if (fate === 'defer') defer(shown);
    onEvent(event, line, () => {
      if (fate === 'show') show(shown.bytes, event);
    });
  }

  return {
    /** Reads to the end. Resolves when every line has been handed on. */
    read: (stdout: Readable) =>
      new Promise<void>((resolve, reject) => {
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
    /** What becomes of lines that were kept back: `buffered` until it is clear whose they are, `deferred` as a failure. */
    settle(which: 'buffered' | 'deferred', fate: 'show' | 'drop'): void {
      const lines = keptBack[which];
      keptBack[which] = [];
      if (fate === 'show') for (const { bytes, event } of lines) show(bytes, event);
    },
  };
}

/** A turn is interrupted that goes on later: what claude says of that is not for the caller. */
function isInterrupting({ spending, stall, wait }: GovernorState): boolean {
  return spending.phase === 'stopping' || stall.phase === 'interrupted' || wait?.phase === 'breaking';
}

function withoutTerminator(line: string): string {
  return line.replace(/\r?\n$/, '');
}
