import { expect, it } from 'vitest';
import { createRecentIds, noIds } from '../../src/replay/recent-ids.ts';

it('knows the last 4,096 ids, and forgets those of long ago', () => {
  const kept = noIds();
  const ids = createRecentIds(kept);
  for (let id = 0; id < 20_000; id++) expect(ids.seen(`${id}`)).toBe(false);
  expect(kept.newer.size + kept.older.size).toBeLessThan(8_193);
  expect(ids.seen('15904')).toBe(true);
  expect(ids.seen('0')).toBe(false);
});
