import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { BriefingInputs } from '../../../src/flow/briefing.ts';
import type { Flow } from '../../../src/flow/flow.ts';
import { explainFlow, flowExplainText } from '../../../src/flow/report/explain.ts';
import { PLAIN, type Style } from '../../../src/report/style.ts';
import { flowOf, flowStep } from '../../support/packs.ts';

const TAGS = Object.fromEntries(
  Object.keys(PLAIN).map((name) => [name, (text: string) => `<${name}>${text}</${name}>`]),
) as unknown as Style;

const cwd = mkdtempSync(join(tmpdir(), 'ctxb-explain-'));
writeFileSync(join(cwd, 'plan.md'), '');
afterAll(() => rmSync(cwd, { recursive: true }));

function explained(flow: Flow, texts: Readonly<Record<string, string>> = {}) {
  const world: BriefingInputs = {
    cwd,
    outputs: (id) => (texts[id] === undefined ? undefined : { ok: true, output: texts[id], error: undefined }),
  };
  return explainFlow(flow, world, Object.keys(texts).length === 0 ? undefined : 'r1');
}

const SMALL = flowOf(
  [
    flowStep({ id: 'plan', agent: 'work-planner', objective: 'Plan.', outputs: ['plan.md'] }),
    flowStep({ id: 'draft', objective: 'Draft.' }),
    flowStep({ id: 'wait', objective: 'Wait.' }),
    flowStep({ id: 'build', objective: 'Build.', budgets: { contextBudgetChars: 4_000, historyOlderChars: 2_000 } }),
  ],
  { profile: 'daily', profiles: { daily: { budgets: { preset: 'lean' }, curator: {} } } },
);
const TEXTS = { plan: 'p'.repeat(6_000), draft: 'd'.repeat(20_000) };

describe('text', () => {
  it('shows a flow that has run in part', () => {
    const text = flowExplainText(explained(SMALL, TEXTS), PLAIN);
    expect(text.startsWith('flow: 4 steps, profile daily, outputs of run r1\n\nplan (work-planner)\n')).toBe(true);
    expect(text.slice(text.indexOf('\nbuild'))).toBe(`
build
  contextBudgetChars  10,000  step
  historyRecentChars  10,000  preset lean (profile)
  historyOlderChars    2,000  step
  ! contextBudgetChars: 4,000 (step) is below the floor of 10,000; 10,000 is used
  ! historyRecentChars: 30,000 (preset lean (profile)) is above contextBudgetChars, 10,000; 10,000 is used
  briefing: 4,454 of 10,000 characters (45%), of them 107 of notes and task
  no output yet: wait
  files: plan.md
  cut      plan     HIGH   2,000 of 6,000  longer than historyOlderChars, 2,000
  cut      draft  MEDIUM  2,000 of 20,000  longer than historyOlderChars, 2,000
`);
  });

  it('fits a narrow terminal', () => {
    const lines = flowExplainText(explained(SMALL, TEXTS), PLAIN, 44).split('\n');
    expect(lines.filter((line) => line.length > 44)).toEqual([]);
    const at = lines.indexOf('build');
    expect(lines.slice(at + 2, at + 4)).toEqual([
      '  historyRecentChars  10,000  preset lean',
      '                      (profile)',
    ]);
  });

  it('shows a flow that has not run', () => {
    const text = flowExplainText(explained(SMALL), PLAIN);
    expect(text).toContain('4 steps, profile daily, nothing has run yet\n');
    expect(text).toContain('  no output yet: plan, draft, wait\n');
    expect(text).not.toContain('  whole: ');
  });

  it('adds no information by color alone', () => {
    const flow = explained(SMALL, TEXTS);
    const tagged = flowExplainText(flow, TAGS);
    expect(tagged.replaceAll(/<\/?\w+>/g, '')).toBe(flowExplainText(flow, PLAIN));
    expect(tagged).toContain('<yellow>cut      draft');
    expect(tagged).toContain('<yellow>! contextBudgetChars');
    expect(tagged).toContain('<dim>no output yet</dim>');
  });

  it('warns of notes longer than the budget', () => {
    const text = flowExplainText(
      explained(flowOf([flowStep({ prompt: 'x'.repeat(11_000), budgets: { contextBudgetChars: 10_000 } })])),
      TAGS,
    );
    expect(text).toContain('<red>briefing: 11,036 of 10,000 characters (110%)</red>');
    expect(text).toContain('<red>! The teaching notes alone take');
  });

  it('removes control sequences from names', () => {
    const agent = 'a\u001b[2J\nb';
    expect(flowExplainText(explained(flowOf([flowStep({ agent })])), PLAIN)).toContain('next (a[2J b)\n');
  });
});
