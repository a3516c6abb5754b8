const MOST_AT_ONCE = 4 * 1024 * 1024;

/** Of a log that is longer only the end is read: it takes a second, of which claude gives a mod ten. */
const MOST_AT_FIRST = 8 * 1024 * 1024;

const NEWLINE = 10;

export type LogReader = ReturnType<typeof createLogReader>;

/** Where claude's log was read to. It is read in parts, as claude hands over no more at once. */
export function createLogReader(path: string) {
  const decoder = new TextDecoder();
  let at: number | undefined;
  let length = 0;
  let asked = -1;
  /** The beginning of what is read may be in the middle of a line. */
  let isCut = false;

  return {
    path,
    /** The next part of a log of so many bytes; undefined: all was read. */
    nextPart(size: number) {
      at ??= Math.max(0, size - MOST_AT_FIRST);
      isCut = asked < 0 && at > 0;
      length = Math.min(MOST_AT_ONCE, size - at);
      // What is left is the beginning of a line.
      if (length <= 0 || asked === at + length) return undefined;
      asked = at + length;
      return { offset: at, length };
    },
    /** The whole lines of that part. */
    lines(base64: string): readonly string[] {
      const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
      const end = bytes.lastIndexOf(NEWLINE) + 1;
      // A line that is longer than a part is left out.
      at = (at ?? 0) + (end === 0 && length === MOST_AT_ONCE ? bytes.length : end);
      const lines = decoder.decode(bytes.subarray(0, end)).split('\n');
      return lines.slice(isCut ? 1 : 0, -1);
    },
  };
}
