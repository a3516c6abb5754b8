export function sumOf<T>(items: Iterable<T>, figureOf: (item: T) => number): number {
  let sum = 0;
  for (const item of items) sum += figureOf(item);
  return sum;
}
