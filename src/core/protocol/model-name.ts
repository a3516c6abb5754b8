/**
 * The forms of a model id at any provider: a vendor, region or route before it; a date, version, region or mark after
 * it. Families before 4 have their number first; some gateways write it first for later families too, or separate its
 * digits with a dot or a `p`.
 */
const SPELLING =
  /^(?:.*[^a-z0-9])??claude-(?:(\d)(?:[-.p](\d{1,2}))?-)?(opus|sonnet|haiku|fable|mythos)(?:-(\d{1,2})(?:[-.p](\d{1,2}))?)?(?![\d.])((?:[-@:](?:\d{8}|latest|default|v\d+(?:[@:]\w+)*|thinking|thought|fast|us|eu|global|low|medium|high|xhigh|max)|:\w+)*)$/;

/** The mark of the large window in a model id. Session logs drop Claude Code's mark; some gateways use their own. */
const LARGE_MARK = /(?:\[1m\]|[-:]1m)$/i;

export function hasLargeMark(id: string): boolean {
  return LARGE_MARK.test(id);
}

/**
 * The canonical model name in prices, windows and reports: `us.anthropic.claude-opus-4-20250514-v1:0` and
 * `claude-opus-4@20250514` become `claude-opus-4`. Any other id stays unchanged, except that the mark of the large
 * window is removed.
 */
export function modelName(id: string): string {
  const unmarked = id.replace(LARGE_MARK, '');
  const [, first, firstMinor, family, last, lastMinor] = SPELLING.exec(normalizeName(unmarked)) ?? [];
  const major = last ?? first;
  if (family === undefined || major === undefined) return unmarked;
  const minor = last === undefined ? firstMinor : lastMinor;
  const version = minor === undefined || minor === '0' ? major : `${major}-${minor}`;
  return Number(major) < 4 ? `claude-${version}-${family}` : `claude-${family}-${version}`;
}

const NORMALIZED = /^[a-z0-9-]*$/;

/** Normalizes an id from a URL or a display name. */
function normalizeName(text: string): string {
  if (NORMALIZED.test(text)) return text;
  return text.toLowerCase().replaceAll('%3a', ':').replaceAll('%2f', '/').trim().replaceAll(/[ _]/g, '-');
}
