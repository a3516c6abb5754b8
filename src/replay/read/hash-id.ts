/** The hash of an id in ASCII: 53 bits, not 0. Needs no `Buffer`, which the plugin and browsers lack. */
export function hashOf(id: string): number {
  return hash(id.length, (at) => id.charCodeAt(at) & 0xff);
}

/** Like `hashOf`, of an id that is part of a line. */
export function hashIn(bytes: Uint8Array, from: number, to: number): number {
  return hash(to - from, (at) => bytes[from + at] as number);
}

function hash(length: number, byteAt: (at: number) => number): number {
  let [one, other] = [length, 1];
  let at = 0;
  for (; at + 4 <= length; at += 4) {
    const word = byteAt(at) | (byteAt(at + 1) << 8) | (byteAt(at + 2) << 16) | (byteAt(at + 3) << 24);
    one = Math.imul(one ^ word, 0x01000193) ^ (one >>> 15);
    other = Math.imul(other + word, 0x5bd1e995) ^ (other >>> 15);
  }
  for (; at < length; at++) one = Math.imul(one ^ byteAt(at), 0x01000193) ^ (one >>> 15);
  return (other >>> 11) * 2 ** 32 + ((one ^ (one >>> 13)) >>> 0) || 1;
}
