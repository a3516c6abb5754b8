/** Of the escapes passed since it was set to 0: bytes beyond one for the UTF-16 unit that each stands for. */
export let shrunk: usize = 0;
/** Characters JSON.stringify writes for them, beyond one each. */
export let extra: u32 = 0;
/** There was one among them that JSON.stringify would not write. */
export let odd: bool = false;

/** Of the text last measured: bytes beyond one for each UTF-16 unit, and characters of two units. */
export let wide: usize = 0;
export let pairs: u32 = 0;

export function forgetEscapes(): void {
  shrunk = 0;
  extra = 0;
  odd = false;
}

/**
 * The quote that ends the string whose inside begins at `here`, or the first place at or behind `until` where no escape
 * is under way; 0 where the string is none. A string ends at the line's end at the latest, as that is a control
 * character.
 */
export function scan(here: usize, until: usize): usize {
  here = steps(here, min(until, here + 64));
  // Long strings: 64 bytes at a time, without a jump for each escape.
  while (here !== 0 && here < until && load<u8>(here) !== 0x22) {
    const a = v128.load(here);
    const b = v128.load(here, 16);
    const c = v128.load(here, 32);
    const d = v128.load(here, 48);
    const quotes = equal(a, b, c, d, 0x22);
    const slashes = equal(a, b, c, d, 0x5c);
    const escaping = slashes & (slashes << 1) ? openers(slashes) : slashes;
    const escaped = escaping << 1;
    const stops = (quotes & ~escaped) | controls(a, b, c, d);
    const before = (stops & (0 - stops)) - 1;
    const common = quotes | slashes | equal(a, b, c, d, 0x6e) | equal(a, b, c, d, 0x74);
    if (escaped & before & ~common) {
      here = steps(here, here + 64);
      continue;
    }
    const count = popcnt(escaped & before) as u32;
    shrunk += count;
    extra += count;
    if (stops) {
      here += ctz(stops) as usize;
      return load<u8>(here) === 0x22 ? here : 0;
    }
    // What the last byte escapes is in the next block.
    here += 64 - ((escaping >> 63) as usize);
  }
  return here;
}

/** Of backslashes in a row every other one is escaped itself. */
function openers(slashes: u64): u64 {
  let left = slashes;
  let found: u64 = 0;
  while (left) {
    const first = left & (0 - left);
    found |= first;
    left &= ~(first | (first << 1));
  }
  return found;
}

function equal(a: v128, b: v128, c: v128, d: v128, byte: u8): u64 {
  const all = i8x16.splat(byte);
  return bits(i8x16.eq(a, all), i8x16.eq(b, all), i8x16.eq(c, all), i8x16.eq(d, all));
}

function controls(a: v128, b: v128, c: v128, d: v128): u64 {
  const last = i8x16.splat(0x1f);
  return bits(i8x16.le_u(a, last), i8x16.le_u(b, last), i8x16.le_u(c, last), i8x16.le_u(d, last));
}

function bits(a: v128, b: v128, c: v128, d: v128): u64 {
  const low = (i8x16.bitmask(a) as u32) | ((i8x16.bitmask(b) as u32) << 16);
  const high = (i8x16.bitmask(c) as u32) | ((i8x16.bitmask(d) as u32) << 16);
  return (low as u64) | ((high as u64) << 32);
}

/** What `scan` does, for short strings and for any escape. */
function steps(here: usize, until: usize): usize {
  while (here < until) {
    const bytes = v128.load(here);
    const quotes = i8x16.eq(bytes, i8x16.splat(0x22));
    const slashes = i8x16.eq(bytes, i8x16.splat(0x5c));
    const controls = i8x16.le_u(bytes, i8x16.splat(0x1f));
    const found = i8x16.bitmask(v128.or(v128.or(quotes, slashes), controls)) as u32;
    if (found === 0) {
      here += 16;
      continue;
    }
    here += ctz(found);
    const byte = load<u8>(here);
    if (byte === 0x22) return here;
    if (byte !== 0x5c) return 0;
    here = passEscape(here);
    if (here === 0) return 0;
  }
  return here;
}

/** The byte after the escape at `here`, or 0 where it is none. */
function passEscape(here: usize): usize {
  switch (load<u8>(here, 1)) {
    case 0x22:
    case 0x5c:
    case 0x62: // \b
    case 0x66: // \f
    case 0x6e: // \n
    case 0x72: // \r
    case 0x74: // \t
      extra++;
      shrunk++;
      return here + 2;
    case 0x2f: // JSON.stringify writes no backslash before a slash.
      shrunk++;
      return here + 2;
    case 0x75:
      return unicode(here + 2);
    default:
      return 0;
  }
}

/** The four digits of a \u escape. */
function unicode(here: usize): usize {
  let code: u32 = 0;
  for (let i: usize = 0; i < 4; i++) {
    const digit = hex(load<u8>(here + i) as u32);
    if (digit > 15) return 0;
    code = (code << 4) | digit;
  }
  if (code > 0x1f) odd = true;
  // \b \t \n \f \r are shorter than the others.
  extra += code > 7 && code < 14 && code !== 11 ? 1 : 5;
  shrunk += 5;
  return here + 4;
}

function hex(byte: u32): u32 {
  if (byte - 0x30 < 10) return byte - 0x30;
  const letter = (byte | 0x20) - 0x61;
  return letter < 6 ? letter + 10 : 16;
}

/** Measures UTF-8; false where it is none. */
export function measure(here: usize, end: usize): bool {
  wide = 0;
  pairs = 0;
  while (here < end) {
    const found = i8x16.bitmask(v128.load(here)) as u32;
    if (found === 0) {
      here += 16;
      continue;
    }
    here += ctz(found);
    while (here < end && load<u8>(here) > 0x7f) {
      const length = sequence(here);
      if (length === 0) return false;
      here += length;
      wide += length === 2 ? 1 : 2;
      if (length === 4) pairs++;
    }
  }
  return true;
}

/** Bytes of the character at `here`, which is not ASCII; 0 where it is none (RFC 3629, section 4). */
function sequence(here: usize): usize {
  const lead = load<u8>(here) as u32;
  if (lead < 0xc2 || lead > 0xf4) return 0;
  const length: usize = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  for (let i: usize = 1; i < length; i++) if ((load<u8>(here + i) & 0xc0) !== 0x80) return 0;
  return isCharacter(lead, load<u8>(here, 1) as u32) ? length : 0;
}

/** Neither longer than needed, nor a surrogate, nor beyond the last character. */
function isCharacter(lead: u32, second: u32): bool {
  switch (lead) {
    case 0xe0:
      return second > 0x9f;
    case 0xed:
      return second < 0xa0;
    case 0xf0:
      return second > 0x8f;
    case 0xf4:
      return second < 0x90;
    default:
      return true;
  }
}

export function isAscii(here: usize, end: usize): bool {
  for (; here < end; here += 16) {
    const found = i8x16.bitmask(v128.load(here)) as u32;
    if (found !== 0) return here + ctz(found) >= end;
  }
  return true;
}

/** The beginning of the character that the byte at `here` is part of; 0 where it is none. */
export function boundary(here: usize): usize {
  let begin = here;
  while (begin + 3 > here && (load<u8>(begin) & 0xc0) === 0x80) begin--;
  const byte = load<u8>(begin);
  return byte > 0xbf || (begin === here && byte < 0x80) ? begin : 0;
}
