import { describe, expect, it } from 'vitest';
import { cut, groupDigits } from '../../../src/core/text/words.ts';
import { BETWEEN_PARTS, cutToFit } from '../../../src/flow/pack/step-block.ts';

describe('the first code points', () => {
  it.each([
    { name: 'one unit each', text: 'abc', length: 2, as: 'ab' },
    { name: 'a pair is one', text: '😀😀a', length: 2, as: '😀😀' },
    { name: 'a pair behind what is taken', text: 'ab😀', length: 2, as: 'ab' },
    { name: 'a pair that a slice would part', text: 'a😀', length: 2, as: 'a😀' },
    { name: 'half a pair', text: '\ud83dab', length: 2, as: '\ud83da' },
    { name: 'all', text: 'ü', length: 9, as: 'ü' },
    { name: 'none', text: 'abc', length: 0, as: '' },
    { name: 'less than none', text: 'abc', length: -1, as: '' },
  ])('$name', ({ text, length, as }) => {
    expect(cut(text, length)).toBe(as);
  });
});

it.each([
  { count: 0, as: '0' },
  { count: 999, as: '999' },
  { count: 1_000, as: '1,000' },
  { count: 9_007_199_254_740_991, as: '9,007,199,254,740,991' },
])('formats $count as $as', ({ count, as }) => {
  expect(groupDigits(count)).toBe(as);
});

describe('fitted', () => {
  /** Shows of a text only its first 5,000 characters, and a marker of 20 where it is cut. */
  function tryAll(room: number) {
    let tries = 0;
    const render = (limit: number) => {
      tries++;
      return 'x'.repeat(Math.min(limit, 5_000) + (limit < 60_000 ? 20 : 0));
    };
    const found = cutToFit(render, { max: 60_000, min: 200, room: room + BETWEEN_PARTS.length });
    return { length: found?.text.length, tries };
  }

  it.each([
    { name: 'all of it', room: 5_000, length: 5_000 },
    { name: 'less than the least', room: 219, length: undefined },
    { name: 'just the least', room: 220, length: 220 },
    { name: 'as much as fits, to the character', room: 4_999, length: 4_999 },
  ])('$name', ({ room, length }) => {
    expect(tryAll(room).length).toBe(length);
  });

  it('needs few tries even if hardly anything of a text fits', () => {
    expect(tryAll(4_999).tries).toBeLessThan(20);
  });
});
