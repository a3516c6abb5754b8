import { describe, expect, it } from 'vitest';
import type { BriefingInputs } from '../../src/flow/briefing.ts';
import { explainFlow } from '../../src/flow/report/explain.ts';
import { fixtureFlow } from '../support/flow-run.ts';
import { flowOf, flowStep } from '../support/packs.ts';

function world(texts: Readonly<Record<string, string>> = {}): BriefingInputs {
  return {
    cwd: '/nowhere',
    outputs: (id) => (texts[id] === undefined ? undefined : { ok: true, output: texts[id], error: undefined }),
  };
}

describe('a flow of 25 steps', () => {
  const { flow } = fixtureFlow('25-steps.yaml');

  it('before a run: no step has output, and nothing is omitted', () => {
    const { run, profile, steps } = explainFlow(flow, world());
    expect({ run, profile, steps: steps.length }).toEqual({ run: null, profile: 'daily', steps: 25 });
    for (const { without_output, receipt } of steps) {
      expect(receipt.items.map(({ step }) => step)).toEqual(without_output);
      expect(receipt.context_truncation.truncated).toBe(false);
      expect(receipt.over_budget_chars).toBe(0);
    }
  });

  it('names the source of every budget', () => {
    const impact = explainFlow(flow, world()).steps.find(({ step }) => step === 'impact');
    expect(impact?.budgets).toEqual({
      contextBudgetChars: { value: 300_000, source: 'step' },
      historyRecentChars: { value: 100_000, source: 'step' },
      historyOlderChars: { value: 8_000, source: 'flow' },
    });
  });

  it('with outputs: lists whole, cut, omitted and missing ones', () => {
    const texts = Object.fromEntries(flow.steps.slice(0, 12).map(({ id }, index) => [id, 'x'.repeat(index * 20_000)]));
    const { run, steps } = explainFlow(flow, world(texts), 'r1');
    expect(run).toBe('r1');
    const { receipt, without_output } = steps.find(({ step }) => step === 'test-plan') ?? {};
    expect(without_output).toEqual(['plan']);
    expect(new Set(receipt?.items.map(({ outcome }) => outcome))).toEqual(new Set(['included', 'cut', 'omitted']));
    const { steps_total, chars_left_out } = receipt?.context_truncation ?? {};
    expect(steps_total).toBe(13);
    expect(chars_left_out).toBeGreaterThan(0);
  });
});

it('warns of a value that a guardrail changes', () => {
  const flow = flowOf([flowStep({ budgets: { contextBudgetChars: 6_000_000 } })]);
  const [step] = explainFlow(flow, world()).steps;
  expect(step?.budget_warnings).toMatchObject([{ kind: 'suspicious', set: 6_000_000, used: 600_000, source: 'step' }]);
});
