import { describe, expect, it } from 'vitest';
import { PRESETS } from '../../../src/flow/pack/budgets.ts';
import { type Pack, pack } from '../../../src/flow/pack/pack.ts';
import { type ContextTruncation, truncationNote } from '../../../src/flow/pack/receipt.ts';
import { CUT_MARKER } from '../../../src/flow/pack/step-block.ts';
import { expandVector } from '../../support/expand-vector.ts';
import { flowStep, headingsOf, packItem } from '../../support/packs.ts';
import { vectorsOf } from '../../support/recordings.ts';

interface Noted {
  readonly note: string;
  readonly receipt: ContextTruncation;
}

describe('the note', () => {
  it.each(vectorsOf<ContextTruncation, Noted>('truncation-note'))('$id: $name', ({ input, expected }) => {
    expect(truncationNote(input)).toBe(expected.note);
    expect({ priority_distribution: {}, ...expected.receipt }).toMatchObject(input);
  });
});

interface Selecting {
  readonly budgets?: readonly [number, number, number];
  readonly history: readonly unknown[];
}

interface Shown {
  readonly output_chars: number;
  readonly output_cut: boolean;
  readonly error_chars?: number;
}

interface Selected {
  readonly step_headings_in_prompt: readonly string[];
  readonly outputs: Readonly<Record<string, Shown>>;
  readonly truncation: ContextTruncation;
  readonly note: string;
}

interface Past {
  readonly step_id: string;
  readonly agent_key?: string;
  readonly status?: string;
  readonly output?: string;
  readonly error?: string;
}

const SELECTION = vectorsOf<Selecting, Selected>('selection-under-budget');

function packed({ budgets, history }: Selecting): Pack {
  const [contextBudgetChars, historyRecentChars, historyOlderChars] = budgets ?? Object.values(PRESETS.balanced);
  const items = (expandVector(history) as Past[]).map(({ step_id, agent_key, status, output = '', error }) =>
    packItem({ stepId: step_id, agent: agent_key, ok: status === 'succeeded', output, error }),
  );
  return pack(flowStep(), items, {
    contextBudgetChars: contextBudgetChars ?? 0,
    historyRecentChars: historyRecentChars ?? 0,
    historyOlderChars: historyOlderChars ?? 0,
  });
}

/** What is shown of each step, with the marker where it is cut, by its heading. */
function outputsOf({ text, receipt }: Pack): Record<string, Shown> {
  const items = receipt.items.filter(({ outcome }) => outcome !== 'omitted');
  const blocks = text.split('\n### Step: ').slice(1);
  return Object.fromEntries(
    headingsOf(text).map((heading, index) => {
      const { shown_chars = 0, chars = 0 } = items[index] ?? {};
      const output_cut = shown_chars < chars;
      const [, error = '', marker = ''] = /\nError: `(.*)`(.*)/.exec(blocks[index] ?? '') ?? [];
      const error_chars = error.length + marker.length;
      const output_chars = shown_chars + (output_cut ? CUT_MARKER.length : 0);
      return [heading, { output_chars, output_cut, ...(error_chars > 0 ? { error_chars } : {}) }];
    }),
  );
}

const inputOf = (id: string): Selecting => SELECTION.find((vector) => vector.id === id)?.input ?? { history: [] };

/** Judged by name below, with the reason. */
const EXCEPTIONS = ['fs-116', 'fs-117'];

describe('selection', () => {
  it.each(SELECTION.filter(({ id, kind }) => kind === 'conform' && !EXCEPTIONS.includes(id)))(
    '$id: $name',
    ({ input, expected }) => {
      const made = packed(input);
      expect(headingsOf(made.text)).toEqual(expected.step_headings_in_prompt);
      expect(outputsOf(made)).toEqual(expected.outputs);
      expect(made.receipt.note).toBe(expected.note);
      // What is used is counted otherwise: the whole text, with all that separates its parts.
      expect(made.receipt.context_truncation).toMatchObject({
        ...expected.truncation,
        chars_used: [...made.text].length,
      });
    },
  );
});

describe('selection: exceptions', () => {
  it('fs-116: the newest step is always in, and the old one is shortened to what is left', () => {
    const made = packed(inputOf('fs-116'));
    expect(headingsOf(made.text)).toEqual(['old [OK]', 'latest_low [OK]']);
    expect(made.receipt.items).toMatchObject([
      { step: 'old', tier: 'CRITICAL', outcome: 'cut', reason: 'shortened to what was left of contextBudgetChars' },
      { step: 'latest_low', tier: 'LOW', outcome: 'included', reason: 'the newest step' },
    ]);
  });

  it('fs-117: a step that is too large is shortened to what is left, not skipped', () => {
    const made = packed(inputOf('fs-117'));
    expect(headingsOf(made.text)).toEqual(['a [OK]', 'b [OK]', 'c [OK]']);
    expect(made.receipt.items.map(({ outcome }) => outcome)).toEqual(['included', 'cut', 'included']);
    expect(made.receipt.context_truncation).toMatchObject({ steps_included: 3, truncated: true });
  });
});

describe('selection: known defects, fixed', () => {
  it('fs-118: within a tier the newest wins the space', () => {
    const made = packed(inputOf('fs-118'));
    expect(made.receipt.items).toMatchObject([
      { step: 'c1', outcome: 'cut' },
      { step: 'c2', outcome: 'included' },
    ]);
  });

  it('fs-123: what was cut at the limit of a step is counted, and named with its size', () => {
    const { receipt, text } = packed(inputOf('fs-123'));
    expect(receipt.context_truncation).toMatchObject({ truncated: false, steps_cut: 1, chars_left_out: 40_000 });
    expect(receipt.items[0]).toMatchObject({
      step: 'h',
      outcome: 'cut',
      chars: 50_000,
      shown_chars: 10_000,
      reason: 'longer than historyOlderChars, 10,000',
    });
    expect(text).toContain(`${CUT_MARKER} 10,000 of 50,000 characters`);
  });

  it('fs-124: a step as large as the budget is shortened to fit', () => {
    const { receipt, text } = packed(inputOf('fs-124'));
    expect(headingsOf(text)).toEqual(['only [OK]']);
    expect(receipt.items[0]?.shown_chars).toBeGreaterThan(9_000);
    expect(receipt.context_truncation).toMatchObject({ steps_included: 1, truncated: true });
    expect([...text].length).toBeLessThanOrEqual(10_000);
  });

  it('fs-130: separators and the note count', () => {
    const { receipt, text } = packed(inputOf('fs-130'));
    expect(text).toContain(receipt.note);
    expect(receipt.context_truncation.chars_used).toBe([...text].length);
    expect([...text].length).toBeLessThanOrEqual(10_000);
    expect(headingsOf(text).at(-1)).toBe('s199 [OK]');
  });
});

interface Envelopes {
  readonly envelopes: readonly unknown[];
}

const RENDERING = vectorsOf<Envelopes, unknown>('context-pack-rendering');

/** A summary of a step is its output here. */
function rendered(id: string, historyOlderChars: number): Pack {
  const input = expandVector(RENDERING.find((vector) => vector.id === id)?.input) as {
    envelopes: { step_id: string; summary: string; status: string }[];
  };
  const items = input.envelopes.map(({ step_id, summary, status }) =>
    packItem({ stepId: step_id, output: summary, ok: status !== 'failed' }),
  );
  return pack(flowStep(), [...items, packItem({ stepId: 'last' })], { ...PRESETS.lean, historyOlderChars });
}

describe('rendering', () => {
  it('fs-134: an output is cut at its budget, not at a fixed 2,000, with the same marker', () => {
    const { text } = rendered('fs-134', 2_000);
    expect(text).toContain(`\n${'A'.repeat(2_000)}\n\`\`\`\n${CUT_MARKER}`);
    expect(rendered('fs-134', 5_000).text).toContain('A'.repeat(3_000));
  });
});

describe('rendering: known defects, fixed', () => {
  it('fs-133: a step has succeeded or it has not; there is no unknown mark', () => {
    expect(headingsOf(rendered('fs-133', 5_000).text)).toEqual(['s [OK]', 's [FAIL]', 'last [OK]']);
  });

  it('fs-136: the budget bounds everything', () => {
    const { text, receipt } = rendered('fs-136', 5_000);
    expect([...text].length).toBeLessThanOrEqual(PRESETS.lean.contextBudgetChars);
    expect(receipt.context_truncation).toMatchObject({ budget_chars: 100_000, truncated: true, steps_total: 101 });
  });
});
