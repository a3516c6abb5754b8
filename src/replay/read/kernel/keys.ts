/** Where the table is in the memory: entries of 16 bytes, found by hash. */
const KEYS: usize = 0x400;
const SLOTS: u32 = 128;

/** What becomes of a value: of a line, of its message (1) and of its usage (2) only the members asked for stay. */
export const TOP: u32 = 0;
/** Stays, without the rest of its long texts. */
export const CONTENT: u32 = 3;
/** Stays as it is. */
export const WHOLE: u32 = 4;
export const DROPPED: u32 = 5;

/** Asks for the key at `start` in the objects of a level; `becomes` is what its value is then. */
export function ask(level: u32, start: usize, length: u32, becomes: u32): void {
  const slot = find(level, start, length);
  store<u64>(slot, signature(start, length));
  store<u32>(slot, identity(level, length), 8);
  store<u32>(slot, becomes, 12);
}

/** What becomes of the value of a key. */
export function fate(level: u32, start: usize, length: u32): u32 {
  const slot = find(level, start, length);
  return load<u32>(slot, 8) === 0 ? DROPPED : load<u32>(slot, 12);
}

/** The slot of a key, or the empty one it would have. */
function find(level: u32, start: usize, length: u32): usize {
  const own = signature(start, length);
  const id = identity(level, length);
  let slot = ((own * 0x1f3779b97f4a7d) >> 57) as u32;
  while (true) {
    const entry = KEYS + (slot as usize) * 16;
    const other = load<u32>(entry, 8);
    if (other === 0 || (other === id && load<u64>(entry) === own)) return entry;
    slot = (slot + 1) & (SLOTS - 1);
  }
}

/** Level and length of a key in one number, never 0. */
function identity(level: u32, length: u32): u32 {
  return ((level + 1) << 24) | (length & 0xffffff);
}

/** Exact for keys up to 8 bytes. A longer one that is taken for another only stays without need. */
function signature(start: usize, length: u32): u64 {
  if (length > 8) return load<u64>(start) ^ (load<u64>(start + length - 8) * 31);
  return length === 0 ? 0 : load<u64>(start) & (u64.MAX_VALUE >> ((8 - length) << 3));
}
