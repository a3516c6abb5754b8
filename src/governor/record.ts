import { decodeLine, decodeObject } from '../stream/decode.ts';
import { countOf, type Fields, fieldsOf, isFields, textOf } from '../stream/fields.ts';
import type { TimerName } from './actions.ts';
import type { Input, OwnEvent } from './input.ts';
import type { MemoryPolicy } from './policy.ts';
import type { Run } from './state.ts';

/**
 * A record of everything the governor was told, one `{t, from, line}` per line: `t` in milliseconds since the epoch,
 * `line` as it was read. Replaying it gives the same decisions. The first line holds the run itself.
 */
export interface RecordLine {
  readonly t: number;
  readonly from: Input['from'];
  readonly line: string;
}

const VERSION = 1;

/** Records from before there was a working memory do not speak of it. */
const NO_MEMORY: MemoryPolicy = {
  enabled: false,
  restoreTokens: 0,
  remind: false,
  statePattern: undefined,
  deadEndPattern: undefined,
};

/** What is recorded of an input; `raw` is the line it was decoded from, where it was one. */
export function toRecord(input: Input, raw: string | undefined): RecordLine {
  const line = raw ?? JSON.stringify({ ...input.event, type: `ctxb_${input.event.kind}` });
  return { t: input.t, from: input.from, line };
}

/** The opening line of a record. */
export function recordRun(run: Run, t: number): RecordLine {
  return { t, from: 'ctxb', line: JSON.stringify({ type: 'ctxb_run', version: VERSION, run }) };
}

/** The run a record was made in, when `value` is such an opening line. */
export function readRecordedRun(value: Fields): Run | undefined {
  if (value.from !== 'ctxb' || typeof value.line !== 'string' || !value.line.includes('"ctxb_run"')) return undefined;
  const opening = parse(value.line);
  if (opening.type !== 'ctxb_run' || opening.version !== VERSION || !isFields(opening.run)) return undefined;
  // The version says that this program wrote it, in this shape.
  const run = opening.run as unknown as Run;
  return { ...run, policy: { ...run.policy, memory: run.policy.memory ?? NO_MEMORY } };
}

/**
 * The input a recorded line stands for, or undefined when the value is no recorded line. Also reads recordings of
 * both directions (`{"to":"claude"|"from":"claude","line"}`), which carry no time.
 */
export function readRecord(value: Fields, lastTime: number): Input | undefined {
  const line = textOf(value.line);
  if (line === undefined) return undefined;
  const t = countOf(value.t) ?? lastTime;
  if (value.to === 'claude') return { t, from: 'caller', event: decodeLine(line), line };
  switch (value.from) {
    case 'claude':
      return { t, from: 'claude', event: decodeLine(line) };
    case 'caller':
      return readCaller(line, t);
    case 'timer':
      return { t, from: 'timer', event: { kind: 'timeout', timer: timerOf(parse(line)) } };
    case 'ctxb':
      return { t, from: 'ctxb', event: readOwn(parse(line)) };
    default:
      return undefined;
  }
}

function readCaller(line: string, t: number): Input {
  const fields = parse(line);
  if (fields.type === 'ctxb_end') return { t, from: 'caller', event: { kind: 'end' } };
  const event = Object.keys(fields).length > 0 ? decodeObject(fields) : decodeLine(line);
  return { t, from: 'caller', event, line };
}

function readOwn({ type, to, source, text, path, entry }: Fields): OwnEvent {
  switch (type) {
    case 'ctxb_state':
      return { kind: 'state', to: textOf(to) ?? '', source: source === 'told' ? 'told' : 'pattern' };
    case 'ctxb_dead-end':
      return { kind: 'dead-end', text: textOf(text) ?? '' };
    case 'ctxb_earlier':
      return { kind: 'earlier', entry: fieldsOf(entry) };
    case 'ctxb_notes':
      return { kind: 'notes', path: textOf(path) ?? '' };
    default:
      return { kind: type === 'ctxb_interrupt' ? 'interrupt' : 'begin' };
  }
}

const TIMERS: readonly TimerName[] = ['compaction', 'context', 'background', 'turn'];

function timerOf(fields: Fields): TimerName {
  const name = TIMERS.find((timer) => timer === fields.timer);
  return name ?? 'compaction';
}

function parse(line: string): Fields {
  try {
    return fieldsOf(JSON.parse(line));
  } catch {
    return {};
  }
}
