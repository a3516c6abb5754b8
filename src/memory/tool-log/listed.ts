/** `a, b, c... (+2 more)`: the first `most` of a list, each as `tell` has it, and how many there are besides. */
export function listed<T>(items: readonly T[], most: number, tell: (item: T) => string): string {
  const shown = items.slice(0, most).map(tell).join(', ');
  return items.length > most ? `${shown}... (+${items.length - most} more)` : shown;
}

/** A name and how often it came up. */
export type Counted = readonly [name: string, count: number];

/** How often each name comes up: the most frequent first, and of equals by their names. */
export function byCount(names: Iterable<string>): Counted[] {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return inOrder([...counts]);
}

export function inOrder(counts: readonly Counted[]): Counted[] {
  return counts.toSorted(([one, many], [other, more]) => more - many || (one < other ? -1 : 1));
}
