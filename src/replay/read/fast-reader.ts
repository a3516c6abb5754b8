import type { LineReader } from './line-reader.ts';
import type { Kernel } from './load-kernel.ts';
import { createShrinker } from './shrinker.ts';
import { foundIn } from './shrunk-line.ts';

/** Lines as the plain reader reads them, but for members nobody asks for and texts only the measures of which count. */
export function createFastReader(kernel: Kernel): LineReader {
  const shrinker = createShrinker(kernel);
  return {
    get bytes() {
      return shrinker.bytes;
    },
    start: shrinker.start,
    reserve: shrinker.reserve,
    read(from, to, onFound) {
      for (let begin = from; begin < to; ) {
        const line = shrinker.shrink(begin);
        onFound(foundIn(line, shrinker.mark), begin);
        begin = line.next;
      }
    },
  };
}
