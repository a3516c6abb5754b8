import { CtxbError } from '../errors.ts';
import type { Judged } from '../replay/replay-all.ts';
import type { SessionSummary } from '../replay/summary.ts';

const HOW_TO_RECORD = 'claude writes them with --output-format stream-json --verbose';

/**
 * Leaves out files that claude has not written, such as its answer as text. One that was named is a fault, as it is not
 * what it was taken for; of others in a folder only their number is told.
 *
 * @param named paths as they were given
 * @param tell called at the end, where others were left out
 */
export async function* onlyRecordings(
  judged: AsyncIterable<Judged> | Iterable<Judged>,
  named: readonly string[],
  tell: (leftOut: number) => void,
): AsyncGenerator<Judged> {
  let leftOut = 0;
  for await (const each of judged) {
    if ('fault' in each || !isForeign(each.found)) yield each;
    else if (named.includes(each.found.file)) yield { fault: foreign(each.found.file) };
    else leftOut++;
  }
  if (leftOut > 0) tell(leftOut);
}

function isForeign({ lines: { total, malformed, unknown } }: SessionSummary): boolean {
  return total > 0 && malformed + unknown === total;
}

function foreign(file: string): CtxbError {
  const name = file === '-' ? 'stdin' : file;
  return new CtxbError('unreadable-input', `${name}: no line of it is claude's: ${HOW_TO_RECORD}`);
}
