import { type Fields, fieldsOf, stringOf } from './fields.ts';

/** Size in pixels. */
export interface PictureSize {
  readonly width: number;
  readonly height: number;
}

/** Maximum segments before the one with the size; real pictures have fewer. */
const MAX_SEGMENTS = 64;

/** The size of a PNG or JPEG; undefined for other formats, or if the line does not contain the picture's bytes. */
export function pictureSize({ source }: Fields): PictureSize | undefined {
  const data = stringOf(fieldsOf(source).data);
  if (data.startsWith('iVBORw0KGgo')) return sizeIn(bytesAt(data, 18, 6), 4);
  return data.startsWith('/9j/') ? jpegSize(data) : undefined;
}

/** Each segment starts with a marker of two bytes, then its length. The frame header has the height, then the width. */
function jpegSize(data: string): PictureSize | undefined {
  for (let at = 2, segments = 0; segments < MAX_SEGMENTS; segments++) {
    const bytes = bytesAt(data, at, 9);
    const [start, mark = 0, high = 0, low = 0] = bytes;
    if (start !== 0xff) return undefined;
    if ((mark & 0xf0) === 0xc0 && ![0xc4, 0xc8, 0xcc].includes(mark)) {
      const size = sizeIn(bytes.slice(5), 2);
      return size && { width: size.height, height: size.width };
    }
    at += 2 + high * 256 + low;
  }
  return undefined;
}

/** Two big-endian 16-bit numbers, at 0 and at `second`. */
function sizeIn(bytes: readonly number[], second: number): PictureSize | undefined {
  const [width, height] = [0, second].map((at) => (bytes[at] ?? 0) * 256 + (bytes[at + 1] ?? 0));
  return width && height ? { width, height } : undefined;
}

/** Decodes only the requested bytes of base64; returns fewer at the end, and an empty list for invalid base64. */
function bytesAt(data: string, at: number, count: number): number[] {
  const from = Math.floor(at / 3) * 4;
  try {
    const bytes = atob(data.slice(from, from + 4 * (Math.ceil(count / 3) + 1)));
    return Array.from(bytes.slice(at % 3, (at % 3) + count), (byte) => byte.charCodeAt(0));
  } catch {
    return [];
  }
}
