/** The last version measured that ends background commands after seconds and keeps only the last answer. */
const LAST_HASTY = [2, 1, 197] as const;

/**
 * Whether this claude waits for background commands, and prints the answer to each one beside the first (2.1.329), or
 * gives them five seconds and prints the last answer only (2.1.197). Where between the two it changed is not known.
 *
 * @param version as `init` names it; undefined counts as old
 */
export function reportsEachTask(version: string | undefined): boolean {
  const parts = (version ?? '0').split('.').map(Number);
  for (const [place, last] of LAST_HASTY.entries()) {
    const part = parts[place] ?? 0;
    if (part !== last) return part > last;
  }
  return false;
}
