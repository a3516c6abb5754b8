/**
 * Maximum bytes of a line. The longest one in public recordings has less than 10 MiB, and a stream without newlines
 * must not fill the memory.
 */
const MAX_LINE_BYTES = 256 * 1024 * 1024;

const NEWLINE = 10;

/**
 * Splits chunks of bytes into lines without changing a byte. The pending part is a list of fragments, is never searched
 * twice and is joined once, so the time for a line is proportional to its length for any chunk size. A line longer than
 * `maxLineBytes` is split into pieces of at least that size; only the last piece is terminated.
 */
export function createFramer(maxLineBytes: number = MAX_LINE_BYTES) {
  let fragments: Buffer[] = [];
  let pendingBytes = 0;

  function keep(fragment: Buffer): void {
    if (fragment.length === 0) return;
    fragments.push(fragment);
    pendingBytes += fragment.length;
  }

  function join(): Buffer {
    const [first] = fragments;
    const joined = fragments.length === 1 && first ? first : Buffer.concat(fragments, pendingBytes);
    fragments = [];
    pendingBytes = 0;
    return joined;
  }

  return {
    /** The lines that this chunk completes, each with its terminator. */
    push(chunk: Buffer): Buffer[] {
      const lines: Buffer[] = [];
      let start = 0;
      for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
        keep(chunk.subarray(start, end + 1));
        lines.push(join());
        start = end + 1;
      }
      keep(chunk.subarray(start));
      if (pendingBytes >= maxLineBytes) lines.push(join());
      return lines;
    },
    /** The last line, at the end of the stream; undefined if it was terminated. */
    flush: (): Buffer | undefined => (pendingBytes === 0 ? undefined : join()),
  };
}

/** The lines of a stream, each with its terminator; the last one may have none. */
export async function* linesOfStream(stream: AsyncIterable<Buffer>, maxLineBytes?: number): AsyncGenerator<Buffer> {
  const framer = createFramer(maxLineBytes);
  for await (const chunk of stream) yield* framer.push(chunk);
  const last = framer.flush();
  if (last) yield last;
}
