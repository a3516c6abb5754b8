import { comparable } from './comparable.ts';
import { differencesOf } from './compare.ts';
import type { Row } from './row.ts';
import { runRow } from './run-row.ts';

/** Makes an invocation with and without ctxb, and says where they differ. */
export async function compareRow(row: Row): Promise<string[]> {
  const [alone, other] = await Promise.all([runRow(row, 'alone'), runRow(row, 'with ctxb')]);
  return [...new Set(differencesOf(comparable(alone, row), comparable(other, row)))];
}
