import { LOG_TAIL_BYTES } from '../../core/protocol/decode.ts';

const MAX_READ_BYTES = 4 * 1024 * 1024;

const NEWLINE = 10;

export type LogReader = ReturnType<typeof createLogReader>;

/** Reads claude's log in parts, because claude limits the size of one read. */
export function createLogReader(path: string) {
  const decoder = new TextDecoder();
  let at: number | undefined;
  let length = 0;
  let askedUpTo = -1;
  /** Whether the first line may be incomplete, because reading began inside the file. */
  let isCut = false;

  return {
    path,
    /** The next part of a log with `size` bytes; undefined if everything was read. */
    nextPart(size: number) {
      at ??= Math.max(0, size - LOG_TAIL_BYTES);
      isCut = askedUpTo < 0 && at > 0;
      length = Math.min(MAX_READ_BYTES, size - at);
      // The rest is an unfinished line.
      if (length <= 0 || askedUpTo === at + length) return undefined;
      askedUpTo = at + length;
      return { offset: at, length };
    },
    lines(base64: string): readonly string[] {
      const binary = atob(base64);
      // Claude Code 2.1.301 returns the whole file instead of the part.
      const from = binary.length > length ? (at ?? 0) : 0;
      const bytes = new Uint8Array(Math.min(length, binary.length - from));
      // Ten times as fast as `Uint8Array.from`, which iterates over code points.
      for (let index = 0; index < bytes.length; index++) bytes[index] = binary.charCodeAt(from + index);
      const end = bytes.lastIndexOf(NEWLINE) + 1;
      // Skip a line that is longer than a part.
      at = (at ?? 0) + (end === 0 && length === MAX_READ_BYTES ? bytes.length : end);
      const lines = decoder.decode(bytes.subarray(0, end)).split('\n');
      return lines.slice(isCut ? 1 : 0, -1);
    },
  };
}
