import { countOf, type Fields, fieldsOf, listOf } from '../../core/protocol/fields.ts';
import { createNames, type Name, type Names } from './names.ts';
import { CLOSE_ARRAY, CLOSE_OBJECT, OPEN_ARRAY, OPEN_OBJECT, UNUSUAL, Walker } from './walker.ts';

/** Longer lines are cut, string by string, where they are read whole. */
const MOST_BYTES = 8 * 1024 * 1024;

const CARRIAGE_RETURN = 13;

/** Of rows of these types a part is enough. */
const TYPES: ReadonlySet<unknown> = new Set([
  ...['assistant', 'user', 'progress', 'file-history-snapshot', 'queue-operation'],
]);

/** Blocks of which in a user's row it only counts that they are there. */
const UNREAD: ReadonlySet<unknown> = new Set(['tool_result', 'image', 'document']);

/** A commit that is signed with it tells the size of the window. */
const LARGE_WINDOW_MARK = '1M context';

/** Where the content of a message stands, and its blocks in it. */
interface Content {
  readonly from: number;
  readonly to: number;
  /** undefined: it is no list. */
  readonly blocks: readonly Block[] | undefined;
}

interface Block {
  readonly type: unknown;
  readonly from: number;
  readonly to: number;
}

/**
 * Reads the rows of a session log without what no light figure needs: what tools have returned, and what the model has
 * written where its size is known.
 *
 * @returns undefined where a line is not compact JSON of an object of a usual type: it is to be read whole
 */
export function createThinner(): (line: Buffer) => Fields | undefined {
  const walker = new Walker();
  const rowNames = createNames({
    same: ['type', 'sessionId', 'version', 'cwd', 'isSidechain', 'agentId', 'permissionMode', 'promptSource'],
    new: [
      ...['uuid', 'timestamp', 'session_id', 'requestId', 'leafUuid', 'parent_tool_use_id', 'isReplay', 'origin'],
      ...['isCompactSummary', 'isVisibleInTranscriptOnly', 'isMeta', 'isSynthetic'],
    ],
    there: ['toolUseResult', 'tool_use_result'],
    inside: ['message'],
    // Of a record of a run, and of what the API did not answer.
    unusual: ['line', 'isApiErrorMessage'],
  });
  const messageNames = createNames({ same: ['model', 'id', 'usage', 'stop_reason'], inside: ['content'] });
  const blockNames = createNames({ same: ['type'] });
  let content: Content | undefined;

  /** The fields of an object that have one of some names. */
  function fields(names: Names, depth: number, inside: () => unknown): Record<string, unknown> {
    const found: Record<string, unknown> = {};
    if (!walker.open(OPEN_OBJECT, CLOSE_OBJECT)) return found;
    do {
      const name = names.read(walker);
      if (name?.take === 'inside') found[name.text] = inside();
      else if (name === undefined) walker.skip(depth);
      else found[name.text] = value(name, depth);
    } while (walker.next(CLOSE_OBJECT));
    return found;
  }

  function value({ take, valueAt }: Name, depth: number): unknown {
    const from = walker.at;
    walker.skip(depth);
    if (take === 'unusual') throw UNUSUAL;
    return take === 'there' ? true : valueAt(walker.bytes, from, walker.at);
  }

  function message(): unknown {
    content = undefined;
    if (walker.bytes[walker.at] !== OPEN_OBJECT) throw UNUSUAL;
    return fields(messageNames, 2, () => {
      const from = walker.at;
      const blocks = walker.bytes[from] === OPEN_ARRAY ? list() : walker.skip(2);
      content = { from, to: walker.at, blocks: blocks ?? undefined };
    });
  }

  function list(): readonly Block[] {
    const blocks: Block[] = [];
    if (!walker.open(OPEN_ARRAY, CLOSE_ARRAY)) return blocks;
    do {
      const from = walker.at;
      if (walker.bytes[from] !== OPEN_OBJECT) throw UNUSUAL;
      const { type } = fields(blockNames, 4, () => undefined);
      blocks.push({ type, from, to: walker.at });
    } while (walker.next(CLOSE_ARRAY));
    return blocks;
  }

  function parsedAt({ from, to }: Pick<Block, 'from' | 'to'>): unknown {
    return JSON.parse(walker.bytes.toString('utf8', from, to));
  }

  function contentOf(type: unknown, { from, to, blocks }: Content, said: Fields): unknown {
    if (blocks === undefined) return parsedAt({ from, to });
    if (type === 'assistant') return isSizeKnown(said) && !isSigned(from) ? [] : blocks.map(parsedAt);
    return blocks.map((block) => (UNREAD.has(block.type) ? { type: block.type } : parsedAt(block)));
  }

  function isSigned(from: number): boolean {
    return walker.bytes.includes(LARGE_WINDOW_MARK, from);
  }

  function row(): Fields {
    content = undefined;
    const found = fields(rowNames, 1, message);
    if (walker.at !== walker.bytes.length || !TYPES.has(found.type)) throw UNUSUAL;
    if (content === undefined) return found;
    const said = fieldsOf(found.message);
    return { ...found, message: { ...said, content: contentOf(found.type, content, said) } };
  }

  return (line) => {
    if (line.length > MOST_BYTES || line[0] !== OPEN_OBJECT) return undefined;
    walker.bytes = line.at(-1) === CARRIAGE_RETURN ? line.subarray(0, -1) : line;
    walker.at = 0;
    try {
      return row();
    } catch (error) {
      if (error === UNUSUAL || error instanceof SyntaxError) return undefined;
      throw error;
    }
  };
}

/** The end of an answer tells how many tokens it has. Of several inferences the line is read as it is. */
function isSizeKnown({ stop_reason, usage }: Fields): boolean {
  const { output_tokens, iterations } = fieldsOf(usage);
  return typeof stop_reason === 'string' && (countOf(output_tokens) ?? 0) > 0 && listOf(iterations).length < 2;
}
