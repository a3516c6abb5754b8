import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { BudgetChanges } from '../../src/config/config.ts';
import { type BriefingInputs, briefingOf, budgetWarnings, effectiveBudgets } from '../../src/flow/briefing.ts';
import type { Flow, FlowStep } from '../../src/flow/flow.ts';
import { flowOf, flowStep, headingsOf } from '../support/packs.ts';

const cwd = mkdtempSync(join(tmpdir(), 'ctxb-briefing-'));
afterAll(() => rmSync(cwd, { recursive: true }));

const EMPTY: BriefingInputs = { cwd, outputs: () => undefined };

/** Every step has run and said this. */
function ran(texts: Readonly<Record<string, string>>, world: Partial<BriefingInputs> = {}): BriefingInputs {
  const outputs = (id: string) => {
    const output = texts[id];
    return output === undefined ? undefined : { ok: true, output, error: undefined };
  };
  return { ...EMPTY, outputs, ...world };
}

function stepOf(flow: Flow, id: string): FlowStep {
  const step = flow.steps.find((one) => one.id === id);
  if (step === undefined) throw new Error(`no step ${id}`);
  return step;
}

describe('history', () => {
  const flow = flowOf([flowStep({ id: 'a' }), flowStep({ id: 'b' }), flowStep({ id: 'c' })]);

  it.each([
    { step: 'a', sees: [] },
    { step: 'b', sees: ['a [OK]'] },
    { step: 'c', sees: ['a [OK]', 'b [OK]'] },
  ])('$step sees the steps above it', ({ step, sees }) => {
    const world = ran({ a: 'A', b: 'B', c: 'C' });
    expect(headingsOf(briefingOf(flow, stepOf(flow, step), world).pack.text)).toEqual(sees);
  });

  it('omits a step that has not run', () => {
    const { text, receipt } = briefingOf(flow, stepOf(flow, 'c'), ran({ b: 'B' })).pack;
    expect(headingsOf(text)).toEqual(['b [OK]']);
    expect(receipt.items.map(({ step }) => step)).toEqual(['b']);
  });

  it('shows a failed step with its error and the path of a cut output', () => {
    const output = { ok: false, output: 'x'.repeat(100_000), error: 'exit code 1', path: '/w/.context/output.md' };
    const { text } = briefingOf(flow, stepOf(flow, 'b'), { ...EMPTY, outputs: () => output }).pack;
    expect(headingsOf(text)).toEqual(['a [FAIL]']);
    expect(text).toContain('Error: `exit code 1`');
    expect(text).toContain('the whole is in `/w/.context/output.md`');
  });

  it('uses agent and priority from the flow', () => {
    const steps = [flowStep({ id: 'a', agent: 'doc-writer' }), flowStep({ id: 'b', priority: 'high' }), flowStep()];
    const { receipt } = briefingOf(flowOf(steps), stepOf(flowOf(steps), 'next'), ran({ a: '', b: '' })).pack;
    expect(receipt.items.map(({ agent, tier }) => [agent, tier])).toEqual([
      ['doc-writer', 'LOW'],
      [undefined, 'HIGH'],
    ]);
  });
});

describe('artifacts', () => {
  const flow = flowOf([
    flowStep({ id: 'a', outputs: ['a.md', 'gone.md'] }),
    flowStep({ id: 'b', outputs: ['b.md', 'a.md'] }),
    flowStep({ id: 'c', inputs: ['in.md'], outputs: ['c.md'] }),
    flowStep({ id: 'later', outputs: ['later.md'] }),
  ]);

  it('are the existing files of the seen steps, newest first', () => {
    for (const file of ['a.md', 'b.md', 'c.md', 'in.md', 'later.md']) writeFileSync(join(cwd, file), '');
    const { receipt } = briefingOf(flow, stepOf(flow, 'c'), EMPTY).pack;
    expect(receipt.artifacts.map(({ path }) => path)).toEqual(['b.md', 'a.md']);
  });
});

describe('the task', () => {
  it.each([
    { title: 'a prompt', step: { prompt: 'Ask.', objective: 'Build it.' }, task: 'Ask.' },
    {
      title: 'else to reach the objective',
      step: { objective: 'Build it.' },
      task: 'Reach the objective at the top of this briefing.',
    },
  ])('$title', ({ step, task }) => {
    const flow = flowOf([flowStep(step)]);
    const { text } = briefingOf(flow, stepOf(flow, 'next'), EMPTY).pack;
    expect(text.endsWith(`## Task\n\n${task}\n`)).toBe(true);
    // However it is asked, the objective is told once.
    expect(text.split(`## Objective\n\n${step.objective}\n`)).toHaveLength(2);
    expect(text.split(step.objective)).toHaveLength(2);
  });
});

describe('flow settings', () => {
  const flow = flowOf([flowStep({ id: 'a', agent: 'scribe' }), flowStep({ id: 'b' })], {
    scentTrail: 'hints.md',
  });

  it('inherit global budgets', () => {
    const ofSteps = flowOf([flowStep({ id: 'a', budgets: { historyOlderChars: 600 } }), flowStep({ id: 'b' })]);
    const world = ran({}, { global: { preset: 'lean', contextBudgetChars: 90_000 } });
    const sourceOf = (id: string) => briefingOf(ofSteps, stepOf(ofSteps, id), world).budgets.values;
    expect(sourceOf('b')).toEqual({
      contextBudgetChars: { value: 90_000, source: 'global' },
      historyRecentChars: { value: 30_000, source: 'preset lean (global)' },
      historyOlderChars: { value: 5_000, source: 'preset lean (global)' },
    });
    expect(sourceOf('a').historyOlderChars).toEqual({ value: 600, source: 'step' });
  });

  it('includes hints, if any, in every briefing', () => {
    expect(briefingOf(flow, stepOf(flow, 'a'), EMPTY).pack.text).not.toContain('Scent trail');
    writeFileSync(join(cwd, 'hints.md'), 'The clock runs late.');
    expect(briefingOf(flow, stepOf(flow, 'a'), EMPTY).pack.text).toContain('The clock runs late.');
  });
});

describe('effective budgets', () => {
  const levels = {
    global: { historyOlderChars: 11_000 },
    profile: { historyRecentChars: 22_000, historyOlderChars: 12_000 },
    flow: { contextBudgetChars: 130_000, historyRecentChars: 23_000 },
    step: { historyRecentChars: 24_000 },
  } satisfies Record<string, BudgetChanges>;
  const { global, profile, flow, step } = levels;

  it.each([
    { title: 'nothing', with: {}, older: { value: 10_000, source: 'default' } },
    { title: 'global', with: { global }, older: { value: 11_000, source: 'global' } },
    { title: 'a profile above it', with: { global, profile }, older: { value: 12_000, source: 'profile' } },
    {
      title: 'a profile that is not chosen',
      with: { profile, chosen: false },
      older: { value: 10_000, source: 'default' },
    },
    { title: 'a flow that does not say it', with: { profile, flow }, older: { value: 12_000, source: 'profile' } },
  ])('$title', ({ with: given, older }) => {
    expect(budgetsOf(given).values.historyOlderChars).toEqual(older);
  });

  it('takes each value from the highest level that sets it', () => {
    expect(budgetsOf({ global, profile, flow, step }).values).toEqual({
      contextBudgetChars: { value: 130_000, source: 'flow' },
      historyRecentChars: { value: 24_000, source: 'step' },
      historyOlderChars: { value: 12_000, source: 'profile' },
    });
  });

  it('warns of a value that a guardrail changes', () => {
    const { budgets, warnings } = budgetsOf({ step: { contextBudgetChars: 9 } });
    expect(budgets.contextBudgetChars).toBe(10_000);
    expect(warnings.map(({ field, kind, source }) => [field, kind, source])).toEqual([
      ['contextBudgetChars', 'below_min', 'step'],
      ['historyRecentChars', 'above_total', 'default'],
    ]);
  });

  it.each([
    { title: 'the model of the step names it', known: undefined, chars: 600_000 },
    { title: 'it is known', known: 128_000, chars: 128_000 },
  ])('uses the right window where $title', ({ known, chars }) => {
    const step = flowStep({ model: 'claude-sonnet-4-5[1m]' });
    const { budgets } = effectiveBudgets(flowOf([step]), step, { window: known });
    expect(budgets.contextBudgetChars).toBe(chars);
  });

  function budgetsOf(given: { [L in keyof typeof levels]?: BudgetChanges } & { chosen?: boolean }) {
    const profiles = { p: { budgets: given.profile ?? {}, curator: {} } };
    const chosen = given.profile !== undefined && given.chosen !== false ? 'p' : undefined;
    const step = flowStep({ budgets: given.step ?? {} });
    const flow = flowOf([step], { profile: chosen, profiles, budgets: given.flow ?? {} });
    return effectiveBudgets(flow, step, { global: given.global });
  }
});

const LOW = 'historyOlderChars: 8 (flow) is below the floor of 500; 500 is used';

it.each([
  { title: 'what holds for all steps is told once', own: {}, as: [LOW] },
  {
    title: 'what holds for some is told with their names',
    own: { historyOlderChars: 7 },
    as: [`a, c: ${LOW}`, `b: ${LOW.replace('8 (flow)', '7 (step)')}`],
  },
  { title: 'what is right is not told', own: { historyOlderChars: 600 }, as: [`a, c: ${LOW}`] },
])('$title', ({ own, as }) => {
  const steps = [flowStep({ id: 'a' }), flowStep({ id: 'b', budgets: own }), flowStep({ id: 'c' })];
  expect(budgetWarnings(flowOf(steps, { budgets: { historyOlderChars: 8 } }), steps, () => ({}))).toEqual(as);
});

it('knows the global settings and the window of each step', () => {
  const steps = [flowStep({ id: 'a' }), flowStep({ id: 'b' })];
  const global = { historyRecentChars: 100_000 };
  const worldOf = ({ id }: { readonly id: string }) => ({ global, window: id === 'a' ? 1_000_000 : 60_000 });
  expect(budgetWarnings(flowOf(steps), steps, worldOf)).toEqual([
    'b: historyRecentChars: 100,000 (global) is above contextBudgetChars, 60,000; 60,000 is used',
  ]);
});
