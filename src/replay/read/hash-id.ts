/** The hash of an id: 53 bits, not 0. */
export function hashOf(id: string): number {
  const bytes = Buffer.from(id);
  return hashIn(bytes, 0, bytes.length);
}

/** Like `hashOf`, of an id that is part of a line. */
export function hashIn(bytes: Buffer, from: number, to: number): number {
  let [one, other] = [to - from, 1];
  let at = from;
  for (; at + 4 <= to; at += 4) {
    const word = bytes.readInt32LE(at);
    one = Math.imul(one ^ word, 0x01000193) ^ (one >>> 15);
    other = Math.imul(other + word, 0x5bd1e995) ^ (other >>> 15);
  }
  for (; at < to; at++) one = Math.imul(one ^ (bytes[at] as number), 0x01000193) ^ (one >>> 15);
  return (other >>> 11) * 2 ** 32 + ((one ^ (one >>> 13)) >>> 0) || 1;
}
