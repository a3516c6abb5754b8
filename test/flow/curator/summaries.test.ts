import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkAnswer } from '../../../src/flow/curator/question.ts';
import { createSummaries } from '../../../src/flow/curator/summaries.ts';
import { pack } from '../../../src/flow/pack/pack.ts';
import type { PackItem } from '../../../src/flow/pack/step-block.ts';
import { openFlowRun } from '../../../src/store/runs/flow-run.ts';
import { flowStep, packItem } from '../../support/packs.ts';

let folder = '';
let summaries: ReturnType<typeof createSummaries>;

beforeEach(() => {
  folder = join(mkdtempSync(join(tmpdir(), 'ctxb-summaries-')), '.context');
  summaries = createSummaries(openFlowRun(folder, 'run'));
});
afterEach(() => rmSync(dirname(folder), { recursive: true, force: true }));

const BUDGETS = { contextBudgetChars: 100_000, historyRecentChars: 9_000, historyOlderChars: 2_000 };
const item = (stepId: string, chars: number, more: Partial<PackItem> = {}) =>
  packItem({ stepId, output: `${stepId} `.padEnd(chars, 'x'), ...more });
const taskFor = (history: readonly PackItem[], budgets = BUDGETS, model = 'haiku') =>
  summaries.taskFor(history, pack(flowStep(), history, budgets).receipt.items, model, budgets);
const idsOf = ({ toSummarize }: { toSummarize: readonly PackItem[] }) => toSummarize.map(({ stepId }) => stepId);

describe('requested summaries', () => {
  it('cover shortened outputs, newest first, except those of the newest step, a critical step, and short ones', () => {
    const critical = item('critical', 10_000, { priority: 'critical' });
    const history = [item('a', 5_000), critical, item('whole', 1_500), item('b', 3_000), item('newest', 20_000)];
    const task = taskFor(history);
    expect(idsOf(task)).toEqual(['b', 'a']);
    expect(task.summaryChars).toBe(600);
  });

  it('cover omitted outputs, and critical ones below their limit', () => {
    const critical = item('critical', 8_000, { priority: 'critical' });
    const history = [critical, item('short', 500), item('newest', 9_000)];
    expect(idsOf(taskFor(history, { ...BUDGETS, contextBudgetChars: 10_000 }))).toEqual(['critical']);
  });

  it('are limited per curator run', () => {
    const many = Array.from({ length: 12 }, (_, index) => item(`s${index}`, 3_000));
    expect(idsOf(taskFor(many))).toEqual(['s10', 's9', 's8', 's7', 's6', 's5']);
    const large = Array.from({ length: 5 }, (_, index) => item(`s${index}`, 50_000));
    expect(idsOf(taskFor(large))).toEqual(['s3', 's2']);
  });

  it.each([
    { historyOlderChars: 500, chars: 400 },
    { historyOlderChars: 10_000, chars: 3_000 },
    { historyOlderChars: 100_000, chars: 4_000 },
  ])('allow $chars characters for historyOlderChars $historyOlderChars', ({ historyOlderChars, chars }) => {
    expect(taskFor([item('a', 1_000)], { ...BUDGETS, historyOlderChars }).summaryChars).toBe(chars);
  });
});

describe('stored summaries', () => {
  const history = [item('a', 5_000), item('b', 5_000), item('newest', 1)];
  const answer = (task: ReturnType<typeof taskFor>) =>
    checkAnswer(
      {
        files: [],
        steps: [],
        summaries: [
          { step: 'a', text: ' It did. ' },
          { step: 'b', text: 'It has 7. '.repeat(100) },
          { step: 'z', text: 'No.' },
        ],
      },
      { ...task, steps: new Set(), maxFiles: 0, find: () => ({ fault: 'no such file' }) },
    );

  it('are reused, and rejected ones are requested again', () => {
    const task = taskFor(history);
    const checked = answer(task);
    expect(checked.faults).toEqual(['the summary of b has 999 characters, more than 600']);
    summaries.keep(task, checked.made);
    const again = taskFor(history);
    expect(idsOf(again)).toEqual(['b']);
    expect([...again.kept]).toEqual([['a', { text: 'It did.', by: 'haiku' }]]);
  });

  it.each([
    { title: 'another output', change: [item('a', 5_001), ...history.slice(1)], model: 'haiku', asked: ['b', 'a'] },
    { title: 'another model', change: history, model: 'sonnet', asked: ['b', 'a'] },
    { title: 'another length', change: history, model: 'haiku', older: 3_000, asked: ['b', 'a'] },
  ])('are ignored for $title', ({ change, model, older = 2_000, asked }) => {
    const task = taskFor(history);
    summaries.keep(task, answer(task).made);
    expect(idsOf(taskFor(change, { ...BUDGETS, historyOlderChars: older }, model))).toEqual(asked);
  });

  it('are ignored if another program wrote them', () => {
    const files = openFlowRun(folder, 'run');
    const task = taskFor(history);
    summaries.keep(task, answer(task).made);
    const [name = ''] = readdirSync(join(files.folder, 'a'));
    writeFileSync(join(files.folder, 'a', name), '{"version":2,"text":"It did."}');
    expect(taskFor(history)).toMatchObject({ toSummarize: [{ stepId: 'b' }, { stepId: 'a' }], kept: new Map() });
  });
});
