/**
 * Shares `budget` lines equally among sections that want `wanted` lines each. What one leaves is given to the others;
 * a line that cannot be shared goes to the first that wants it.
 */
export function shareLines(wanted: readonly number[], budget: number): number[] {
  const given = wanted.map(() => 0);
  let left = Math.max(0, budget);
  while (left > 0) {
    const hungry = wanted.flatMap((want, index) => (want > (given[index] ?? 0) ? [index] : []));
    if (hungry.length === 0) break;
    const share = Math.max(1, Math.floor(left / hungry.length));
    for (const index of hungry.slice(0, left)) {
      const more = Math.min(share, (wanted[index] ?? 0) - (given[index] ?? 0));
      given[index] = (given[index] ?? 0) + more;
      left -= more;
    }
  }
  return given;
}
