/**
 * Ways to tell the size of the next call before it is sent, all on the same lines.
 * - `ctxb`: the gauge of this program, with what the session's own calls have taught it
 * - `last`: the last call's context
 * - `output`: that and its output count, as the recording has it
 * - `quarter`: that and a quarter of the characters that came in since
 * - `characters`: 8,000 for what is always there, and ceil(characters / 3.5) of every text since the start
 * - `overhead`: 1.3 times floor(characters / 4) of every prompt and every result of a tool since the start
 * - `summed`: the sum over the calls of the last turn, as `result.usage` gives it
 */
export const ESTIMATORS = ['ctxb', 'last', 'output', 'quarter', 'characters', 'overhead', 'summed'] as const;
export type Estimator = (typeof ESTIMATORS)[number];

/** What most of the tokens that came in before a call were, by the gauge's estimate. */
export const CONTENT_SOURCES = [
  'answer',
  'prompt',
  'notice',
  'picture',
  'Read',
  'Bash',
  'Grep',
  'Glob',
  'Edit',
  'Write',
  'Task',
  'Agent',
  'WebFetch',
  'WebSearch',
  'other tools',
] as const;
export type ContentSource = (typeof CONTENT_SOURCES)[number];

/** Distances of predictions from what was measured, over or under. */
export interface Errors {
  readonly tokens: Histogram;
  /** Of what was measured. */
  readonly percent: Histogram;
}

type Named<K extends string> = Readonly<Partial<Record<K, Errors>>>;

type ByEstimator = Named<Estimator>;

/** How well the size of the next call was foreseen. Plain data that can be merged over recordings and machines. */
export interface Accuracy {
  /** Calls that were compared: every estimator that had something to say by then. */
  readonly calls: ByEstimator;
  /** The same for calls whose recording lacks nothing: the output count before them is true, and no picture came in. */
  readonly complete: ByEstimator;
  /** Of `ctxb`, by what most of the added tokens were. */
  readonly sources: Named<ContentSource>;
  /** Predictions before a compaction against claude's own `pre_tokens`, itself an estimate. */
  readonly boundaries: ByEstimator;
  /** Calls that nothing was foreseen for, or that something else happened to. */
  readonly apart: {
    /** First calls, also of a context that was replaced. */
    readonly first: number;
    /** Calls that something had left the context before. */
    readonly dropped: number;
  };
  /** Compared calls whose recording lacks what a prediction needs. A call may count in both. */
  readonly lacking: { readonly output: number; readonly pictures: number };
}

export const NO_ACCURACY: Accuracy = {
  calls: {},
  complete: {},
  sources: {},
  boundaries: {},
  apart: { first: 0, dropped: 0 },
  lacking: { output: 0, pictures: 0 },
};

/** Associative and commutative, with `NO_ACCURACY` as its neutral element. */
export function mergeAccuracy(a: Accuracy, b: Accuracy): Accuracy {
  return {
    calls: mergeNamed(ESTIMATORS, a.calls, b.calls),
    complete: mergeNamed(ESTIMATORS, a.complete, b.complete),
    sources: mergeNamed(CONTENT_SOURCES, a.sources, b.sources),
    boundaries: mergeNamed(ESTIMATORS, a.boundaries, b.boundaries),
    apart: { first: a.apart.first + b.apart.first, dropped: a.apart.dropped + b.apart.dropped },
    lacking: {
      output: a.lacking.output + b.lacking.output,
      pictures: a.lacking.pictures + b.lacking.pictures,
    },
  };
}

function mergeNamed<K extends string>(names: readonly K[], a: Named<K>, b: Named<K>): Named<K> {
  const merged: Partial<Record<K, Errors>> = {};
  for (const name of names) {
    const errors = mergeErrors(a[name], b[name]);
    if (errors !== undefined) merged[name] = errors;
  }
  return merged;
}

function mergeErrors(a: Errors | undefined, b: Errors | undefined): Errors | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return { tokens: mergeHistograms(a.tokens, b.tokens), percent: mergeHistograms(a.percent, b.percent) };
}

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
      const bucket = figure < LEAST ? ZERO : String(Math.ceil(Math.log(figure) / Math.log(BASE)));
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
