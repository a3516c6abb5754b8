import { isMixed, readKey } from '../core/governor/call-identity.ts';
import type { Input } from '../core/governor/input.ts';
import { isDecisionLine, readRecord, readRecordedRun } from '../core/governor/record.ts';
import type { Run } from '../core/governor/state.ts';
import { decodeObject } from '../core/protocol/decode.ts';
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
  /** A row of which only counts that it is there, and when. */
  | { readonly kind: 'unread'; readonly row: Row & { readonly t: number } }
  | { readonly kind: 'input'; readonly input: Input };

const REPEATED: RecordingLine = { kind: 'repeated' };

/** Reads the lines of one recording, of either dialect or a record of a run, in order. */
export function createInputReader() {
  /** Newest message of each thread and model, whose lines go on: a call of another model may come in between. */
  const newest = new Map<string, string>();
  const rows = createRecentIds();
  const messages = createRecentIds();
  let time = 0;
  let dialect: Dialect | undefined;

  /** Around a compaction a session log holds the kept rows a second time, under the same uuid. */
  function isRepeated({ uuid, sessionId }: Fields): boolean {
    if (typeof uuid !== 'string' || sessionId === undefined) return false;
    return rows.seen(uuid);
  }

  /**
   * A message that another one of its thread has followed is over: what comes under its id, and has read the same, is
   * there a second time.
   */
  function isOver({ event }: Input, { sessionId }: Fields): boolean {
    if (event.kind !== 'assistant' || event.messageId === '' || sessionId === undefined) return false;
    const thread = `${event.model ?? ''} ${event.subagent ?? ''}`;
    const call = `${event.messageId} ${readKey(event.usage) ?? ''}`;
    const going = isMixed(event) ? call : event.messageId;
    if (newest.get(thread) === going) return false;
    if (messages.seen(call)) return true;
    newest.set(thread, going);
    return false;
  }

  function unread({ row }: { readonly row: Row }): RecordingLine {
    if (row.uuid !== undefined && rows.seen(row.uuid)) return REPEATED;
    time = row.t ?? time;
    return { kind: 'unread', row: { ...row, t: time } };
  }

  function read(line: ReadLine): RecordingLine {
    if (line.kind === 'unread') return unread(line);
    if (line.kind !== 'value') return line;
    const { value } = line;
    const run = readRecordedRun(value);
    if (run) return { kind: 'run', run };
    if (isDecisionLine(value)) return { kind: 'decided' };
    if (isRepeated(value)) return REPEATED;
    const input = readRecord(value, time) ?? plain(value, time);
    if (isOver(input, value)) return REPEATED;
    dialect ??= dialectOf(value);
    time = input.t;
    return { kind: 'input', input };
  }

  return {
    read,
    /** What a line of a log says that has not been said before. */
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

function plain(value: Fields, lastTime: number): Input {
  const event = decodeObject(value);
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

export function createRecentIds() {
  // Two sets in turn: to take the oldest out of one set means to search for it, ever longer.
  let [newer, older] = [new Set<string>(), new Set<string>()];
  return {
    /** Whether an id came before; if not, it has come now. */
    seen(id: string): boolean {
      if (newer.has(id) || older.has(id)) return true;
      newer.add(id);
      if (newer.size === REMEMBERED) {
        older = newer;
        newer = new Set();
      }
      return false;
    },
  };
}
