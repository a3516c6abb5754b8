import { describe, expect, it } from 'vitest';
import { GROUPS } from '../differences/all-rows.ts';
import { compareRow } from '../differences/compare-row.ts';
import { differencesPage } from '../differences/differences-page.ts';
import { KNOWN_DIFFERENCES, knownDifference } from '../differences/known-differences.ts';
import { pinnedVersion } from '../differences/pinned-version.ts';
import type { Row } from '../differences/row.ts';
import { firstOf, sampled } from '../support/size.ts';

const seen = new Map<Row, readonly string[]>();

const { CTXB_TEST_CLAUDE: other, CTXB_DIFFERENCES: asked } = process.env;

/** What is true of the newest claude is no measure for an old one: `npm run claude:latest` asks for it. */
const isNewest = other === undefined || asked !== undefined;

for (const { title, rows } of sampled(GROUPS, 4)) {
  describe.runIf(isNewest).concurrent(title, () => {
    it.for(firstOf(rows))('$name: with ctxb as without, except for known differences', async (row, test) => {
      const differences = await compareRow(row);
      seen.set(row, differences);
      test.expect(differences.filter((each) => knownDifference(each) === undefined)).toEqual([]);
    });
  });
}

it('docs/differences.md matches (CTXB_SOAK=1 npx vitest run --config test/vitest.config.ts e2e/differences -u)', async (test) => {
  const all = GROUPS.flatMap(({ rows }) => rows);
  if (seen.size < all.length || other !== undefined)
    return test.skip('an incomplete comparison, or one with another claude');
  const shown = new Set([...seen.values()].flat().map(knownDifference));
  expect(KNOWN_DIFFERENCES.filter((known) => !shown.has(known))).toEqual([]);
  const ordered = new Map(all.map((row) => [row, seen.get(row) ?? []]));
  await expect(differencesPage(ordered, pinnedVersion())).toMatchFileSnapshot('../../docs/differences.md');
});
