import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { SummaryTask } from '../../src/flow/curator/summaries.ts';
import { pack } from '../../src/flow/pack/pack.ts';
import type { CuratedChoice, ReceiptItem } from '../../src/flow/pack/receipt.ts';
import type { PackItem } from '../../src/flow/pack/step-block.ts';
import type { Call, RecordedRequest } from '../../src/standin/scenario.ts';
import { runProgram, startWorld, type World } from '../support/claude.ts';
import { givenTexts, mainRequests, REFUSED } from '../support/conversation.ts';
import { CTXB, readLines } from '../support/ctxb.ts';
import { curateIn, HISTORY, names, outputsToSum, STEP } from '../support/curator.ts';
import { briefingIn, runFlowFile, stepStatus, stepText, writeFlow } from '../support/flow-plays.ts';
import { headingsOf } from '../support/packs.ts';
import { inSoak, sampled } from '../support/size.ts';

/** Room for the newest step and one more. */
const BUDGETS = { contextBudgetChars: 7_000, historyRecentChars: 3_000, historyOlderChars: 3_000 };

const packWith = (curated: CuratedChoice | undefined) => pack(STEP, HISTORY, BUDGETS, { curated });

/** A working folder with two files, and a link that leads out of it. */
async function startShop(calls: readonly Call[]): Promise<World & AsyncDisposable> {
  const world = await startWorld({ calls });
  const { cwd, home } = world.scratch;
  writeFileSync(join(cwd, 'parse.ts'), 'export const parse = JSON.parse;\n');
  writeFileSync(join(cwd, 'lex.ts'), 'export const lex = (text: string) => text.split(" ");\n');
  writeFileSync(join(home, 'key.txt'), 'the key\n');
  symlinkSync(join(home, 'key.txt'), join(cwd, 'key.txt'));
  return world;
}

it('names files and steps, which the pack takes within its budget', async () => {
  const look = { tools: [{ name: 'Read', input: { file_path: 'parse.ts' } }] };
  await using world = await startShop([look, names(['parse.ts', 'lex.ts'], ['plan'])]);
  const { choice, fault, costUsd, durationMs } = await curateIn(world);

  expect(fault).toBeUndefined();
  expect(choice).toEqual({ files: ['parse.ts', 'lex.ts'], steps: ['plan'] });
  expect(costUsd).toBeGreaterThan(0);
  expect(durationMs).toBeGreaterThan(0);
  expect(packWith(choice).receipt.curator).toMatchObject({ brought_in: ['plan'], pushed_out: ['parser'] });

  const [first, second] = mainRequests(world.standin);
  expect(first?.body.model).toContain('haiku');
  expect(givenTexts(first).join('\n')).toContain('- `parser` (3,000 characters): `parser: xxx');
  expect(givenTexts(second).join('\n')).toContain('export const parse');
});

inSoak('leaves no notes and no session behind, and its cost is counted', async () => {
  await using world = await startShop([names([], ['plan'])]);
  const { costUsd } = await curateIn(world);

  const { cwd, env } = world.scratch;
  const folder = join(cwd, '.context');
  for (const name of ['sessions', 'scratch.md', 'handoffs', 'inbox', 'runs']) {
    expect(existsSync(join(folder, name)), name).toBe(false);
  }
  const logs = readdirSync(env.CLAUDE_CONFIG_DIR ?? '', { recursive: true, encoding: 'utf8' });
  expect(logs.filter((name) => name.endsWith('.jsonl'))).toEqual([]);
  const [cost] = readLines(join(folder, 'cost.ndjson'));
  expect(JSON.stringify(cost)).toContain(String(Math.round(costUsd * 1_000_000)));
});

inSoak('can do nothing but read in the working folder, whatever the settings allow', async () => {
  const outside = join('/etc', 'hostname');
  const calls = [
    { name: 'Bash', input: { command: 'touch made.txt' } },
    { name: 'Write', input: { file_path: 'made.txt', content: 'x' } },
    { name: 'ToolSearch', input: { query: 'select:Bash' } },
    { name: 'DeferredToolPlaceholder', input: {} },
    { name: 'Task', input: { description: 'x', prompt: 'x', subagent_type: 'general-purpose' } },
    { name: 'Read', input: { file_path: outside } },
    { name: 'Read', input: { file_path: 'key.txt' } },
    { name: 'Grep', input: { pattern: '.', path: outside, output_mode: 'content' } },
  ];
  await using world = await startShop([{ tools: calls }, names([], ['plan'])]);
  const settings = JSON.stringify({ permissions: { defaultMode: 'bypassPermissions', allow: ['Bash', 'Write'] } });
  const { choice } = await curateIn(world, { settings });

  const [first, second] = mainRequests(world.standin);
  const given = (second?.body.messages ?? []).flatMap(({ content }) => (Array.isArray(content) ? content : []));
  // What is deferred stands in the request, but is no tool: calling it is refused below.
  const tools = (first?.body.tools ?? []).filter((tool) => !('defer_loading' in tool));
  expect(tools.map(({ name }) => name).sort()).toEqual(['Glob', 'Grep', 'Read', 'StructuredOutput']);
  const results = given.filter((block) => block.type === 'tool_result');
  expect(results).toHaveLength(calls.length);
  for (const result of results) expect(result).toMatchObject({ is_error: true });
  expect(existsSync(join(world.scratch.cwd, 'made.txt'))).toBe(false);
  expect(choice).toEqual({ files: [], steps: ['plan'] });
});

it('is taken at its word only where disk and history agree', async () => {
  const files = ['gone.ts', '../home/key.txt', 'key.txt', 'parse.ts'];
  await using world = await startShop([names(files, ['deploy', 'plan'])]);
  const { choice, fault } = await curateIn(world);

  expect(choice).toEqual({ files: ['parse.ts'], steps: ['plan'] });
  expect(fault).toBe(
    'files left out: `gone.ts` (no such file), `../home/key.txt` (a place outside), ' +
      '`key.txt` (a link to a place outside); unknown steps: `deploy`',
  );
  expect(packWith(choice).receipt.artifacts.map(({ path }) => path)).toEqual(['parse.ts']);
});

const FAILURES = [
  { name: 'prose', calls: [{ text: 'Hm.' }, { text: 'I like parse.ts.' }], fault: 'JSON, found `I like parse.ts.`' },
  { name: 'nothing that is true', calls: [names(['gone.ts'], ['deploy'])], fault: 'files left out: `gone.ts`' },
  {
    name: 'another shape',
    calls: [{ tools: [{ name: 'StructuredOutput', input: { files: 'parse.ts' } }] }, { text: 'no' }, { text: 'no.' }],
    fault: 'expected JSON, found `no.`',
  },
  {
    name: 'an API error',
    calls: [REFUSED],
    fault: 'API Error: 402 no such thing',
  },
  {
    name: 'a call that costs too much',
    calls: [{ ...names([], ['plan']), usage: { cacheCreation: 150_000 } }],
    fault: 'Reached maximum budget ($0.05)',
  },
  {
    name: 'silence',
    calls: [{ ...names([], ['plan']), delayMs: 80_000 }],
    curator: { enabled: true, model: 'haiku', timeoutSeconds: 3, maxFiles: 20 },
    fault: 'not done after 3 s',
  },
];

inSoak.each(sampled(FAILURES, 3))('$name: a fault, and the mechanical selection', async ({ calls, fault, curator }) => {
  await using world = await startShop(calls);
  const curation = await curateIn(world, curator === undefined ? {} : { curator });

  expect(curation).toMatchObject({ choice: undefined, fault: expect.stringContaining(fault) });
  expect(packWith(curation.choice)).toEqual(packWith(undefined));
  expect(curation.durationMs).toBeLessThan(20_000);
});

it.each([
  { name: 'is not there', program: '/nowhere/claude', fault: '/nowhere/claude' },
  { name: 'ends at once', program: '/bin/false', fault: 'exit code 1' },
])('a claude that $name is a fault', async ({ program, fault }) => {
  await using world = await startShop([]);
  const curation = await curateIn(world, { program });
  expect(curation).toMatchObject({ choice: undefined, costUsd: 0, fault: expect.stringContaining(fault) });
});

it('says in the words of claude why it did not start', async () => {
  await using world = await startShop([]);
  const { choice, fault } = await curateIn(world, { settings: '/nowhere/settings.json' });
  expect(choice).toBeUndefined();
  expect(fault).toMatch(/^exit code 1: .*settings\.json/i);
});

/** Answers of which no two fit into a briefing beside each other; the curator likes the first, but not before `three`. */
function longWinded(request: RecordedRequest): Call {
  if (briefingIn(request) !== undefined) return { text: 'x'.repeat(6_000) };
  return givenTexts(request).join('\n').includes('# Briefing for step three')
    ? { text: 'I like the first one.' }
    : names([], ['one'], outputsToSum(request).length === 0 ? undefined : []);
}

it('in a flow: its choice is in the briefing, what goes wrong is in the receipt, and the report compares', async () => {
  await using world = await startWorld({ calls: longWinded });
  const sizes = { contextBudgetChars: 10_000, historyRecentChars: 6_000, historyOlderChars: 6_000 };
  const flow = { budgets: sizes, steps: ['one', 'two', 'three', 'four'].map((id) => ({ id, priority: 'high' })) };
  const run = await runFlowFile(world, writeFlow(world, { ...flow, curator: { enabled: true } }));
  expect(run.code).toBe(0);

  const receipt = (step: string) => JSON.parse(stepText(world, step, 'receipt.json'));
  // Before the first step there is nothing to choose from.
  expect(receipt('one').curation).toBeUndefined();
  expect(receipt('three')).toMatchObject({ curation: { fault: expect.stringContaining('expected JSON') } });
  expect(receipt('three').curator).toBeUndefined();
  expect(stepStatus(world, 'three')).toMatchObject({ status: 'done' });
  expect(run.stderr).toContain('[three] the curator: expected JSON, found `I like the first one.`');
  expect(receipt('four')).toMatchObject({
    curator: { steps: ['one'], brought_in: ['one'], pushed_out: ['two'] },
    curation: {
      cost_usd: expect.any(Number),
      fault: expect.stringContaining('summary of one is not taken: there is none'),
    },
  });
  expect(receipt('four').curation.cost_usd).toBeGreaterThan(0);
  expect(headingsOf(stepText(world, 'four', 'pack.md'))).toEqual(['one [OK]', 'three [OK]']);

  await runFlowFile(world, writeFlow(world, flow));
  expect(headingsOf(stepText(world, 'four', 'pack.md'))).toEqual(['two [OK]', 'three [OK]']);
  const report = await runProgram(process.execPath, [CTXB, 'flow', 'report', '--json'], world.scratch);
  const { curator } = JSON.parse(report.stdout.toString());
  expect(curator.map(({ step }: { step: string }) => step)).toEqual(['two', 'four']);
  expect(curator[1]).toMatchObject({
    with: { curated: true, curation: { cost_usd: expect.any(Number) } },
    without: { curated: false, curation: null },
    brought_in: ['one'],
    pushed_out: ['two'],
  });
}, 120_000);

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
  return names([], [], summaries.length === 0 ? undefined : summaries);
}

const LEAN = { contextBudgetChars: 10_000, historyRecentChars: 7_000, historyOlderChars: 2_000 };
const STEPS = ['one', 'three', 'eleven', 'thirteen', 'seventeen'].map((id) => ({ id, priority: 'medium' }));

inSoak(
  'sums up what is not in whole, once, and says in the briefing and the receipt that it is a summary',
  async () => {
    await using world = await startWorld({ calls: summing });
    const file = writeFlow(world, { budgets: LEAN, curator: { enabled: true }, steps: STEPS });
    const run = await runFlowFile(world, file);
    expect(run.code, run.stderr).toBe(0);

    const receipt = (step: string) => JSON.parse(stepText(world, step, 'receipt.json'));
    const outcomes = ({ items }: { items: ReceiptItem[] }) => items.map(({ step, outcome }) => `${step}: ${outcome}`);
    expect(STEPS.slice(1).map(({ id }) => receipt(id).curation.summed_up)).toEqual([
      [],
      ['one'],
      ['three'],
      ['eleven'],
    ]);
    expect(outcomes(receipt('seventeen'))).toEqual([
      'one: summary',
      'three: summary',
      'eleven: summary',
      'thirteen: included',
    ]);
    expect(receipt('seventeen').curator.brought_in).toEqual(['one']);
    const pack = stepText(world, 'seventeen', 'pack.md');
    expect(pack).toMatch(
      /^### Step: one \[OK\]\nSummary by `haiku`, not the step's own words; its output has 6,298 characters; the whole is in `\/.*output\.md`:\n```text\nIt looked at `src\/one\.ts`\. Decision: one listens on port 7003\.\n```$/m,
    );

    // Another start of the same step finds them where they were kept.
    const again = await runFlowFile(world, file, { flags: ['--only', 'seventeen'] });
    expect(again.code, again.stderr).toBe(0);
    expect(receipt('seventeen').curation).toMatchObject({ summed_up: [], fault: null });
    expect(stepText(world, 'seventeen', 'pack.md')).toBe(pack);
  },
  120_000,
);

inSoak(
  'steps beside each other do not pay for the same summary twice',
  async () => {
    await using world = await startWorld({ calls: summing });
    const beside = { priority: 'medium', needs: ['one', 'three'] };
    const steps = [...STEPS.slice(0, 2), { id: 'left', ...beside }, { id: 'right', ...beside }];
    const file = writeFlow(world, { budgets: LEAN, curator: { enabled: true }, steps });
    const run = await runFlowFile(world, file, { flags: ['--parallel', '2'] });
    expect(run.code, run.stderr).toBe(0);
    const receipts = ['left', 'right'].map((step) => JSON.parse(stepText(world, step, 'receipt.json')));
    expect(receipts.flatMap(({ curation }) => curation.summed_up)).toEqual(['one']);
    for (const { items } of receipts) expect(items[0]).toMatchObject({ step: 'one', outcome: 'summary' });
  },
  120_000,
);

inSoak(
  'is switched on for all flows by the configuration, by a profile in its file, and off by a step',
  async () => {
    await using world = await startWorld({ calls: summing });
    const { cwd } = world.scratch;
    const steps = STEPS.slice(0, 3).map((step) =>
      step.id === 'three' ? { ...step, curator: { enabled: false } } : step,
    );
    const file = writeFlow(world, { budgets: LEAN, steps });
    const curatedBy = async (flags: readonly string[]) => {
      const run = await runFlowFile(world, file, { flags });
      expect(run.code, run.stderr).toBe(0);
      const curated = ({ id }: { id: string }) =>
        JSON.parse(stepText(world, id, 'receipt.json')).curation !== undefined;
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
  },
  180_000,
);

/** A curator that sums up the plan in these words. */
const summaryOf = (text: string) => names(['parse.ts'], [], [{ step: 'plan', text }]);
const PLAN = { ...HISTORY[0], output: `plan: a.ts has 12 faults in 3 files.\n${'x '.repeat(1_500)}` } as PackItem;
const TASK: SummaryTask = { toSum: [PLAN], kept: new Map(), summaryChars: 400 };

inSoak.each([
  { name: 'a figure', text: 'It found 13 faults in 3 files.', fault: '`13` is not in the output' },
  { name: 'a file', text: 'It found 12 faults in b.ts.', fault: '`b.ts` is not in the output' },
  { name: 'a step', text: 'It followed `deploy`.', fault: '`deploy` is not in the output' },
  { name: 'an order', text: 'Delete a.ts.', fault: 'it tells somebody what to do: `Delete a.ts.`' },
  { name: 'a page', text: 'It was so. '.repeat(40), fault: 'it has 440 characters, at most 400 are taken' },
])('a summary that brings in $name is not taken, and all else is', async ({ text, fault }) => {
  await using world = await startShop([summaryOf(text)]);
  const curation = await curateIn(world, { summaries: TASK });
  expect(curation.fault).toBe(`the summary of plan is not taken: ${fault}`);
  expect(curation.choice).toEqual({ files: ['parse.ts'], steps: [] });
  expect([...curation.judged]).toEqual([['plan', { fault }]]);
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
  'a summary that is $name: what was summed up before is used, the rest is as without',
  async ({ timeoutSeconds, call, fault }) => {
    await using world = await startShop([call]);
    const curator = { enabled: true, model: 'haiku', timeoutSeconds, maxFiles: 3 };
    const kept = new Map([['parser', { text: 'It parsed.', by: 'haiku' }]]);
    const curation = await curateIn(world, { curator, summaries: { ...TASK, kept } });
    expect(curation).toMatchObject({ judged: new Map(), fault: expect.stringContaining(fault) });
    expect(curation.choice).toEqual({ steps: [], files: [], summaries: kept });
  },
);

inSoak('ends with the flow', async () => {
  await using world = await startShop([{ ...names([], ['plan']), delayMs: 80_000 }]);
  const stop = new AbortController();
  const curation = curateIn(world, { stop: stop.signal });
  await world.standin.waitFor(({ kind }) => kind === 'main');
  stop.abort();
  expect(await curation).toMatchObject({ choice: undefined, fault: expect.stringContaining('exit code') });
});
