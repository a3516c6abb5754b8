/** A line that is too large to be drawn often, in the pieces that it comes in. */
export interface Giant {
  readonly title: string;
  readonly pieces: () => Iterable<Buffer>;
  /** Given for what only its size makes a giant. */
  readonly bytes?: number;
}

const DEPTH = 10_000;
const MIB = 1024 * 1024;
/** The documented bound of a line: what is longer is passed on in pieces. */
const LONGEST_LINE = 256 * MIB;

export const GIANTS: readonly Giant[] = [
  nested('lists', '[', ']'),
  nested('objects', '{"a":', '}', '1'),
  nested('results of tools', '[{"type":"tool_result","content":', '}]', '"x"'),
  nested('lists that are never closed', '[', ''),
  ...[8, 50].flatMap((size) => [
    large(`a result of a tool of ${size} MiB`, size * MIB, {
      before: '{"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"u","content":"',
      after: '"}]}}\n',
    }),
    large(`a broken line of ${size} MiB`, size * MIB, { before: '{"type":"result"', after: '\n' }),
  ]),
  large('no line feed up to the bound, and on', LONGEST_LINE + MIB, { before: '', after: '\n' }),
];

function large(title: string, bytes: number, ends: { before: string; after: string }): Giant {
  return { title, bytes, pieces: () => filled(bytes, ends) };
}

function nested(title: string, open: string, close: string, core = ''): Giant {
  const text = `${open.repeat(DEPTH)}${core}${close.repeat(DEPTH)}`;
  const line = Buffer.from(`${text}\n{"type":"user","message":{"role":"user","content":${text}}}\n`);
  return { title: `${DEPTH} ${title} in each other`, pieces: () => [line] };
}

/** The same MiB again and again, so that the line takes no memory before it is read. */
function* filled(bytes: number, { before, after }: { before: string; after: string }): Generator<Buffer> {
  const filling = Buffer.alloc(MIB, 'é');
  yield Buffer.from(before);
  for (let size = 0; size < bytes; size += MIB) yield filling;
  yield Buffer.from(after);
}
