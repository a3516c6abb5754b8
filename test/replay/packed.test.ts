import { describe, expect, it } from 'vitest';
import { DEFAULTS } from '../../src/config/defaults.ts';
import { joinKeys, keyPart, keysIn, pack, unpack } from '../../src/replay/packed.ts';
import { readSource } from '../../src/replay/replay.ts';
import { findSources } from '../../src/replay/sources.ts';
import { FIXTURE_RECORDINGS, TRANSCRIPTS } from '../support/recordings.ts';
import { unmasked } from '../support/unmasked.ts';

const RECORDINGS = [...FIXTURE_RECORDINGS, ...TRANSCRIPTS];

describe.each(['light', 'full'] as const)('at the depth %s', (depth) => {
  it.each(RECORDINGS)('keeps the figures of $name through a cache', async ({ path }) => {
    const options = { policy: DEFAULTS, depth, series: false, stdin: process.stdin, mask: unmasked } as const;
    for (const source of findSources(path)) {
      const found = await readSource(source, options);
      const { marks, ...packed } = pack(found);
      const { ledger, marks: _, ...figures } = unpack({ ...JSON.parse(JSON.stringify(packed)), marks });
      const { marks: __, ...all } = found;
      expect({ ...figures, ledger: ledger() }).toEqual({ ...all, ledger: found.ledger() });
    }
  });
});

it('keeps the keys of a call apart, whatever its id', () => {
  const keys = joinKeys(['one,id', 'two+id', 'three\tid', 'four'].map(keyPart));
  expect(keysIn(keys)).toEqual(['one-id', 'two-id', 'three-id', 'four']);
  expect(keys).not.toMatch(/[,\t]/);
});
