/** Policies that are worth a try on any session, as a file would say them. */
export const GRID: readonly Readonly<Record<string, unknown>>[] = [
  { name: 'no policy', none: true },
  { name: 'no compaction at all', none: true, native: 'off' },
  ...[0.5, 0.6, 0.7, 0.78].map((compact) => ({ name: `compact ${compact * 100}%`, thresholds: { compact } })),
  { name: 'compact 90%', thresholds: { compact: 0.9, midTurn: 0.95 } },
  { name: 'compact 78%, results whole', tools: { mode: 'off' } },
  ...[0.5, 0.6, 0.7, 0.78].map((compact) => ({
    name: `handoff ${compact * 100}%`,
    strategy: 'handoff',
    thresholds: { compact },
  })),
  { name: 'the cheaper way at 78%', strategy: 'auto' },
  { name: 'no policy, window of 1M', none: true, window: 1_000_000 },
  { name: 'compact 50%, window of 1M', thresholds: { compact: 0.5 }, window: 1_000_000 },
];
