import { it } from 'vitest';

/** Whether tests of chance and of size take as much as `npm run soak:ci` gives them time for. */
const IS_SOAK = !['', '0'].includes(process.env.CTXB_SOAK ?? '');

/** How much of something a test takes: every day, and in a soak. What a soak has found stands in the tests by name. */
export function sized<T>(everyDay: T, soak: T): T {
  return IS_SOAK ? soak : everyDay;
}

/** The rows of a table that are tried: one out of `every`, the first of all among them, and all in a soak. */
export function sampled<T>(rows: readonly T[], every = 2): readonly T[] {
  return rows.filter((_, index) => index % sized(every, 1) === 0);
}

/** The first row of a table, which shows what the others are variants of, and all in a soak. */
export function firstOf<T>(rows: readonly T[]): readonly T[] {
  return sized(rows.slice(0, 1), rows);
}

/** A test that is run in a soak only: a variant of another one that takes seconds, as it starts the real claude. */
export const inSoak: typeof it = IS_SOAK ? it : (it.skip as typeof it);
