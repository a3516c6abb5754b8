import { describe, expect, it } from 'vitest';
import type { Input } from '../../../../src/core/governor/input.ts';
import { createDeadEnds } from '../../../../src/core/memory/dead-ends.ts';
import type { DeadEnd } from '../../../../src/core/memory/entry.ts';
import { createExtractor } from '../../../../src/core/memory/extract/extract.ts';
import { createEntryMaker } from '../../../../src/core/memory/make-entry.ts';
import { decodeLine } from '../../../../src/core/protocol/decode.ts';
import { FIXTURE_RECORDINGS, linesOf, TRANSCRIPTS } from '../../../support/recordings.ts';
import { unmasked } from '../../../support/unmasked.ts';

/** What was found in the sessions of other people, each judged right by reading what led to it. */
const JUDGED = { 'same failure': 9, 'edit reverted': 2 };

function foundIn(path: string): DeadEnd[] {
  const extractor = createExtractor({ isLive: false });
  const makeEntry = createEntryMaker(unmasked);
  const deadEnds = createDeadEnds();
  return linesOf(path).flatMap((line) => {
    const input: Input = { t: 0, from: 'claude', event: decodeLine(line) };
    return extractor
      .add(input)
      .flatMap((fact) =>
        deadEnds.add(makeEntry(fact)).flatMap(({ what, deadEnd }) => (what === 'found' ? [deadEnd] : [])),
      );
  });
}

describe('dead ends in real sessions', () => {
  it.each(FIXTURE_RECORDINGS.filter(({ name }) => !name.includes('dialogue')))(
    'has no dead ends in $name',
    ({ path }) => {
      expect(foundIn(path)).toEqual([]);
    },
  );

  it.skipIf(TRANSCRIPTS.length === 0)('those that were judged, and no other', () => {
    const tally: Record<string, number> = {};
    for (const { cause } of TRANSCRIPTS.flatMap(({ path }) => foundIn(path))) tally[cause] = (tally[cause] ?? 0) + 1;
    expect(tally).toEqual(JUDGED);
  });
});
