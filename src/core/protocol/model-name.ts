/**
 * The forms of a model's id at any host: a maker, region or route before it, a date, a version or a mark after it.
 * Families before 4 have their number first; some gateways write it there for later ones, or with a dot or a `p`.
 */
const SPELLING =
  /^(?:.*[^a-z0-9])?claude-(?:(\d)(?:[-.p](\d{1,2}))?-)?(opus|sonnet|haiku|fable|mythos)(?:-(\d{1,2})(?:[-.p](\d{1,2}))?)?(?![\d.])((?:[-@:](?:\d{8}|latest|default|v\d+(?:[@:]\w+)*|thinking|thought|fast|us|eu|global|low|medium|high|xhigh|max)|:\w+)*)$/;

/** Claude Code marks the large window in the model id, and session logs drop the mark; some gateways have their own. */
const LARGE_MARK = /(?:\[1m\]|[-:]1m)$/i;

/** Whether the id says that the model is run with its large window. */
export function hasLargeMark(id: string): boolean {
  return LARGE_MARK.test(id);
}

/**
 * The name by which prices, windows and reports know a model, whoever hosts it: `us.anthropic.claude-opus-4-20250514-v1:0`
 * and `claude-opus-4@20250514` are `claude-opus-4`. An id of another shape is its own name, without the mark of the large
 * window.
 */
export function modelName(id: string): string {
  const unmarked = id.replace(LARGE_MARK, '');
  const [, first, firstMinor, family, last, lastMinor] = SPELLING.exec(spelled(unmarked)) ?? [];
  const major = last ?? first;
  if (family === undefined || major === undefined) return unmarked;
  const minor = last === undefined ? firstMinor : lastMinor;
  const version = minor === undefined || minor === '0' ? major : `${major}-${minor}`;
  return Number(major) < 4 ? `claude-${version}-${family}` : `claude-${family}-${version}`;
}

/** Nothing in it has another spelling. */
const PLAIN = /^[a-z0-9-]*$/;

/** As an id within an address, or as a name for people. */
function spelled(text: string): string {
  if (PLAIN.test(text)) return text;
  return text.toLowerCase().replaceAll('%3a', ':').replaceAll('%2f', '/').trim().replaceAll(/[ _]/g, '-');
}
