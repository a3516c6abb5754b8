import type { LineReader } from './line-reader.ts';
import { findIn } from './read-line.ts';

const LINE_FEED = 10;

/** Every line through JSON.parse: works everywhere, and says what is right. */
export function createPlainReader(): LineReader {
  let bytes = Buffer.alloc(0);
  return {
    get bytes() {
      return bytes;
    },
    start: 0,
    reserve(length) {
      if (length <= bytes.length) return;
      const larger = Buffer.allocUnsafeSlow(Math.max(length, 2 * bytes.length));
      bytes.copy(larger);
      bytes = larger;
    },
    read(from, to, onFound) {
      for (let begin = from; begin < to; ) {
        const end = bytes.indexOf(LINE_FEED, begin) + 1;
        onFound(findIn(bytes.toString('utf8', begin, end)), begin);
        begin = end;
      }
    },
  };
}
