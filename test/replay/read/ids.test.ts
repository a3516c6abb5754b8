import { expect, it, vi } from 'vitest';
import { hashIn, hashOf } from '../../../src/replay/read/hash-id.ts';
import { createIdSet } from '../../../src/replay/read/ids.ts';

const numbers = Array.from({ length: 20_000 }, (_, id) => `${id}`);
const ids = [
  ...numbers,
  ...numbers.map((id) => `0a1b2c3d-0000-4000-8000-${id.padStart(12, '0')}`),
  ...numbers.map((id) => `${id.padStart(8, '0')}-0000-4000-8000-0a1b2c3d4e5f`),
  ...numbers.map((id) => `msg_01AbCdEfGhIjKlMnOp${id} 4 1000 ${id}`),
];

it('remembers all ids', () => {
  const seen = createIdSet();
  const known = () => ids.filter((id) => seen.seen(hashOf(id)));
  expect(known()).toEqual([]);
  expect(known()).toHaveLength(ids.length);
});

it('finds the same id in a line', () => {
  const line = Buffer.from(ids.join());
  let from = 0;
  const missed = ids.filter((id) => {
    const start = from;
    from += id.length + 1;
    return hashIn(line, start, start + id.length) !== hashOf(id);
  });
  expect(missed).toEqual([]);
});

it('hashes an id without Buffer, as in the plugin and in browsers', () => {
  const id = '3f2a6b1c-0000-4000-8000-000000000001';
  const bytes = Buffer.from(`"${id}"`);
  vi.stubGlobal('Buffer', undefined);
  try {
    expect(hashOf(id)).toBe(hashIn(bytes, 1, bytes.length - 1));
  } finally {
    vi.unstubAllGlobals();
  }
});
