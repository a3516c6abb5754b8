/** The hash of an id in ASCII: 53 bits, not 0. Needs no `Buffer`, which the plugin and browsers lack. */
export function hashOf(id: string): number {
  const bytes = id.length <= shared.length ? shared : new Uint8Array(id.length);
  for (let at = 0; at < id.length; at++) bytes[at] = id.charCodeAt(at);
  return hashIn(bytes, 0, id.length);
}

/** Holds the bytes of a usual id. An array for each id would take longer than its hash. */
const shared = new Uint8Array(128);

/** Like `hashOf`, of an id that is part of a line. */
export function hashIn(bytes: Uint8Array, from: number, to: number): number {
  const byteAt = (at: number) => bytes[at] as number;
  let [one, other] = [to - from, 1];
  let at = from;
  for (; at + 4 <= to; at += 4) {
    const word = byteAt(at) | (byteAt(at + 1) << 8) | (byteAt(at + 2) << 16) | (byteAt(at + 3) << 24);
    one = Math.imul(one ^ word, 0x01000193) ^ (one >>> 15);
    other = Math.imul(other + word, 0x5bd1e995) ^ (other >>> 15);
  }
  for (; at < to; at++) one = Math.imul(one ^ byteAt(at), 0x01000193) ^ (one >>> 15);
  return (other >>> 11) * 2 ** 32 + ((one ^ (one >>> 13)) >>> 0) || 1;
}
