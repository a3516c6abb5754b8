import { describe, expect, it } from 'vitest';
import { pictureSize } from '../../../src/core/protocol/picture.ts';

const PNG = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52];
/** A JPEG's parts: start, data of another program, a table, and the frame with 720 lines of 1280. */
const START = [0xff, 0xd8];
const DATA = [0xff, 0xe1, 1, 4, ...new Array<number>(258).fill(7)];
const TABLE = [0xff, 0xc4, 0, 3, 0];
const FRAME = [0xff, 0xc2, 0, 17, 8, 2, 0xd0, 5, 0, 3];

describe('the size of a picture', () => {
  it.each([
    { name: 'a PNG', bytes: [...PNG, 0, 0, 5, 0, 0, 0, 2, 0xd0, 8], size: { width: 1280, height: 720 } },
    { name: 'a JPEG', bytes: [...START, ...FRAME], size: { width: 1280, height: 720 } },
    { name: 'a long JPEG', bytes: [...START, ...DATA, ...TABLE, ...FRAME], size: { width: 1280, height: 720 } },
    { name: 'a PNG that is cut off', bytes: PNG, size: undefined },
    { name: 'a JPEG that is cut off', bytes: [...START, ...DATA], size: undefined },
    { name: 'a JPEG of nothing but parts without a length', bytes: [...START, ...cycle(9_000)], size: undefined },
    { name: 'a GIF', bytes: [...Buffer.from('GIF89a'), 0, 5, 0xd0, 2], size: undefined },
  ])('of $name', ({ bytes, size }) => {
    const data = Buffer.from(bytes).toString('base64');
    expect(pictureSize({ type: 'image', source: { type: 'base64', data } })).toEqual(size);
  });

  it.each([{}, { source: { data: 7 } }, { source: { data: '/9j/ no base64!' } }, { source: { url: 'x' } }])(
    'is undefined for %j',
    (block) => expect(pictureSize(block)).toBeUndefined(),
  );
});

function cycle(parts: number): number[] {
  return Array.from({ length: parts }, () => [0xff, 0xe0, 0, 0]).flat();
}
