/**
 * Whether a version of Claude Code is at least `minimum`.
 * @param version as in `init` and session logs, such as `2.1.330`; undefined counts as the oldest
 */
export function isAtLeast(version = '0', minimum: string): boolean {
  const parts = partsOf(version);
  for (const [place, part] of partsOf(minimum).entries()) {
    const actual = parts[place] ?? 0;
    if (actual !== part) return actual > part;
  }
  return true;
}

function partsOf(version: string): readonly number[] {
  return version.split('.').map(Number);
}
