/**
 * Whether a version of Claude Code is this one or a later one.
 *
 * @param version as `init` and session logs name it, `2.1.330`; undefined counts as the oldest
 */
export function isAtLeast(version: string | undefined, least: string): boolean {
  const parts = partsOf(version ?? '0');
  for (const [place, part] of partsOf(least).entries()) {
    const found = parts[place] ?? 0;
    if (found !== part) return found > part;
  }
  return true;
}

function partsOf(version: string): readonly number[] {
  return version.split('.').map(Number);
}

/**
 * Whether this claude waits for background commands, and prints the answer to each one beside the first (2.1.329), or
 * gives them five seconds and prints the last answer only (2.1.197). Where between the two it changed is not known.
 */
export function reportsEachTask(version: string | undefined): boolean {
  return isAtLeast(version, '2.1.198');
}
