/** `record` with `key` as its newest; of more than `limit` the oldest are left out. Keys come from a stream. */
export function remember<T>(
  record: Readonly<Record<string, T>>,
  key: string,
  value: T,
  limit: number,
): Readonly<Record<string, T>> {
  const kept = Object.entries(record).filter(([name]) => name !== key);
  return Object.fromEntries([...kept.slice(-(limit - 1)), [key, value]]);
}
