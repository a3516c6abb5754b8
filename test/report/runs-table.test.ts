import { expect, it } from 'vitest';
import { stateText } from '../../src/report/runs-table.ts';

const NOW = Date.parse('2026-11-29T13:00');

it.each([
  { until: '2026-11-29T14:20', says: 'usage limit until 14:20' },
  { until: '2026-11-30T12:59', says: 'usage limit until 12:59' },
  { until: '2026-12-02T14:20', says: 'usage limit until Dec 2' },
  { until: '2026-12-12T14:20', says: 'usage limit until Dec 12' },
])('a wait until $until: $says', ({ until, says }) => {
  const waitsFor = { what: 'usage limit', until: Date.parse(until) } as const;
  expect(stateText({ phase: 'idle', waitsFor, end: null }, NOW)).toBe(says);
});
