import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { SummaryTask } from '../../src/flow/curator/summaries.ts';
import type { ReceiptItem } from '../../src/flow/pack/receipt.ts';
import type { PackItem } from '../../src/flow/pack/step-block.ts';
import { startWorld } from '../support/claude.ts';
import { curateIn, HISTORY, names, outputsToSum, startShop } from '../support/curator.ts';
import { briefingIn, runFlowFile, stepText, writeFlow } from '../support/flow-plays.ts';
import { inSoak } from '../support/size.ts';
import type { Call, RecordedRequest } from '../support/standin/scenario.ts';

/** An answer whose beginning says little: the decision stands at its end. */
function answerOf(step: string): string {
  return `Looked at src/${step}.ts.\n${'It was read line by line.\n'.repeat(240)}Decision: ${step} listens on port ${7_000 + step.length}.\n`;
}

/** Sums up by the end of each output, which is where the decision is. */
function summing(request: RecordedRequest): Call {
  const briefing = briefingIn(request);
  if (briefing !== undefined) return { text: answerOf(briefing.step) };
  const summaries = outputsToSum(request).map(({ step, output }) => ({
    step,
    text: `It looked at \`src/${step}.ts\`. ${output.trim().split('\n').at(-1)}`,
  }));
  return names([], [], summaries);
}

const LEAN = { contextBudgetChars: 10_000, historyRecentChars: 7_000, historyOlderChars: 2_000 };
const STEPS = ['one', 'three', 'eleven', 'thirteen', 'seventeen'].map((id) => ({ id, priority: 'medium' }));

inSoak('sums up each step that does not fit, once, and marks the summary in the briefing and the receipt', async () => {
  await using world = await startWorld({ calls: summing });
  const file = writeFlow(world, { budgets: LEAN, curator: { enabled: true }, steps: STEPS });
  const run = await runFlowFile(world, file);
  expect(run.code, run.stderr).toBe(0);

  const receipt = (step: string) => JSON.parse(stepText(world, step, 'receipt.json'));
  const outcomes = ({ items }: { items: ReceiptItem[] }) => items.map(({ step, outcome }) => `${step}: ${outcome}`);
  expect(STEPS.slice(1).map(({ id }) => receipt(id).curation.summed_up)).toEqual([[], ['one'], ['three'], ['eleven']]);
  expect(outcomes(receipt('seventeen'))).toEqual([
    'one: summary',
    'three: summary',
    'eleven: summary',
    'thirteen: included',
  ]);
  const pack = stepText(world, 'seventeen', 'pack.md');
  expect(pack).toMatch(
    /^### Step: one \[OK\]\nSummary by `haiku`, not the step's own words; its output has 6,298 characters; the whole is in `\/.*output\.md`:\n```text\nIt looked at `src\/one\.ts`\. Decision: one listens on port 7003\.\n```$/m,
  );
});

inSoak('the configuration or a profile switches it on, a step off', async () => {
  await using world = await startWorld({ calls: summing });
  const { cwd } = world.scratch;
  const steps = STEPS.slice(0, 3).map((step) =>
    step.id === 'three' ? { ...step, curator: { enabled: false } } : step,
  );
  const file = writeFlow(world, { budgets: LEAN, steps });
  const curatedBy = async (flags: readonly string[]) => {
    const run = await runFlowFile(world, file, { flags });
    expect(run.code, run.stderr).toBe(0);
    const curated = ({ id }: { id: string }) => JSON.parse(stepText(world, id, 'receipt.json')).curation !== undefined;
    return steps.filter(curated).map(({ id }) => id);
  };
  expect(await curatedBy([])).toEqual([]);
  mkdirSync(join(cwd, 'profiles'));
  writeFileSync(join(cwd, 'profiles', 'summed.yaml'), 'curator: {enabled: true}\n');
  expect(await curatedBy(['--profile', 'summed'])).toEqual(['eleven']);
  writeFileSync(join(cwd, '.contextbudgetrc.json'), '{"flow": {"curator": true}}');
  expect(await curatedBy([])).toEqual(['eleven']);
  writeFileSync(join(cwd, 'profiles', 'summed.yaml'), 'curator: {enabled: false}\n');
  expect(await curatedBy(['--profile', 'summed'])).toEqual([]);
});

/** A curator that sums up the plan in these words. */
const summaryOf = (text: string) => names(['parse.ts'], [], [{ step: 'plan', text }]);
const PLAN = { ...HISTORY[0], output: `plan: a.ts has 12 faults in 3 files.\n${'x '.repeat(1_500)}` } as PackItem;
const TASK: SummaryTask = { model: 'haiku', toSummarize: [PLAN], kept: new Map(), summaryChars: 400 };

inSoak('drops only a summary that is too long', async () => {
  await using world = await startShop([summaryOf('It was so. '.repeat(40))]);
  const curation = await curateIn(world, { summaries: TASK });
  expect(curation.receipt.fault).toBe('the summary of plan has 439 characters, more than 400');
  expect(curation.choice).toEqual({ files: ['parse.ts'], steps: [], summaries: new Map() });
  expect([...curation.made]).toEqual([]);
});

inSoak.each([
  {
    name: 'late',
    timeoutSeconds: 3,
    call: { ...summaryOf('It found 12 faults.'), delayMs: 80_000 },
    fault: 'not done after 3 s',
  },
  {
    name: 'too dear',
    timeoutSeconds: 60,
    call: { ...summaryOf('It found 12 faults.'), usage: { cacheCreation: 150_000 } },
    fault: 'Reached maximum budget ($0.05)',
  },
])(
  'a summary that is $name: uses earlier summaries, and is otherwise as without a curator',
  async ({ timeoutSeconds, call, fault }) => {
    await using world = await startShop([call]);
    const curator = { enabled: true, model: 'haiku', timeoutSeconds, maxFiles: 3 };
    const kept = new Map([['parser', { text: 'It parsed.', by: 'haiku' }]]);
    const curation = await curateIn(world, { curator, summaries: { ...TASK, kept } });
    expect(curation).toMatchObject({ made: new Map(), receipt: { fault: expect.stringContaining(fault) } });
    expect(curation.choice).toEqual({ steps: [], files: [], summaries: kept });
  },
);
