/** A figure for each call; null: not known, or none. */
export type Column = readonly (number | null)[];

/** Each figure as its difference to the one before, so that they are short. */
export function toDeltas(figures: Column): Column {
  let last = 0;
  return figures.map((figure) => {
    if (figure === null) return null;
    const delta = figure - last;
    last = figure;
    return delta;
  });
}

export function fromDeltas(deltas: Column): (number | null)[] {
  let last = 0;
  return deltas.map((delta) => {
    if (delta === null) return null;
    last += delta;
    return last;
  });
}
