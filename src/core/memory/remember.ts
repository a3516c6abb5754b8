/** Puts an entry at the newest end of a map; above `limit` entries, removes the oldest. */
export function remember<K, V>(map: Map<K, V>, key: K, value: V, limit: number): void {
  map.delete(key);
  map.set(key, value);
  if (map.size <= limit) return;
  const oldest = map.keys().next();
  if (oldest.done !== true) map.delete(oldest.value);
}
