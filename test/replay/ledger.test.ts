import { describe, expect, it } from 'vitest';
import { DEFAULTS } from '../../src/config/defaults.ts';
import { callsIn, packed } from '../../src/replay/ledger.ts';
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
      const { keys, ...kept } = packed(found);
      const { ledger, ...figures } = JSON.parse(JSON.stringify(kept));
      const calls = callsIn(found);
      expect({ ...figures, keys, calls: callsIn({ ledger }) }).toEqual({ ...found, ledger: undefined, calls });
      expect([calls.length, 2 * calls.length]).toContain(keys.length);
    }
  });
});
