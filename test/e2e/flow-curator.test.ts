import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { pack } from '../../src/flow/pack/pack.ts';
import type { CuratedChoice } from '../../src/flow/pack/priority.ts';
import { stateFolder } from '../../src/store/folders/user-folders.ts';
import { startWorld } from '../support/claude.ts';
import { givenTexts, mainRequests, REFUSED } from '../support/conversation.ts';
import { costEntries } from '../support/cost-ledger.ts';
import { curateIn, HISTORY, names, STEP, startShop } from '../support/curator.ts';
import { briefingIn, runFlowFile, stepStatus, stepText, writeFlow } from '../support/flow-plays.ts';
import { headingsOf } from '../support/packs.ts';
import { inSoak, sampled } from '../support/size.ts';
import type { Call, RecordedRequest } from '../support/standin/scenario.ts';

/** Room for the newest step and one more. */
const BUDGETS = { contextBudgetChars: 7_000, historyRecentChars: 3_000, historyOlderChars: 3_000 };

const packWith = (curated: CuratedChoice | undefined) => pack(STEP, HISTORY, BUDGETS, { curated });

it('names files and steps, and the briefing takes them within its budget', async () => {
  const look = { tools: [{ name: 'Read', input: { file_path: 'parse.ts' } }] };
  await using world = await startShop([look, names(['parse.ts', 'lex.ts'], ['plan'])]);
  const { choice, receipt } = await curateIn(world);

  expect(receipt.fault).toBeNull();
  expect(choice).toEqual({ files: ['parse.ts', 'lex.ts'], steps: ['plan'], summaries: new Map() });
  expect(receipt.cost_usd).toBeGreaterThan(0);
  expect(receipt.duration_ms).toBeGreaterThan(0);
  const included = (steps: readonly string[]) =>
    packWith({ files: ['parse.ts', 'lex.ts'], steps }).receipt.items.flatMap(({ step, outcome }) =>
      outcome === 'omitted' ? [] : [step],
    );
  expect([included([]), included(['plan'])].map((steps) => steps.includes('plan'))).toEqual([false, true]);

  const [first, second] = mainRequests(world.standin);
  expect(first?.body.model).toContain('haiku');
  expect(givenTexts(first).join('\n')).toContain('- `parser` (3,000 characters): `parser: xxx');
  expect(givenTexts(second).join('\n')).toContain('export const parse');
});

inSoak('leaves no notes and no session behind; its cost counts', async () => {
  await using world = await startShop([names([], ['plan'])]);
  const { receipt } = await curateIn(world);

  const { cwd, env } = world.scratch;
  const folder = join(cwd, '.context');
  for (const name of ['sessions', 'scratch.md', 'handoffs', 'runs']) {
    expect(existsSync(join(folder, name)), name).toBe(false);
  }
  const logs = readdirSync(env.CLAUDE_CONFIG_DIR ?? '', { recursive: true, encoding: 'utf8' });
  expect(logs.filter((name) => name.endsWith('.jsonl'))).toEqual([]);
  const sums = costEntries(stateFolder(env) ?? '').map(({ microUsd }) => Number(microUsd));
  expect(sums.reduce((sum, each) => sum + each, 0)).toBe(Math.round(receipt.cost_usd * 1_000_000));
});

inSoak('can only read in the working folder, whatever the settings allow', async () => {
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
  expect(choice).toMatchObject({ files: [], steps: ['plan'] });
});

it('uses an answer only if the disk and the history confirm it', async () => {
  const files = ['gone.ts', '../home/key.txt', 'key.txt', 'parse.ts'];
  await using world = await startShop([names(files, ['deploy', 'plan'])]);
  const { choice, receipt } = await curateIn(world);

  expect(choice).toMatchObject({ files: ['parse.ts'], steps: ['plan'] });
  expect(receipt.fault).toBe(
    '`gone.ts`: no such file; `../home/key.txt`: a place outside; ' +
      '`key.txt`: a link to a place outside; `deploy`: no such step',
  );
  expect(packWith(choice).receipt.artifacts.map(({ path }) => path)).toEqual(['parse.ts']);
});

/** The choice after a failure. */
const NOTHING: CuratedChoice = { files: [], steps: [], summaries: new Map() };

const FAILURES = [
  {
    name: 'prose',
    calls: [{ text: 'Hm.' }, { text: 'I like parse.ts.' }],
    fault: 'summaries, found `I like parse.ts.`',
  },
  { name: 'nothing that is true', calls: [names(['gone.ts'], ['deploy'])], fault: '`gone.ts`: no such file' },
  {
    name: 'another shape',
    calls: [{ tools: [{ name: 'StructuredOutput', input: { files: 'parse.ts' } }] }, { text: 'no' }, { text: 'no.' }],
    fault: 'found `no.`',
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

  expect(curation).toMatchObject({ choice: NOTHING, receipt: { fault: expect.stringContaining(fault) } });
  expect(packWith(curation.choice).text).toEqual(packWith(undefined).text);
  expect(curation.receipt.duration_ms).toBeLessThan(20_000);
});

it.each([
  { name: 'is not there', program: '/nowhere/claude', fault: '/nowhere/claude' },
  { name: 'ends at once', program: '/bin/false', fault: 'exit code 1' },
])('a claude that $name is a fault', async ({ program, fault }) => {
  await using world = await startShop([]);
  const curation = await curateIn(world, { program });
  expect(curation).toMatchObject({ choice: NOTHING, receipt: { cost_usd: 0, fault: expect.stringContaining(fault) } });
});

it("reports claude's own error if it does not start", async () => {
  await using world = await startShop([]);
  const { choice, receipt } = await curateIn(world, { settings: '/nowhere/settings.json' });
  expect(choice).toEqual(NOTHING);
  expect(receipt.fault).toMatch(/^exit code 1: .*settings\.json/i);
});

/** Answers of which no two fit into a briefing beside each other; the curator likes the first, but not before `three`. */
function longWinded(request: RecordedRequest): Call {
  if (briefingIn(request) !== undefined) return { text: 'x'.repeat(6_000) };
  return givenTexts(request).join('\n').includes('# Briefing for step three')
    ? { text: 'I like the first one.' }
    : names([], ['one']);
}

it('in a flow: the briefing has its choice, and the receipt its faults', async () => {
  await using world = await startWorld({ calls: longWinded });
  const sizes = { contextBudgetChars: 10_000, historyRecentChars: 6_000, historyOlderChars: 6_000 };
  const flow = { budgets: sizes, steps: ['one', 'two', 'three', 'four'].map((id) => ({ id, priority: 'high' })) };
  const run = await runFlowFile(world, writeFlow(world, { ...flow, curator: { enabled: true } }));
  expect(run.code).toBe(0);

  const receipt = (step: string) => JSON.parse(stepText(world, step, 'receipt.json'));
  // Before the first step there is nothing to choose from.
  expect(receipt('one').curation).toBeUndefined();
  expect(receipt('three')).toMatchObject({ curation: { fault: expect.stringContaining('expected JSON') } });
  expect(receipt('three').curator).toEqual({ steps: [], files: [] });
  expect(stepStatus(world, 'three')).toMatchObject({ status: 'done' });
  expect(run.stderr).toContain(
    '[three] the curator: expected JSON with files, steps and summaries, found `I like the first one.`',
  );
  expect(receipt('four')).toMatchObject({
    curator: { steps: ['one'] },
    curation: {
      cost_usd: expect.any(Number),
      fault: expect.stringContaining('the summary of one is missing'),
    },
  });
  expect(receipt('four').curation.cost_usd).toBeGreaterThan(0);
  // Without a choice, the newest two are there: `test/flow/pack` holds that.
  expect(headingsOf(stepText(world, 'four', 'pack.md'))).toEqual(['one [OK]', 'three [OK]']);
});

inSoak('ends with the flow', async () => {
  await using world = await startShop([{ ...names([], ['plan']), delayMs: 80_000 }]);
  const stop = new AbortController();
  const curation = curateIn(world, { stop: stop.signal });
  await world.standin.waitFor(({ kind }) => kind === 'main');
  stop.abort();
  expect(await curation).toMatchObject({ choice: NOTHING, receipt: { fault: expect.stringContaining('exit code') } });
});
