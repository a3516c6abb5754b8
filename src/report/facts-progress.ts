import type { Output } from '../io.ts';
import { CLEAR_LINE } from './clear-line.ts';

/** Says on stderr how many facts were looked at, where a person watches. */
export interface FactsProgress {
  /** So many more were. */
  add(facts: number): void;
  /** Takes the line away, before something else is written. */
  clear(): void;
}

export function createFactsProgress(stderr: Output, total: number): FactsProgress {
  if (stderr.isTTY !== true || total === 0) return { add: () => {}, clear: () => {} };
  let looked = 0;
  const draw = () => stderr.write(`${CLEAR_LINE}${looked} of ${total} facts looked at`);
  draw();
  return {
    add(facts) {
      looked += facts;
      draw();
    },
    clear: () => void stderr.write(CLEAR_LINE),
  };
}
