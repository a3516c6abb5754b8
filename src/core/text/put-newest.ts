/** Puts an entry at the newest end of a map; above `limit` entries, removes the oldest. */
export function putNewest<K, V>(map: Map<K, V>, key: K, value: V, limit: number): void {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > limit) map.delete(oldest as K);
}
