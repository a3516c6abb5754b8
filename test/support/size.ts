import { it } from 'vitest';

/** Whether random and large tests run at the size of `npm run soak:ci`. */
const IS_SOAK = !['', '0'].includes(process.env.CTXB_SOAK ?? '');

/** Chooses the daily or the soak size. Cases that a soak has found are listed in the tests by name. */
export function sized<T>(everyDay: T, soak: T): T {
  return IS_SOAK ? soak : everyDay;
}

/** Every n-th row of a table, beginning with the first; all rows in a soak. */
export function sampled<T>(rows: readonly T[], every = 2): readonly T[] {
  return rows.filter((_, index) => index % sized(every, 1) === 0);
}

/** The first row of a table, whose other rows are variants; all rows in a soak. */
export function firstOf<T>(rows: readonly T[]): readonly T[] {
  return sized(rows.slice(0, 1), rows);
}

/** A test for the soak only: a slow variant of another test that starts the real claude. */
export const inSoak: typeof it = IS_SOAK ? it : (it.skip as typeof it);
