import type { Readable } from 'node:stream';
import { registeredHooks } from '../../core/governor/control/control.ts';
import { isInjectedTurn, type Visibility, visibilityOf } from '../../core/governor/conversation/visibility.ts';
import { hasCtxbUuid } from '../../core/governor/prompts/own-lines.ts';
import { STAMP_MARK } from '../../core/governor/prompts/prompt.ts';
import { isAnswerFinal } from '../../core/governor/prompts/tasks.ts';
import { mayComeFromMod } from '../../core/governor/relief/exact.ts';
import type { GovernorState } from '../../core/governor/state.ts';
import { decodeLine } from '../../core/protocol/decode.ts';
import type { Event } from '../../core/protocol/events.ts';
import { linesOfStream } from '../../core/protocol/frame.ts';
import { hideCtxbTraces, type Traces, traceMarks } from '../../core/protocol/hide-ctxb-traces.ts';
import { objectsIn } from '../../core/protocol/objects-in.ts';
import type { CallerOutput } from './output.ts';
import type { WholeResults, WholeTurn } from './whole-results.ts';

/** Texts in lines that may report a failed turn. */
const FAILURE_MARKS = [
  ...['"<synthetic>"', '"is_error":true', 'error_during_execution', 'hook_stopped'],
  ...['rompt is too long', 'prompt_too_long', 'blocking_limit', 'rapid_refill_breaker'],
];

/** Occurs in every row from claude. */
const ROW_MARK = '"session_id"';

/** Occurs in every result line. */
const RESULT_MARK = Buffer.from('"type":"result"');

interface Line {
  readonly bytes: Buffer;
  readonly event: Event;
  /** The turn that a result ends. */
  readonly turn: WholeTurn;
}

export type PassOn = ReturnType<typeof createPassOn>;

export interface PassOnOptions {
  readonly output: CallerOutput;
  readonly figures: WholeResults;
  readonly state: () => GovernorState;
  /** Called for every line. `passOn` is called once, after the lines kept back before it and before anything else. */
  readonly onEvent: (event: Event, line: string, passOn: () => void) => void;
}

/**
 * Passes lines on before parsing them, so that no line waits. Parses a line first only if it may be ctxb's own (in an
 * injected turn, on the control channel, or with one of ctxb's ids), may contain traces of ctxb, or reports a failure
 * that ctxb may repair.
 */
export function createPassOn({ output, figures, state, onEvent }: PassOnOptions) {
  const keptBack: Record<'buffered' | 'deferred', Line[]> = { buffered: [], deferred: [] };
  let processes = 0;
  const traces: Traces = {
    isStamped: (uuid) => hasCtxbUuid(state(), uuid),
    isStreamed: output.format === 'json',
    ownHooks: () => registeredHooks(state()),
    hasOnlyOwnHooks: () => state().process.control.initialize?.hooks === undefined,
  };
  const own = ['"control_', state().run.runId.slice(0, -12), STAMP_MARK];
  const marks = [...own, ...traceMarks(traces), ...FAILURE_MARKS].map((mark) => Buffer.from(mark));

  function show({ bytes, event, turn }: Line): void {
    const isResult = event.kind === 'result';
    const whole = isResult ? wholeResult(bytes, turn) : bytes;
    if (isResult) figures.shown();
    output.bytes(whole);
    tell(whole, event);
  }

  function wholeResult(bytes: Buffer, turn: Line['turn']): Buffer {
    const text = bytes.toString();
    const whole = figures.whole(text, turn, state());
    // Bytes that are not UTF-8 stay as they are.
    return whole === text ? bytes : Buffer.from(whole);
  }

  function tell(bytes: Buffer, event: Event): void {
    output.event(event, bytes, isAnswerFinal(state()));
  }

  /** Keeps a failed result back. Of several in a row, only the last one. */
  function defer(line: Line): void {
    if (keptBack.deferred.at(-1)?.event.kind === 'result') keptBack.deferred = [];
    keptBack.deferred.push(line);
  }

  function accept(bytes: Buffer): void {
    const now = state();
    const isPassed = !mayDiffer(bytes, now);
    if (isPassed) output.bytes(bytes);
    const text = bytes.toString();
    const line = withoutTerminator(text);
    const event = decodeLine(line);
    const fate = isPassed ? 'show' : visibilityOf(now, event);
    const seen = { bytes, event, turn: figures.see(event, line, now, fate === 'show') };
    if (isPassed) emitEvent(seen, line, true);
    else {
      passDecoded(seen, text, fate);
      if (event.kind === 'result') figures.judged(event, state());
    }
    if (event.kind !== 'malformed' || !text.includes(ROW_MARK)) return;
    for (const row of objectsIn(line).values) acceptPart(JSON.stringify(row), fate === 'show');
  }

  /** Handles a row in a malformed line that was already passed on. */
  function acceptPart(line: string, isShown: boolean): void {
    const event = decodeLine(line);
    figures.see(event, line, state(), isShown);
    emitEvent({ bytes: Buffer.from(line), event }, line, isShown);
  }

  function emitEvent({ bytes, event }: Pick<Line, 'bytes' | 'event'>, line: string, isShown: boolean): void {
    onEvent(event, line, () => {
      if (isShown) tell(bytes, event);
    });
    if (event.kind !== 'result') return;
    figures.shown();
    figures.judged(event, state());
  }

  /** Whether the caller may get less than the whole line. */
  function mayDiffer(bytes: Buffer, now: GovernorState): boolean {
    return (
      isInjectedTurn(now) ||
      mayComeFromMod(now) ||
      isInterrupting(now) ||
      now.process.phase === 'starting' ||
      (figures.areChanged && bytes.includes(RESULT_MARK)) ||
      marks.some((mark) => bytes.includes(mark))
    );
  }

  function passDecoded(seen: Line, text: string, fate: Visibility): void {
    const { event } = seen;
    const withoutTraces = event.kind === 'malformed' ? text : hideCtxbTraces(text, traces);
    const shown = withoutTraces === text ? seen : { ...seen, bytes: Buffer.from(withoutTraces) };
    if (fate === 'buffer') keptBack.buffered.push(shown);
    if (fate === 'defer') defer(shown);
    onEvent(event, withoutTerminator(text), () => {
      if (fate === 'show') show(shown);
    });
  }

  return {
    async read(stdout: Readable): Promise<void> {
      if (processes++ > 0) figures.restarted();
      for await (const line of linesOfStream(stdout)) {
        accept(line);
        if (output.isBlocked) await new Promise<void>(output.whenDrained);
      }
    },
    /** Shows or drops kept-back lines. `buffered`: until their turn is known. `deferred`: because of a failure. */
    settle(which: 'buffered' | 'deferred', fate: 'show' | 'drop'): void {
      const lines = keptBack[which];
      keptBack[which] = [];
      if (fate === 'show') for (const line of lines) show(line);
    },
  };
}

/** Whether claude reports an interruption that is not for the caller, because the turn continues later. */
function isInterrupting({ turn }: GovernorState): boolean {
  return turn.stopped !== undefined && turn.stopped !== 'asked';
}

function withoutTerminator(line: string): string {
  return line.replace(/\r?\n$/, '');
}
