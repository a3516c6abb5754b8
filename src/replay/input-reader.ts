import { isMixed, readKey } from '../core/governor/call-identity.ts';
import type { Input } from '../core/governor/input.ts';
import { isDecisionLine, readRecord, readRecordedRun } from '../core/governor/record.ts';
import type { Run } from '../core/governor/state.ts';
import { decodeObject } from '../core/protocol/decode.ts';
import type { AssistantEvent, Event } from '../core/protocol/events.ts';
import { type Fields, textOf } from '../core/protocol/fields.ts';
import { hashOf } from './read/hash-id.ts';
import { createIdSet } from './read/ids.ts';
import { findAllIn, type ReadLine, type Row } from './read/line-feed.ts';
import { eventOf, type RowParts } from './read/row-parts.ts';
import type { Dialect } from './summary.ts';

export type RecordingLine =
  /** `decided`: a decision of the run, which replaying the inputs reproduces. */
  | { readonly kind: 'blank' | 'repeated' | 'decided' }
  /** `lost`: the line contained a call. */
  | { readonly kind: 'malformed'; readonly lost?: true }
  /** The first line of a record of `ctxb run`. */
  | { readonly kind: 'run'; readonly run: Run }
  /** A row that a light replay counts without parsing; only its time matters. */
  | { readonly kind: 'unread'; readonly row: Row; readonly t: number }
  | { readonly kind: 'input'; readonly input: Input };

const REPEATED: RecordingLine = { kind: 'repeated' };

/** Reads the lines of one recording in order, in either dialect or from a record of a run. */
export function createInputReader() {
  /** The newest message of each thread and model. By model too, because a call of another model can come in between. */
  const newest = new Map<string, string>();
  const rows = createIdSet();
  const messages = createIdSet();
  let time = 0;
  let dialect: Dialect | undefined;

  /** Around a compaction, a session log repeats the kept rows with the same uuid; `tee -a` can repeat all lines. */
  function isRepeated(id: number | undefined): boolean {
    return id !== undefined && rows.seen(id);
  }

  /**
   * Whether a line repeats an earlier one: its thread has continued with another message, and the id and the input
   * usage are the same.
   */
  function isRepeatedAnswer(event: Pick<AssistantEvent, 'messageId' | 'model' | 'subagent' | 'usage'>): boolean {
    if (event.messageId === '') return false;
    const { model = '', subagent } = event;
    const thread = subagent === null ? model : `${model} ${subagent}`;
    const read = readKey(event.usage) ?? 0;
    const current = isMixed(event) ? `${event.messageId} ${read}` : event.messageId;
    if (newest.get(thread) === current) return false;
    if (messages.seen(hashOf(event.messageId) + read)) return true;
    newest.set(thread, current);
    return false;
  }

  function unreadLine({ row }: { readonly row: Row }): RecordingLine {
    if (isRepeated(row.id)) return REPEATED;
    time = row.t ?? time;
    return { kind: 'unread', row, t: time };
  }

  function inputLine(input: Input, isNamed: boolean): RecordingLine {
    if (isNamed && input.event.kind === 'assistant' && isRepeatedAnswer(input.event)) return REPEATED;
    time = input.t;
    return { kind: 'input', input };
  }

  function valueLine(value: Fields): RecordingLine {
    const run = readRecordedRun(value);
    if (run) return { kind: 'run', run };
    if (isDecisionLine(value)) return { kind: 'decided' };
    const isNamed = value.sessionId !== undefined;
    const uuid = textOf(value.uuid);
    if (uuid !== undefined && isRepeated(hashOf(uuid))) return REPEATED;
    const line = inputLine(readRecord(value, time) ?? claudeInput(decodeObject(value), time), isNamed);
    if (line.kind === 'input') dialect ??= dialectOf(value);
    return line;
  }

  function read(line: ReadLine): RecordingLine {
    switch (line.kind) {
      case 'unread':
        return unreadLine(line);
      case 'parts':
        return isRepeated(line.id) ? REPEATED : inputLine(claudeInput(eventOf(line), time), true);
      case 'value':
        return valueLine(line.value);
      default:
        return line;
    }
  }

  return {
    read,
    /** The time of an answer, without reading the rest of its row; undefined for a repeated answer. */
    timeOf({ id, own: [, t = time] }: RowParts, answer: Parameters<typeof isRepeatedAnswer>[0]): number | undefined {
      if (isRepeated(id) || isRepeatedAnswer(answer)) return undefined;
      time = t;
      return t;
    },
    inputsIn: (line: string): readonly Input[] =>
      findAllIn(line).flatMap((each) => {
        const found = read(each);
        return found.kind === 'input' ? [found.input] : [];
      }),
    get dialect(): Dialect | undefined {
      return dialect;
    },
  };
}

function claudeInput(event: Event, lastTime: number): Input {
  const t = 'timestamp' in event && event.timestamp !== undefined ? event.timestamp : lastTime;
  return { t, from: 'claude', event };
}

/** Session logs spell their keys in camelCase; lines without any id do not reveal the dialect. */
function dialectOf(value: Fields): Dialect | undefined {
  if (typeof value.line === 'string' || 'session_id' in value) return 'stream';
  return 'sessionId' in value || 'isSidechain' in value || 'leafUuid' in value ? 'session' : undefined;
}
