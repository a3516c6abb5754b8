import { expect, it } from 'vitest';
import { hashOf } from '../../../src/replay/read/hash-id.ts';

const numbers = Array.from({ length: 20_000 }, (_, id) => `${id}`);
const ids = [
  ...numbers,
  ...numbers.map((id) => `0a1b2c3d-0000-4000-8000-${id.padStart(12, '0')}`),
  ...numbers.map((id) => `${id.padStart(8, '0')}-0000-4000-8000-0a1b2c3d4e5f`),
  ...numbers.map((id) => `msg_01AbCdEfGhIjKlMnOp${id} 4 1000 ${id}`),
];

it('has another hash for each id', () => {
  expect(new Set(ids.map(hashOf)).size).toBe(ids.length);
});
