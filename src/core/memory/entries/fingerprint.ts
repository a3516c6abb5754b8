/** Deeper values count as equal: no tool's input nests so deep, and a hostile one must not end the run. */
const MAX_DEPTH = 32;

/**
 * A short text that is equal for equal values, whatever the order of their keys. Not for security: it tells repeated
 * tool calls and edits apart from others. Two 32-bit FNV-1a hashes with different starts.
 */
export function fingerprint(value: unknown): string {
  const text = typeof value === 'string' ? value : canonical(value, 0);
  let a = 0x811c9dc5;
  let b = 0x9e3779b9;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    a = Math.imul(a ^ code, 0x01000193);
    b = Math.imul(b ^ code, 0x85ebca6b);
  }
  return (a >>> 0).toString(36) + (b >>> 0).toString(36);
}

/** JSON with the keys in order. */
function canonical(value: unknown, depth: number): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? '';
  if (depth > MAX_DEPTH) return '…';
  if (Array.isArray(value)) return `[${value.map((item) => canonical(item, depth + 1)).join(',')}]`;
  const fields = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return `{${fields.map(([key, item]) => `${JSON.stringify(key)}:${canonical(item, depth + 1)}`).join(',')}}`;
}
