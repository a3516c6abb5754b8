import { comparable } from './comparable.ts';
import { differencesOf } from './compare.ts';
import { knownDifference } from './known-differences.ts';
import type { Row } from './row.ts';
import { runRow } from './run-row.ts';

/** Where claude runs a race with its own end, it shows each of its outcomes within so many runs. */
const RUNS_ALONE = 8;

/**
 * Makes an invocation with and without ctxb, and says where they differ. What claude alone does only now and then is no
 * difference: it runs again until it has done what was seen with ctxb.
 */
export async function compareRow(row: Row): Promise<string[]> {
  const withCtxb = runRow(row, 'with ctxb');
  let differences: string[] = [];
  for (let runs = 0; runs < RUNS_ALONE; runs += 1) {
    const [alone, other] = await Promise.all([runRow(row, 'alone'), withCtxb]);
    differences = [...new Set(differencesOf(comparable(alone, row), comparable(other, row)))];
    if (differences.every((each) => knownDifference(each) !== undefined)) break;
  }
  return differences;
}
