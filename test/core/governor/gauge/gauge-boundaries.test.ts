import { describe, expect, it } from 'vitest';
import { predictedTokens } from '../../../../src/core/governor/gauge/gauge.ts';
import { initialState } from '../../../../src/core/governor/initial-state.ts';
import { readRecord } from '../../../../src/core/governor/record.ts';
import { step } from '../../../../src/core/governor/step.ts';
import { decodeObject } from '../../../../src/core/protocol/decode.ts';
import { runWith } from '../../../support/governor.ts';
import { FIXTURE_RECORDINGS, objectsOf, SHARED_RECORDINGS, TRANSCRIPTS } from '../../../support/recordings.ts';

/** The gauge just before a compaction, held against what claude itself reported. */
interface Seen {
  readonly name: string;
  readonly outputKnown: boolean;
  /** Relative, without sign. */
  readonly error: number;
}

function boundariesOf({ name, path }: { readonly name: string; readonly path: string }): Seen[] {
  let state = initialState(runWith({ mode: 'replay' }));
  return objectsOf(path).flatMap((line) => {
    const input = readRecord(line, 0) ?? { t: 0, from: 'claude' as const, event: decodeObject(line) };
    const { gauge } = state;
    state = step(state, input);
    const { event } = input;
    if (event.kind !== 'boundary' || event.preTokens === undefined || gauge.basis !== 'measured') return [];
    const error = Math.abs(predictedTokens(gauge) - event.preTokens) / event.preTokens;
    return [{ name, outputKnown: gauge.call?.outputKnown ?? false, error }];
  });
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

const SEEN = [...FIXTURE_RECORDINGS, ...SHARED_RECORDINGS, ...TRANSCRIPTS].flatMap(boundariesOf);

describe("the gauge before a compaction matches claude's own figure", () => {
  it.each(SEEN.filter(({ outputKnown }) => outputKnown))('$name: within 1 %', ({ error }) => {
    expect(error).toBeLessThan(0.01);
  });

  it('within 3 % in the median if the output count is a placeholder', () => {
    const guessed = SEEN.filter(({ outputKnown }) => !outputKnown);
    expect(guessed.length).toBeGreaterThan(0);
    expect(median(guessed.map(({ error }) => error))).toBeLessThan(0.03);
  });
});
