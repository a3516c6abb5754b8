import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  bound,
  cellsIn,
  least,
  SITUATIONS,
  SOURCES,
  SPENDING,
  type Spending,
  spent,
  spentTable,
} from '../support/spent-table.ts';

const PAGE = new URL('../../SECURITY.md', import.meta.url);

/** To put what was measured into SECURITY.md: `CTXB_SOAK=1 CTXB_RENEW=1`. */
const RENEWS = Boolean(process.env.CTXB_RENEW);

type Table = Parameters<typeof spentTable>[0];

const measured = Object.fromEntries(
  SPENDING.map((limit) => [limit, Object.fromEntries(SITUATIONS.map((situation) => [situation, []]))]),
) as unknown as { readonly [L in Spending]: Record<(typeof SITUATIONS)[number], number[]> };

describe.each(SPENDING)('nothing is spent beyond %s except by the call that crosses it', (limit) => {
  const cases = SOURCES.flatMap((source) => SITUATIONS.map((situation) => ({ source, situation })));

  it.each(cases)('set by a $source: $situation', { timeout: 180_000 }, async ({ source, situation }) => {
    const figure = await spent(limit, source, situation);
    measured[limit][situation].push(figure);
    expect(figure).toBeLessThanOrEqual(bound(limit));
    expect(figure).toBeGreaterThanOrEqual(least(limit, situation));
  });
});

it('SECURITY.md has these figures', () => {
  const page = readFileSync(PAGE, 'utf8');
  if (RENEWS)
    writeFileSync(PAGE, page.replace(/\| limit \| set to (?:.*\n)*?\n/, `${spentTable(measured as Table)}\n\n`));
  const cells = cellsIn(readFileSync(PAGE, 'utf8'));
  expect(cells).toHaveLength(SPENDING.length * SITUATIONS.length);
  // It has whole cents.
  for (const { limit, most } of cells) expect(most - 0.005, limit).toBeLessThanOrEqual(bound(limit));
});
