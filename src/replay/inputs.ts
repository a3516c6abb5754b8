import { isMixed, readKey } from '../core/governor/call-identity.ts';
import type { Input } from '../core/governor/input.ts';
import { isDecisionLine, readRecord, readRecordedRun } from '../core/governor/record.ts';
import type { Run } from '../core/governor/state.ts';
import { decodeObject } from '../core/protocol/decode.ts';
import type { Event } from '../core/protocol/events.ts';
import type { Fields } from '../core/protocol/fields.ts';
import { findAllIn, type ReadLine, type Row } from './read/line-feed.ts';
import type { Dialect } from './summary.ts';

export type RecordingLine =
  /** `decided`: what the run decided, which follows from the inputs before it. */
  | { readonly kind: 'blank' | 'repeated' | 'decided' }
  /** `lost`: it held a call. */
  | { readonly kind: 'malformed'; readonly lost?: true }
  /** The opening of a record of `ctxb run`. */
  | { readonly kind: 'run'; readonly run: Run }
  /** A row of which only its presence and time count. */
  | { readonly kind: 'unread'; readonly row: Row & { readonly t: number } }
  | { readonly kind: 'input'; readonly input: Input };

const REPEATED: RecordingLine = { kind: 'repeated' };

/** Reads the lines of one recording, of either dialect or a record of a run, in order. */
export function createInputReader() {
  /**
   * Newest message of each thread and model, which may have further lines: a call of another model may come in between.
   */
  const newest = new Map<string, string>();
  const rows = createRecentIds();
  const messages = createRecentIds();
  let time = 0;
  let dialect: Dialect | undefined;

  /** Around a compaction a session log repeats the kept rows under the same uuid. */
  function isRepeated(uuid: unknown, isNamed: boolean): boolean {
    return isNamed && typeof uuid === 'string' && rows.seen(uuid);
  }

  /**
   * A message that another one of its thread has followed is over: what comes under its id, and has read the same, is
   * there a second time.
   */
  function isOver({ event }: Input): boolean {
    if (event.kind !== 'assistant' || event.messageId === '') return false;
    const thread = `${event.model ?? ''} ${event.subagent ?? ''}`;
    const call = `${event.messageId} ${readKey(event.usage) ?? ''}`;
    const going = isMixed(event) ? call : event.messageId;
    if (newest.get(thread) === going) return false;
    if (messages.seen(call)) return true;
    newest.set(thread, going);
    return false;
  }

  function unread({ row }: { readonly row: Row }): RecordingLine {
    if (isRepeated(row.uuid, true)) return REPEATED;
    time = row.t ?? time;
    return { kind: 'unread', row: { ...row, t: time } };
  }

  function told(input: Input, isNamed: boolean): RecordingLine {
    if (isNamed && isOver(input)) return REPEATED;
    time = input.t;
    return { kind: 'input', input };
  }

  function valued(value: Fields): RecordingLine {
    const run = readRecordedRun(value);
    if (run) return { kind: 'run', run };
    if (isDecisionLine(value)) return { kind: 'decided' };
    const isNamed = value.sessionId !== undefined;
    if (isRepeated(value.uuid, isNamed)) return REPEATED;
    const line = told(readRecord(value, time) ?? said(decodeObject(value), time), isNamed);
    if (line.kind === 'input') dialect ??= dialectOf(value);
    return line;
  }

  function read(line: ReadLine): RecordingLine {
    switch (line.kind) {
      case 'unread':
        return unread(line);
      case 'answer':
        return isRepeated(line.event.uuid, true) ? REPEATED : told(said(line.event, time), true);
      case 'value':
        return valued(line.value);
      default:
        return line;
    }
  }

  return {
    read,
    /** The new content of a log line. */
    inputsIn: (line: string): readonly Input[] =>
      findAllIn(line).flatMap((each) => {
        const found = read(each);
        return found.kind === 'input' ? [found.input] : [];
      }),
    /** undefined as long as no line has shown it. */
    get dialect(): Dialect | undefined {
      return dialect;
    },
  };
}

function said(event: Event, lastTime: number): Input {
  const t = 'timestamp' in event && event.timestamp !== undefined ? event.timestamp : lastTime;
  return { t, from: 'claude', event };
}

/** Session logs spell their keys in camelCase; lines of either that carry no id say nothing. */
function dialectOf(value: Fields): Dialect | undefined {
  if (typeof value.line === 'string' || 'session_id' in value) return 'stream';
  return 'sessionId' in value || 'isSidechain' in value || 'leafUuid' in value ? 'session' : undefined;
}

/** Ids that are remembered, at least: a session log repeats a row soon after it. */
const REMEMBERED = 4096;
/** Most places are free, so that a search ends soon. */
const PLACES = 2 * REMEMBERED;

/** Remembers ids by 64 bits of each, in place: as texts in sets they would take a tenth of the time to read a log. */
export function createRecentIds() {
  // Two tables in turn: to take the oldest out of one means to search for it.
  let newer: Int32Array = new Int32Array(2 * PLACES);
  let older: Int32Array | undefined;
  let count = 0;
  return {
    /** Whether an id came before; remembers it. */
    seen(id: string): boolean {
      let [one, other] = [0, 1];
      for (let at = 0; at < id.length; at++) {
        const unit = id.charCodeAt(at);
        one = Math.imul(one ^ unit, 0x01000193);
        other = Math.imul(other + unit, 0x5bd1e995) ^ (other >>> 15);
      }
      // A free place has zero here.
      one ||= 1;
      if (older !== undefined && placeIn(older, one, other) >= 0) return true;
      const place = placeIn(newer, one, other);
      if (place >= 0) return true;
      newer[~place] = one;
      newer[~place + 1] = other;
      count++;
      if (count === REMEMBERED) {
        [newer, older] = [older?.fill(0) ?? new Int32Array(2 * PLACES), newer];
        count = 0;
      }
      return false;
    },
  };
}

/** The place of an id; below 0: it is absent, and could go to `~place`. */
function placeIn(table: Int32Array, one: number, other: number): number {
  for (let place = 2 * (one & (PLACES - 1)); ; place = (place + 2) & (2 * PLACES - 1)) {
    if (table[place] === 0) return ~place;
    if (table[place] === one && table[place + 1] === other) return place;
  }
}
