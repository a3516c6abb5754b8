/**
 * How figures are spread, without keeping them: counts of those between powers of a base, so that each quantile is
 * within 1 % of the figure it stands for. Plain data. Two are merged by adding their counts, in any order.
 */
export interface Histogram {
  readonly count: number;
  /** Number of figures by bucket; `zero` are those below `LEAST`. Bucket `i` holds up to `BASE` to the power of `i`. */
  readonly buckets: Readonly<Record<string, number>>;
  readonly median: number | null;
  readonly p90: number | null;
  readonly p99: number | null;
}

/** Greatest distance of a quantile from the figure it stands for, as a share of it. */
export const RELATIVE_ACCURACY = 0.01;

const BASE = (1 + RELATIVE_ACCURACY) / (1 - RELATIVE_ACCURACY);

/** A figure below this is taken for 0: a ten-thousandth of a percent, or of a token. */
const LEAST = 0.0001;
const ZERO = 'zero';

export const NO_FIGURES: Histogram = { count: 0, buckets: {}, median: null, p90: null, p99: null };

export type Counter = ReturnType<typeof createCounter>;

/** Counts figures ≥ 0 in place: a recording has millions. */
export function createCounter() {
  const buckets = new Map<string, number>();
  return {
    add(figure: number): void {
      const bucket = bucketOf(figure);
      buckets.set(bucket, (buckets.get(bucket) ?? 0) + 1);
    },
    found: () => histogramOf([...buckets]),
  };
}

export function mergeHistograms(a: Histogram, b: Histogram): Histogram {
  const counts = new Map(Object.entries(a.buckets));
  for (const [bucket, count] of Object.entries(b.buckets)) counts.set(bucket, (counts.get(bucket) ?? 0) + count);
  return histogramOf([...counts]);
}

function bucketOf(figure: number): string {
  return figure < LEAST ? ZERO : String(Math.ceil(Math.log(figure) / Math.log(BASE)));
}

function histogramOf(counts: readonly (readonly [string, number])[]): Histogram {
  const sorted = [...counts].sort(([a], [b]) => middleOf(a) - middleOf(b));
  const count = sorted.reduce((sum, [, each]) => sum + each, 0);
  const at = (share: number) => quantile(sorted, Math.floor(share * count));
  return { count, buckets: Object.fromEntries(sorted), median: at(0.5), p90: at(0.9), p99: at(0.99) };
}

/** The figure that has `rank` figures below it. */
function quantile(sorted: readonly (readonly [string, number])[], rank: number): number | null {
  let below = 0;
  for (const [bucket, count] of sorted) {
    below += count;
    if (below > rank) return middleOf(bucket);
  }
  return null;
}

/** The figure in the middle of a bucket, no further than the accuracy from either end. */
function middleOf(bucket: string): number {
  if (bucket === ZERO) return 0;
  return (2 * BASE ** Number(bucket)) / (BASE + 1);
}
