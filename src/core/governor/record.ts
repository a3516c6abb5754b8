import { decodeLine } from '../protocol/decode.ts';
import { countOf, type Fields, isFields, ownOf, parseFields, textOf } from '../protocol/fields.ts';
import type { Decision } from './decisions.ts';
import { TIMERS } from './effects.ts';
import type { Input } from './input.ts';
import { OWN_EVENTS, type OwnEvent, readBy } from './own-events.ts';
import type { Run } from './state.ts';

/**
 * A line of a record: an input of the governor, or a decision. An input is `{t, from, line}`, with `t` in milliseconds
 * since the epoch and `line` as read. The first line contains the run. The decisions that an input led to follow it,
 * each as `{t, decided}`. A replay of the inputs gives the same decisions, and compares them with these.
 */
export interface RecordLine {
  readonly t: number;
  readonly from: Input['from'];
  readonly line: string;
}

const VERSION = 1;

/** Makes a line of a record. @param raw the line before decoding; undefined if the input was not a line */
export function toRecord(input: Input, raw: string | undefined): RecordLine {
  const line = raw ?? JSON.stringify({ ...input.event, type: `ctxb_${input.event.kind}` });
  return { t: input.t, from: input.from, line };
}

export function recordRun(run: Run, t: number): RecordLine {
  return { t, from: 'ctxb', line: JSON.stringify({ type: 'ctxb_run', version: VERSION, decisions: true, run }) };
}

export function recordDecision(decision: Decision, t: number): object {
  return { t, decided: decision };
}

/** Whether a recorded line contains a decision. */
export function isDecisionLine(value: Fields): boolean {
  return 'decided' in value && !('type' in value) && isFields(value.decided);
}

/** The run of a record, if `value` is its opening line. */
export function readRecordedRun(value: Fields): Run | undefined {
  if (value.from !== 'ctxb' || typeof value.line !== 'string' || !value.line.includes('"ctxb_run"')) return undefined;
  const opening = parseFields(value.line);
  if (opening.type !== 'ctxb_run' || opening.version !== VERSION || !isFields(opening.run)) return undefined;
  // The version shows that this program wrote the run, in this shape.
  return opening.run as unknown as Run;
}

/**
 * Reads an input of a record, or of a recording of both directions: `{"to":"claude"|"from":"claude","at","line"}`,
 * whose time begins at 0.
 */
export function readRecord(value: Fields, lastTime: number): Input | undefined {
  const line = textOf(value.line);
  if (line === undefined) return undefined;
  const t = countOf(value.t) ?? countOf(value.at) ?? lastTime;
  if (value.to === 'claude') return { t, from: 'caller', event: decodeLine(line), line };
  switch (value.from) {
    case 'claude':
      return { t, from: 'claude', event: decodeLine(line) };
    case 'caller':
      return readCaller(line, t);
    case 'timer': {
      const { timer: name } = parseFields(line);
      const timer = TIMERS.find((each) => each === name) ?? 'operation';
      return { t, from: 'timer', event: { kind: 'timeout', timer } };
    }
    case 'ctxb':
      return { t, from: 'ctxb', event: readOwnEvent(parseFields(line)) };
    default:
      return undefined;
  }
}

function readCaller(line: string, t: number): Input {
  const isEnd = parseFields(line).type === 'ctxb_end';
  return { t, from: 'caller', ...(isEnd ? { event: { kind: 'end' } } : { event: decodeLine(line), line }) };
}

/** Reads an event of ctxb's own. An unknown or invalid one becomes `begin`, which changes nothing during a session. */
function readOwnEvent(fields: Fields): OwnEvent {
  const kind = textOf(fields.type)?.replace(/^ctxb_/, '') ?? '';
  const readers = ownOf<(typeof OWN_EVENTS)[OwnEvent['kind']]>(OWN_EVENTS, kind);
  if (readers === undefined) return { kind: 'begin' };
  const event = { kind, ...readBy(readers, fields) } as OwnEvent;
  return event.kind === 'ask' && event.ask === undefined ? { kind: 'begin' } : event;
}
