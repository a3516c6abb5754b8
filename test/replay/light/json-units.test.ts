import { expect, it } from 'vitest';
import { unitsIn } from '../../../src/replay/light/json-units.ts';
import { createRandom } from '../../support/random.ts';

/** The string of a JSON value if its units are read, else undefined. */
function readUnits(bytes: Buffer): string | undefined {
  const units = unitsIn(bytes);
  return units && String.fromCharCode(...units);
}

it.each(['""', '"a"', String.raw`"\"\\\/\b\f\n\r\t"`, '"é中\u2028\uffff"', String.raw`"\\"`, '"\u007f"'])(
  'reads %s',
  (json) => {
    expect(readUnits(Buffer.from(json))).toBe(JSON.parse(json));
  },
);

it.each([
  { what: 'another value', json: '["a"]' },
  { what: 'a number', json: '1' },
  { what: 'two strings', json: '"a","b"' },
  { what: 'a string without its end', json: '"a' },
  { what: 'a quote alone', json: '"' },
  { what: 'an escaped end', json: String.raw`"a\"` },
  { what: 'an unknown escape', json: String.raw`"\a"` },
  { what: 'a control character', json: '"\n"' },
  { what: 'zero', json: '"\0"' },
  { what: 'a numeric escape', json: String.raw`"\u0041"` },
  { what: 'an emoji', json: '"😀"' },
  { what: 'a long string', json: JSON.stringify('a'.repeat(256 * 1024)) },
])('leaves $what to be parsed', ({ json }) => {
  expect(readUnits(Buffer.from(json))).toBeUndefined();
});

it('reads no text that is not UTF-8', () => {
  for (const bytes of [[0xff], [0xc3], [0xe4, 0xb8], [0xed, 0xa0, 0x80], [0xc0, 0x80], [0x80]]) {
    expect(readUnits(Buffer.from([0x22, ...bytes, 0x22]))).toBeUndefined();
  }
});

it('reads random bytes as JSON.parse does, or not at all', () => {
  const random = createRandom(5);
  const pieces = ['a', '"', '\\', '\\n', '\\u0041', 'é', '中', '😀', '\0', ' ', '\\\\', '\u2028'] as const;
  let read = 0;
  for (let round = 0; round < 5_000; round++) {
    const text = Array.from({ length: random.whole(0, 4) }, () => random.pick(pieces)).join('');
    const bytes = Buffer.from(`"${text}"`);
    const cut = bytes.subarray(random.chance(0.1) ? 1 : 0, bytes.length - (random.chance(0.1) ? 1 : 0));
    const found = readUnits(cut);
    if (found === undefined) continue;
    read++;
    expect(found).toBe(JSON.parse(cut.toString()));
  }
  expect(read).toBeGreaterThan(500);
});
