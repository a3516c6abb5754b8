import { describe, expect, it } from 'vitest';
import { textOfLine } from '../../../src/replay/read/line-feed.ts';
import { sized } from '../../support/size.ts';

const MIB = 1024 * 1024;
/** Makes a line one of those that are shortened. */
const FILLING = 'x'.repeat(8 * MIB);

const read = (line: string) => {
  const bytes = Buffer.from(`before\n${line}\nbehind`);
  return textOfLine(bytes.subarray(7, bytes.length - 6));
};
const parsed = <T>(value: T): T => JSON.parse(read(JSON.stringify(value)));

describe('a long line', () => {
  it.each([
    { name: 'ASCII', unit: 'word ', bytes: 1 },
    { name: 'characters of several bytes', unit: 'é中😀', bytes: 9 },
    { name: 'escapes', unit: '\n"\\', bytes: 6 },
    { name: 'backslashes', unit: '\\', bytes: 2 },
    { name: 'escapes by number', unit: '\u0001x', bytes: 7 },
  ])('cuts strings over 1 MiB: $name', ({ unit, bytes }) => {
    // One more character before the text each time, so that the cut falls on every place of a unit.
    for (let shift = 0; shift < sized(Math.min(bytes, 2), bytes); shift++) {
      const text = 'x'.repeat(shift) + unit.repeat((1.5 * MIB) / unit.length);
      const long = { first: 'a"b', cut: text, filling: FILLING, last: ['\\', { text: unit }] };
      const { first, last, cut } = parsed(long);
      expect([first, last]).toEqual(['a"b', ['\\', { text: unit }]]);
      expect(text.startsWith(cut)).toBe(true);
      expect(Buffer.byteLength(JSON.stringify(cut))).toBeGreaterThan(MIB - 8);
      expect(Buffer.byteLength(JSON.stringify(cut))).toBeLessThan(MIB + 16);
    }
  });

  it('keeps strings of up to 1 MiB', () => {
    const texts = Array.from({ length: 12 }, (_, at) => String(at % 10).repeat(MIB - 1));
    expect(parsed(texts)).toEqual(texts);
  });

  it.each([
    { name: 'cut off in a string', line: `{"a":"${'x'.repeat(9 * MIB)}` },
    { name: 'cut off behind a string', line: `{"a":"${'x'.repeat(9 * MIB)}"` },
    { name: 'without a quote', line: 'x'.repeat(9 * MIB) },
  ])('stays malformed: $name', ({ line }) => {
    expect(() => JSON.parse(read(line))).toThrow(SyntaxError);
  });
});

it('does not change shorter lines', () => {
  const line = JSON.stringify({ text: 'x'.repeat(7 * MIB) });
  expect(read(line)).toBe(`${line}\n`);
});
