import { describe, expect, it } from 'vitest';
import {
  createCounter,
  type Histogram,
  mergeHistograms,
  NO_FIGURES,
  RELATIVE_ACCURACY,
} from '../../../src/replay/accuracy/accuracy.ts';

/** Numbers that look random and are the same each time (a linear congruential generator). */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return state / 2 ** 32;
  };
}

/** Figures over nine powers of ten, some of them 0. */
function figures(seed: number, count: number): number[] {
  const next = random(seed);
  return Array.from({ length: count }, () => (next() < 0.1 ? 0 : 10 ** (next() * 9 - 3)));
}

function histogramOf(values: readonly number[]): Histogram {
  const counter = createCounter();
  for (const value of values) counter.add(value);
  return counter.found();
}

describe('quantiles', () => {
  it.each([1, 2, 3, 4, 5, 6, 7, 8])('are within the stated accuracy (seed %i)', (seed) => {
    const values = figures(seed, 3_000);
    const sorted = values.toSorted((a, b) => a - b);
    const { median, p90, p99 } = histogramOf(values);
    for (const [share, found] of [
      [0.5, median],
      [0.9, p90],
      [0.99, p99],
    ] as const) {
      const exact = sorted[Math.floor(share * sorted.length)] ?? 0;
      expect(Math.abs((found ?? Number.NaN) - exact)).toBeLessThanOrEqual(exact * RELATIVE_ACCURACY * 1.000_001);
    }
  });

  it('of nothing are not known', () => {
    expect(histogramOf([])).toEqual(NO_FIGURES);
  });

  it('of zeros are 0', () => {
    expect(histogramOf([0, 0, 0])).toMatchObject({ count: 3, median: 0, p99: 0 });
  });
});

describe('merging', () => {
  const parts = (seed: number) =>
    [0, 1, 2].map((part) => histogramOf(figures(seed * 10 + part, 1 + ((seed * 37 + part * 101) % 400))));

  it.each([1, 2, 3, 4, 5, 6, 7, 8])('gives what all the figures together give, in any order (seed %i)', (seed) => {
    const all = figures(seed, 500);
    const at = (seed * 61) % 500;
    const [head, tail] = [histogramOf(all.slice(0, at)), histogramOf(all.slice(at))];
    expect(mergeHistograms(head, tail)).toEqual(histogramOf(all));
    expect(mergeHistograms(tail, head)).toEqual(histogramOf(all));
  });

  it.each([1, 2, 3, 4, 5, 6, 7, 8])('is associative and commutative, and nothing is neutral (seed %i)', (seed) => {
    const [a = NO_FIGURES, b = NO_FIGURES, c = NO_FIGURES] = parts(seed);
    expect(mergeHistograms(mergeHistograms(a, b), c)).toEqual(mergeHistograms(a, mergeHistograms(b, c)));
    expect(mergeHistograms(a, b)).toEqual(mergeHistograms(b, a));
    expect(mergeHistograms(a, NO_FIGURES)).toEqual(a);
  });

  it('goes through JSON', () => {
    const [a = NO_FIGURES, b = NO_FIGURES] = parts(9);
    const read = JSON.parse(JSON.stringify(a)) as Histogram;
    expect(JSON.stringify(mergeHistograms(read, b))).toBe(JSON.stringify(mergeHistograms(a, b)));
  });
});
