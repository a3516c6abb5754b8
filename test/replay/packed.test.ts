import { expect, it } from 'vitest';
import { DEFAULTS } from '../../src/config/defaults.ts';
import { pack, unpack } from '../../src/replay/packed.ts';
import { readSource } from '../../src/replay/replay.ts';
import { findSources } from '../../src/replay/sources.ts';
import { FIXTURE_RECORDINGS, TRANSCRIPTS } from '../support/recordings.ts';
import { unmasked } from '../support/unmasked.ts';

it.each([...FIXTURE_RECORDINGS, ...TRANSCRIPTS])('figures of $name are the same behind a cache', async ({ path }) => {
  const options = { policy: DEFAULTS, depth: 'light', series: false, stdin: process.stdin, mask: unmasked } as const;
  for (const source of findSources(path)) {
    const { ledger, ...figures } = await readSource(source, options);
    const plain = ledger.map(({ keys, main, number, t, model, microUsd }) => ({
      ...{ keys, main, t, model, microUsd },
      ...(number !== undefined && { number }),
    }));
    expect(unpack(JSON.parse(JSON.stringify(pack({ ...figures, ledger }))))).toEqual({ ...figures, ledger: plain });
  }
});
