import { createFramer } from '../../../src/core/protocol/frame.ts';
import type { ExpectedBytes } from './expected-bytes.ts';

/** For runs that hide turns of their own: whole lines may be left out, and nothing else may be different. */
export function createExpectedLines(): ExpectedBytes & { readonly left: () => number } {
  const [fed, come] = [createFramer(), createFramer()];
  const waiting: string[] = [];
  let next = 0;
  let left = 0;

  function take(line: Buffer): void {
    const text = line.toString('latin1');
    const at = waiting.indexOf(text, next);
    if (at === -1) throw new Error(`a line that is none of those to come: ${JSON.stringify(text.slice(0, 120))}`);
    left += at - next;
    next = at + 1;
  }

  return {
    left: () => left,
    add(bytes) {
      waiting.push(...fed.push(bytes).map((line) => line.toString('latin1')));
    },
    check(bytes) {
      for (const line of come.push(bytes)) take(line);
    },
    end() {
      const [last, cut] = [come.flush(), fed.flush()];
      if (cut !== undefined) waiting.push(cut.toString('latin1'));
      if (last !== undefined) take(last);
      left += waiting.length - next;
    },
  };
}
