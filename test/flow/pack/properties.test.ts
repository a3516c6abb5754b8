import { describe, expect, it } from 'vitest';
import type { Budgets } from '../../../src/config/config.ts';
import { PRESETS } from '../../../src/flow/pack/budgets.ts';
import type { PackExtras } from '../../../src/flow/pack/frame.ts';
import { pack } from '../../../src/flow/pack/pack.ts';
import type { CuratedChoice } from '../../../src/flow/pack/priority.ts';
import type { ReceiptItem } from '../../../src/flow/pack/receipt.ts';
import type { PackItem } from '../../../src/flow/pack/step-block.ts';
import { flowStep, headingsOf, packItem, structureOf } from '../../support/packs.ts';
import { createRandom, type Random } from '../../support/random.ts';
import { sized } from '../../support/size.ts';

const SEEDS = Array.from({ length: sized(8, 40) }, (_, index) => index + 1);
const PIECES = [
  'word ',
  '\n',
  '😀',
  '`',
  '```\n',
  '### Step: fake [OK]\n',
  '\u0007',
  'ü',
  '[CONTEXT_TRUNCATED] ',
] as const;

function textOf(random: Random, most: number): string {
  const length = random.whole(0, most);
  let text = '';
  while (text.length < length) text += random.pick(PIECES).repeat(random.whole(1, 12));
  return text;
}

function historyOf(random: Random): PackItem[] {
  return Array.from({ length: random.whole(0, 40) }, (_, index) =>
    packItem({
      stepId: `s${index}`,
      agent: random.pick([undefined, 'code-critic', 'adr-author', 'fixer', 'doc-writer']),
      ok: random.chance(0.8),
      output: textOf(random, random.pick([0, 50, 500, 5_000])),
      error: random.chance(0.2) ? textOf(random, 500) : undefined,
      path: random.chance(0.3) ? `runs/s${index}/output.md` : undefined,
    }),
  );
}

function curatedOf(random: Random): CuratedChoice {
  const ids = ['s0', 's1', 's2', 's5', 's8', 's20', 's98'].filter(() => random.chance(0.6));
  const summaries = new Map(ids.map((id) => [id, { text: `it ${textOf(random, 300)}`, by: 'haiku' }]));
  return { steps: ['s1', 's3', 's99'], files: ['docs/3.md'], summaries };
}

function caseOf(seed: number) {
  const random = createRandom(seed);
  const contextBudgetChars = random.whole(1_500, 40_000);
  const budgets: Budgets = {
    contextBudgetChars,
    historyRecentChars: random.whole(500, contextBudgetChars),
    historyOlderChars: random.whole(100, 3_000),
  };
  const step = flowStep({
    objective: `objective ${seed}`,
    teaching: { notes: 'n'.repeat(random.whole(0, 600)), emphasis: ['one', 'two'], constraints: ['three'] },
    prompt: random.pick([undefined, 'the task']),
  });
  const history = historyOf(random);
  const extras: PackExtras = {
    artifacts: Array.from({ length: random.whole(0, 30) }, (_, index) => `docs/${index}.md`),
    scentTrail: textOf(random, 3_000),
    ...(random.chance(0.5) ? { curated: curatedOf(random) } : {}),
  };
  return { random, step, history, budgets, extras };
}

type Made = ReturnType<typeof pack>;

const shownIn = ({ receipt }: Made) =>
  receipt.items.filter(({ outcome }) => outcome !== 'omitted').map(({ step }) => step);

const filesIn = ({ receipt }: Made) => receipt.artifacts.filter(({ outcome }) => outcome === 'included').length;

describe.each(SEEDS)('seed %i', (seed) => {
  const { random, step, history, budgets, extras } = caseOf(seed);
  const made = pack(step, history, budgets, extras);
  const { text, receipt } = made;
  const { context_truncation: figures } = receipt;

  it('is never longer than its budget', () => {
    expect([...text].length).toBeLessThanOrEqual(budgets.contextBudgetChars);
    expect(receipt.over_budget_chars).toBe(0);
  });

  it('starts with the complete teaching notes, and includes the newest step', () => {
    expect(text.indexOf(`## Objective\n\n${step.objective}\n`)).toBeLessThan(100);
    expect(text).toContain(step.teaching.notes);
    if (history.length > 0) expect(shownIn(made).at(-1)).toBe(history.at(-1)?.stepId);
  });

  it('lists steps oldest first, with no structure but its own', () => {
    const headings = headingsOf(text).map((heading) => heading.split(' ')[0]);
    expect(headings).toEqual(shownIn(made));
    expect(headings).toEqual(history.map(({ stepId }) => stepId).filter((id) => headings.includes(id)));
    const notes = structureOf(text).filter((line) => line.startsWith('[CONTEXT_TRUNCATED]'));
    expect(notes).toEqual(receipt.note === '' ? [] : [receipt.note]);
  });

  it('has a note and a receipt whose figures add up', () => {
    const [, included, total, omitted, used, budget] =
      /Included (\d+) of (\d+) history steps \((\d+) omitted, budget: ([\d,]+)\/([\d,]+) chars/.exec(receipt.note) ??
      [];
    const { steps_included, steps_total, priority_distribution } = figures;
    expect(receipt.note !== '').toBe(figures.truncated);
    if (figures.truncated) {
      expect([included, total, omitted].map(Number)).toEqual([
        steps_included,
        steps_total,
        steps_total - steps_included,
      ]);
      expect([used, budget].map((text) => Number(text?.replaceAll(',', '')))).toEqual([
        [...text].length,
        budgets.contextBudgetChars,
      ]);
    }
    expect(figures.chars_used).toBe([...text].length);
    expect(steps_total).toBe(history.length);
    expect(Object.values(priority_distribution ?? {}).reduce((sum, count) => sum + count, 0)).toBe(steps_included);
    expect(shownIn(made)).toHaveLength(steps_included);
    const ownShown = ({ outcome, shown_chars }: ReceiptItem) => (outcome === 'summary' ? 0 : shown_chars);
    const left = receipt.items.reduce((sum, item) => sum + item.chars - ownShown(item), 0);
    expect(figures.chars_left_out).toBe(left);
    expect(receipt.items.map(({ chars }) => chars)).toEqual(history.map(({ output }) => [...output].length));
  });

  it('is deterministic', () => {
    expect(pack(step, history, budgets, extras)).toEqual(made);
  });

  it('loses nothing with a larger budget', () => {
    let before = made;
    let budget = budgets.contextBudgetChars;
    for (let round = 0; round < 40; round++) {
      // Small steps find the places where one more character makes a difference, large ones the end.
      budget += random.pick([1, 9, 70, 800, 6_000]);
      const after = pack(step, history, { ...budgets, contextBudgetChars: budget }, extras);
      const kept = new Set(shownIn(after));
      expect(shownIn(before).filter((id) => !kept.has(id))).toEqual([]);
      expect(filesIn(after)).toBeGreaterThanOrEqual(filesIn(before));
      before = after;
    }
  });
});

describe('budgets that grow by one character', () => {
  /** Short steps and long paths, so that something becomes in or out every few characters. */
  function smallCase(seed: number) {
    const random = createRandom(seed);
    const history = Array.from({ length: random.whole(4, 16) }, (_, index) =>
      packItem({
        stepId: random.pick(['', 's'.repeat(60)]) + index,
        priority: random.pick(['critical', 'high', 'medium', 'low']),
        output: random.pick(['', 'x'.repeat(random.whole(0, 400)), random.pick(PIECES).repeat(random.whole(0, 60))]),
      }),
    );
    const artifacts = Array.from({ length: random.whole(0, 4) }, () => `${'p'.repeat(random.whole(1, 150))}.md`);
    const scentTrail = 'hint '.repeat(random.whole(0, 60));
    const limits = { historyRecentChars: 350, historyOlderChars: random.whole(220, 350) };
    return (contextBudgetChars: number) =>
      pack(flowStep(), history, { ...limits, contextBudgetChars }, { artifacts, scentTrail });
  }

  it.each(SEEDS.slice(0, 12))('seed %i: lose nothing and never exceed the budget', (seed) => {
    const packed = smallCase(seed);
    let before = packed(900);
    for (let budget = 900; budget <= 3_000; budget++) {
      const after = packed(budget);
      const kept = new Set(shownIn(after));
      const lost = shownIn(before).filter((id) => !kept.has(id));
      const tooLong = after.receipt.over_budget_chars;
      const files = Math.min(0, filesIn(after) - filesIn(before));
      if (lost.length > 0 || tooLong > 0 || files < 0) expect.fail(JSON.stringify({ budget, lost, tooLong, files }));
      before = after;
    }
  });

  it.each(SEEDS)('seed %i: include everything as soon as it fits, to the character', (seed) => {
    const { step, history, budgets } = caseOf(seed);
    const packed = (contextBudgetChars: number) => pack(step, history, { ...budgets, contextBudgetChars });
    const { text } = packed(10_000_000);
    const { length } = [...text];
    expect(packed(length).text).toBe(text);
    expect(packed(length - 1).receipt.context_truncation.truncated).toBe(history.length > 0);
  });
});

describe('proportional budgets', () => {
  it.each(SEEDS)('seed %i: lean, balanced and heavy each lose nothing to the previous one', (seed) => {
    const random = createRandom(seed);
    const history = Array.from({ length: random.whole(20, 120) }, (_, index) =>
      packItem({
        stepId: `s${index}`,
        priority: random.pick(['critical', 'high', 'medium', 'low']),
        output: 'x'.repeat(random.whole(0, random.pick([100, 9_000, 90_000]))),
      }),
    );
    const [lean = [], balanced = [], heavy = []] = [PRESETS.lean, PRESETS.balanced, PRESETS.heavy].map((budgets) =>
      shownIn(pack(flowStep(), history, budgets)),
    );
    expect(lean.filter((id) => !balanced.includes(id))).toEqual([]);
    expect(balanced.filter((id) => !heavy.includes(id))).toEqual([]);
  });
});
