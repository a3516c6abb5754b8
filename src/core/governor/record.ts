import { decodeLine } from '../protocol/decode.ts';
import {
  countOf,
  countOrZero,
  type Fields,
  fieldsOf,
  isFields,
  numberOf,
  ownOf,
  parseFields,
  stringOf,
  textOf,
  textsOf,
} from '../protocol/fields.ts';
import { readAsk } from './conversation/asks.ts';
import type { Decision } from './decisions.ts';
import { TIMERS } from './effects.ts';
import type { Input, OwnEvent, SpentBefore } from './input.ts';
import type { Run } from './state.ts';

/**
 * A record of all inputs of the governor, one `{t, from, line}` per line: `t` in milliseconds since the epoch, `line`
 * as it was read. A replay gives the same decisions. The first line contains the run. The decisions that a line led to
 * follow it, each as `{t, decided}`; a replay only compares them with its own.
 */
export interface RecordLine {
  readonly t: number;
  readonly from: Input['from'];
  readonly line: string;
}

const VERSION = 1;

/**
 * The record line of an input.
 *
 * @param raw the line that the input was decoded from; undefined if it was no line
 */
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
 * The input in a recorded line; undefined for any other line. Also reads recordings of
 * both directions (`{"to":"claude"|"from":"claude","at","line"}`), whose time begins at 0.
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
      const timer = TIMERS.find((each) => each === name) ?? 'compaction';
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

/** Functions that check the value of each field. */
type Readers = Readonly<Record<string, (value: unknown) => unknown>>;

const isTrue = (value: unknown) => value === true;

const END: Readers = { finished: isTrue, openTool: textOf };

/** Fields of each of ctxb's own events. */
const EVENTS: { readonly [K in OwnEvent['kind']]: Readers } = {
  begin: {},
  interrupt: {},
  state: { to: stringOf },
  'dead-end': { text: stringOf },
  'exact-folder': { path: textOf, guarded: isTrue },
  'exact-proved': {},
  // Checked when the file was read.
  'exact-receipt': { receipt: (value) => value, kept: textsOf },
  earlier: { entry: fieldsOf },
  notes: { path: stringOf },
  'handoff-written': {
    ...{ path: textOf, text: stringOf, problems: textsOf },
    by: (value) => (value === 'agent' ? value : 'memory'),
  },
  'project-cost': { others: countOrZero, earlier: countOrZero },
  'cost-answer': { limitUsd: numberOf },
  ask: { ask: readAsk, by: (value) => read(ASKER, value) },
  'stop-answer': { goesOn: isTrue },
  'agent-read': { id: stringOf, tokens: countOrZero, microUsd: countOrZero },
  'file-measured': { requestId: stringOf, file: (value) => allOf(read({ lines: countOf, fitting: countOf }, value)) },
  'hook-failed': { requestId: stringOf },
  'result-stored': { requestId: stringOf, path: textOf },
  recovered: {
    answers: textsOf,
    document: (value) => allOf(read({ path: textOf, text: textOf }, value)),
    spent: (value) => read(SPENT, value),
    ...END,
  },
  exit: { code: countOf, signal: textOf, logged: isTrue, delivered: textsOf, openMicroUsd: countOf, ...END },
};

const ASKER: Readers = { from: (value) => (value === 'caller' ? value : 'command'), id: stringOf };

/** Costs of a run as they were recorded: whole micro-dollars, below 0 if claude reported less than ctxb computed. */
const SPENT: { readonly [F in keyof SpentBefore]: Readers[string] } = {
  settled: sumIn,
  open: sumIn,
  raised: (value) => Object.fromEntries(Object.entries(fieldsOf(value)).filter(([, usd]) => typeof usd === 'number')),
  agents: countOrZero,
  lost: countOrZero,
};

function sumIn(value: unknown): number {
  return Number.isSafeInteger(value) ? Number(value) : 0;
}

function read(readers: Readers, value: unknown): Fields {
  const fields = fieldsOf(value);
  return Object.fromEntries(Object.entries(readers).map(([name, of]) => [name, of(fields[name])]));
}

/** The fields, or undefined if one is missing. */
function allOf(fields: Fields): Fields | undefined {
  return Object.values(fields).includes(undefined) ? undefined : fields;
}

/**
 * Reads one of ctxb's own events. An unknown or invalid one becomes `begin`, which changes nothing during a session.
 */
function readOwnEvent(fields: Fields): OwnEvent {
  const kind = textOf(fields.type)?.replace(/^ctxb_/, '') ?? '';
  const readers = ownOf<Readers>(EVENTS, kind);
  if (readers === undefined) return { kind: 'begin' };
  const event = { kind, ...read(readers, fields) } as OwnEvent;
  return event.kind === 'ask' && event.ask === undefined ? { kind: 'begin' } : event;
}
