/** The hash of an id: 53 bits, not 0. */
export function hashOf(id: string): number {
  let [one, other] = [id.length, 1];
  for (let at = 0; at < id.length; at++) {
    one = Math.imul(one ^ id.charCodeAt(at), 0x01000193) ^ (one >>> 15);
    other = Math.imul(other + id.charCodeAt(at), 0x5bd1e995) ^ (other >>> 15);
  }
  return (other >>> 11) * 2 ** 32 + ((one ^ (one >>> 13)) >>> 0) || 1;
}
