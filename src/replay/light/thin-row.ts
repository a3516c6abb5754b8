import { SIDECHAIN } from '../../core/protocol/decode.ts';
import { countOf, type Fields, listOf, timeOf } from '../../core/protocol/fields.ts';
import type { ReadLine, Row, Thin } from '../read/line-feed.ts';
import { createSomeFields, type Field } from './some-fields.ts';
import { behind, behindValue, CLOSE_ARRAY, COMMA, OPEN_ARRAY, OPEN_OBJECT, UNUSUAL } from './walker.ts';

/** Longer lines are cut, string by string, where they are read whole. */
const MOST_BYTES = 8 * 1024 * 1024;

const CARRIAGE_RETURN = 13;

/** Rows of which no more counts than that they are there, and when. */
const UNREAD_ROWS: ReadonlySet<unknown> = new Set(['progress', 'file-history-snapshot', 'queue-operation']);

/** Blocks of which in a user's row it only counts that they are there. */
const UNREAD_BLOCKS: ReadonlySet<unknown> = new Set(['tool_result', 'image', 'document']);

/** A commit that is signed with it tells the size of the window. */
const LARGE_WINDOW_MARK = Buffer.from('1M context');

type Place = Pick<Field, 'from' | 'to'>;

interface Block extends Place {
  readonly type: unknown;
}

/**
 * Reads the rows of a session log without what no light figure needs: what tools have returned, and what the model has
 * written where its size is known.
 *
 * @param isCalm asked where a row holds nothing but results of tools: whether nothing in it counts
 * @returns undefined where a line is not compact JSON of an object of a usual type: it is to be read whole
 */
export function createThinner(isCalm: () => boolean): Thin {
  let isList = false;
  const blocks: Block[] = [];
  const block = createSomeFields({ type: 'repeated' });
  const usage = createSomeFields({
    input_tokens: 'new',
    cache_creation_input_tokens: 'new',
    cache_read_input_tokens: 'new',
    output_tokens: 'new',
    cache_creation: 'repeated',
    iterations: 'repeated',
    server_tool_use: 'repeated',
    speed: 'repeated',
    inference_geo: 'repeated',
  });
  const message = createSomeFields({
    model: 'repeated',
    id: 'repeated',
    stop_reason: 'repeated',
    usage: (bytes, at) => usage.walk(bytes, at, 3),
    content: behindContent,
  });
  const row = createSomeFields({
    type: 'repeated',
    sessionId: 'repeated',
    version: 'repeated',
    cwd: 'repeated',
    isSidechain: 'repeated',
    agentId: 'repeated',
    permissionMode: 'repeated',
    promptSource: 'repeated',
    uuid: 'new',
    timestamp: 'new',
    session_id: 'repeated',
    requestId: 'new',
    leafUuid: 'new',
    parent_tool_use_id: 'repeated',
    isReplay: 'new',
    origin: 'new',
    isCompactSummary: 'new',
    isVisibleInTranscriptOnly: 'new',
    isMeta: 'new',
    isSynthetic: 'new',
    toolUseResult: behindUnread,
    tool_use_result: behindUnread,
    message: (bytes, at) => message.walk(bytes, at, 2),
    // Of a record of a run, and of what the API did not answer.
    line: refused,
    isApiErrorMessage: refused,
  });
  const { type, uuid, timestamp, sessionId } = row.field;

  function behindContent(bytes: Buffer, at: number): number {
    blocks.length = 0;
    isList = bytes[at] === OPEN_ARRAY;
    if (!isList) return behindValue(bytes, at, 2);
    if (bytes[at + 1] === CLOSE_ARRAY) return at + 2;
    for (let place = at + 1; ; place++) {
      const from = place;
      place = block.walk(bytes, from, 4);
      blocks.push({ type: block.field.type.value(), from, to: place });
      if (bytes[place] !== COMMA) return behind(CLOSE_ARRAY, bytes, place);
    }
  }

  /** Only results of tools, of which nobody has to be told. */
  function isUnread(): boolean {
    if (UNREAD_ROWS.has(type.value())) return isCalm();
    return type.value() === 'user' && areResults() && isCalm();
  }

  function areResults(): boolean {
    const isThere = message.field.content.from >= 0 && row.field.message.from >= 0;
    if (!isThere || !isList || blocks.length === 0 || row.field.isReplay.from >= 0) return false;
    return blocks.every((each) => each.type === 'tool_result');
  }

  function unreadRow(): Row {
    const said = type.value() === 'user' ? thread() : undefined;
    const id = uuid.value();
    const isNamed = typeof id === 'string' && sessionId.from >= 0;
    return { uuid: isNamed ? id : undefined, t: timeOf(timestamp.value()), answers: said };
  }

  function thread(): string {
    const { parent_tool_use_id: parent, isSidechain, agentId } = row.field;
    const tool = parent.value();
    if (typeof tool === 'string') return tool;
    if (isSidechain.value() !== true) return '';
    const agent = agentId.value();
    return typeof agent === 'string' ? agent : SIDECHAIN;
  }

  function fieldsOfRow(bytes: Buffer): Fields {
    const found = row.values();
    for (const report of REPORTS) if (row.field[report].from >= 0) found[report] = true;
    if (row.field.message.from >= 0) found.message = messageFields(bytes);
    return found;
  }

  function messageFields(bytes: Buffer): Fields {
    const said = message.values();
    const { content } = message.field;
    if (message.field.usage.from >= 0) said.usage = usage.values();
    if (content.from >= 0) said.content = isList ? listedContent(bytes, content) : parsedAt(bytes, content);
    return said;
  }

  function listedContent(bytes: Buffer, { from, to }: Place): readonly unknown[] {
    if (type.value() !== 'assistant')
      return blocks.map((each) => (UNREAD_BLOCKS.has(each.type) ? { type: each.type } : parsedAt(bytes, each)));
    if (isSizeKnown() && !bytes.subarray(from, to).includes(LARGE_WINDOW_MARK)) return [];
    return blocks.map((each) => parsedAt(bytes, each));
  }

  /** The end of an answer tells how many tokens it has. Of several inferences the line is read as it is. */
  function isSizeKnown(): boolean {
    if (typeof message.field.stop_reason.value() !== 'string' || message.field.usage.from < 0) return false;
    const { output_tokens, iterations } = usage.field;
    return (countOf(output_tokens.value()) ?? 0) > 0 && listOf(iterations.value()).length < 2;
  }

  function read(bytes: Buffer, from: number, to: number): ReadLine {
    if (row.walk(bytes, from, 1) !== to) throw UNUSUAL;
    if (isUnread()) return { kind: 'unread', row: unreadRow() };
    if (!TYPES.has(type.value())) throw UNUSUAL;
    return { kind: 'value', value: fieldsOfRow(bytes) };
  }

  return (bytes, from, to) => {
    if (to - from > MOST_BYTES || bytes[from] !== OPEN_OBJECT) return undefined;
    try {
      return read(bytes, from, bytes[to - 1] === CARRIAGE_RETURN ? to - 1 : to);
    } catch (error) {
      if (error === UNUSUAL || error instanceof SyntaxError) return undefined;
      throw error;
    }
  };
}

/** What a tool itself reported, in either dialect. */
const REPORTS = ['toolUseResult', 'tool_use_result'] as const;

/** Of rows of these types a part is enough. */
const TYPES: ReadonlySet<unknown> = new Set(['assistant', 'user', ...UNREAD_ROWS]);

function behindUnread(bytes: Buffer, at: number): number {
  return behindValue(bytes, at, 1);
}

function refused(): never {
  throw UNUSUAL;
}

function parsedAt(bytes: Buffer, { from, to }: Place): unknown {
  return JSON.parse(bytes.toString('utf8', from, to));
}
