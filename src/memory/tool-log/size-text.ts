const KILO = 1_024;
const MEGA = KILO * KILO;

/** `512B`, `14.6KB`, `1.2MB`; `?B` where it is not known. */
export function sizeText(bytes: number | undefined): string {
  if (bytes === undefined) return '?B';
  if (bytes < KILO) return `${bytes}B`;
  return bytes < MEGA ? `${tenths(bytes, KILO)}KB` : `${tenths(bytes, MEGA)}MB`;
}

/** With one decimal, a half rounded to the even one: 1,280 bytes are 1.2 KB. */
function tenths(bytes: number, unit: number): string {
  const whole = Math.floor((bytes * 10) / unit);
  const rest = (bytes * 10) % unit;
  const isUp = rest * 2 > unit || (rest * 2 === unit && whole % 2 === 1);
  const count = whole + (isUp ? 1 : 0);
  return `${Math.floor(count / 10)}.${count % 10}`;
}

const BEYOND_ASCII = /[^\x00-\x7f]/;

/** Bytes of a text in UTF-8. */
export function bytesOf(text: string): number {
  if (!BEYOND_ASCII.test(text)) return text.length;
  let bytes = text.length;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    // The two halves of a pair are counted as two bytes each.
    if (unit > 0x7f) bytes += unit > 0x7ff && (unit < 0xd800 || unit > 0xdfff) ? 2 : 1;
  }
  return bytes;
}
