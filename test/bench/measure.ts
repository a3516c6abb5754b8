/** Share of the usual sizes and repetitions; `npm run bench:ci` takes a small one, which shows that all parts run. */
const SIZE = Number(process.env.CTXB_BENCH_SIZE ?? 1);

/** A number of repetitions, or of anything else, as many as are asked for; at least `least`. */
export function sized(count: number, least = 3): number {
  return Math.max(least, Math.round(count * SIZE));
}

/** Milliseconds of each run, by name. */
type Samples = Readonly<Record<string, readonly number[]>>;

/** Value at the given share of the sorted samples. */
export function quantile(samples: readonly number[], share: number): number {
  const sorted = [...samples].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}

/** Runs everything in turn, A B C A B C …, so that a machine that changes its speed changes it for all. */
export async function alternate<T = number>(
  runs: Readonly<Record<string, () => Promise<T>>>,
  rounds: number,
): Promise<Readonly<Record<string, readonly T[]>>> {
  const samples: Record<string, T[]> = Object.fromEntries(Object.keys(runs).map((name) => [name, []]));
  for (let round = -1; round < rounds; round++) {
    for (const [name, run] of Object.entries(runs)) {
      const took = await run();
      // The first round fills the caches.
      if (round >= 0) samples[name]?.push(took);
    }
  }
  return samples;
}

/** Milliseconds that some work takes. */
export function timeOf(work: () => unknown): number {
  const begun = performance.now();
  work();
  return performance.now() - begun;
}

/** A table of medians, and their ratio to the first row. */
export function printRatios(title: string, samples: Samples, unit: string): void {
  const rows = Object.entries(samples);
  const base = quantile(rows[0]?.[1] ?? [], 0.5);
  console.log(`\n${title}`);
  for (const [name, values] of rows) {
    const median = quantile(values, 0.5);
    console.log(
      `  ${name.padEnd(34)}${median.toFixed(1).padStart(8)} ${unit}  ${(median / base).toFixed(2).padStart(6)} ×`,
    );
  }
}
