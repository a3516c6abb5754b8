/** A column of figures, each as its difference to the one before, so that they are short. null: none. */
export type Deltas = readonly (number | null)[];

/** A column of values that rarely change: each with how many times it stands in a row. */
export type Runs<T> = readonly (readonly [value: T, count: number])[];

/** Figures that most rows lack: the rows that have one, as deltas from 0, and theirs. */
export interface Sparse {
  readonly rows: Deltas;
  readonly figures: readonly number[];
}

export function toDeltas(figures: readonly (number | null)[]): Deltas {
  let last = 0;
  return figures.map((figure) => {
    if (figure === null) return null;
    const delta = figure - last;
    last = figure;
    return delta;
  });
}

export function fromDeltas(deltas: Deltas): (number | null)[] {
  let last = 0;
  return deltas.map((delta) => {
    if (delta === null) return null;
    last += delta;
    return last;
  });
}

export function toRuns<T>(values: readonly T[]): Runs<T> {
  const runs: [T, number][] = [];
  for (const value of values) {
    const last = runs.at(-1);
    if (last?.[0] === value) last[1]++;
    else runs.push([value, 1]);
  }
  return runs;
}

export function fromRuns<T>(runs: Runs<T>): T[] {
  return runs.flatMap(([value, count]) => new Array<T>(count).fill(value));
}

/** @param figures 0 where a row has none */
export function toSparse(figures: readonly number[]): Sparse {
  const rows = figures.flatMap((figure, row) => (figure === 0 ? [] : [row]));
  return { rows: toDeltas(rows), figures: rows.map((row) => figures[row] ?? 0) };
}

/** @param length rows of the whole column */
export function fromSparse({ rows, figures }: Sparse, length: number): number[] {
  const column = new Array<number>(length).fill(0);
  for (const [at, row] of fromDeltas(rows).entries()) if (row !== null) column[row] = figures[at] ?? 0;
  return column;
}
