import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Budgets } from '../../src/config/config.ts';
import { briefingOf } from '../../src/flow/briefing.ts';
import { readFlow } from '../../src/flow/file/read-flow.ts';
import type { Flow } from '../../src/flow/flow.ts';
import { type Finished, startWorld, type World } from './claude.ts';
import { mainRequests } from './conversation.ts';
import { LARGE_WINDOW, runCtxb, SMALL_WINDOW } from './ctxb.ts';
import { makeOutputs, runFlowFile } from './flow-plays.ts';
import { contextOf } from './results.ts';
import type { RecordedRequest, Scenario } from './standin/scenario.ts';

/** Characters of each step's answer. */
export const ANSWER_CHARS = 12_000;

/** Small enough to bind after some steps, as the larger ones do in a longer flow. */
const BUDGETS: Budgets = { contextBudgetChars: 24_000, historyRecentChars: 8_000, historyOlderChars: 2_000 };

/** One of the two ways of doing the same 25 tasks. */
export interface Growth {
  readonly run: Finished;
  readonly requests: readonly RecordedRequest[];
  /** Tokens of each request: what its messages hold, and what every request has before them. */
  readonly sizes: readonly number[];
  /** Seconds in total. */
  readonly seconds: number;
}

/** The flow of the fixture; its steps have no budgets of their own, so that one size holds for all of them. */
export function longFlow(): Flow {
  const flow = readFlow('fixtures/flows/25-steps.yaml');
  return { ...flow, budgets: BUDGETS, steps: flow.steps.map((step) => ({ ...step, budgets: {} })) };
}

/** The briefing of each step without any output: its task. */
export function tasksOf(flow: Flow): string[] {
  const world = { cwd: '/nowhere', outputs: () => undefined };
  return flow.steps.map((step) => briefingOf(flow, step, world).pack.text);
}

/** Each step in a claude of its own, with a briefing. */
export async function measureFlow(flow: Flow): Promise<Growth> {
  await using world = await startWorld(agent());
  writeFileSync(join(world.scratch.cwd, 'flow.json'), JSON.stringify(flow));
  makeOutputs(world, flow);
  return await measured(world, () => runFlowFile(world, 'flow.json', { claude: SMALL_WINDOW }));
}

/** The same tasks in one conversation, which nothing shortens. */
export async function measureLog(flow: Flow): Promise<Growth> {
  await using world = await startWorld(agent());
  const file = join(world.scratch.cwd, 'tasks.ndjson');
  writeFileSync(
    file,
    tasksOf(flow)
      .map((task) => `${JSON.stringify(task)}\n`)
      .join(''),
  );
  const off = ['--tool-budgets', 'off', '--no-compaction', '--no-mid-turn', '--no-handoff'];
  const run = { flags: ['--prompts', file, ...off], claude: [...LARGE_WINDOW, '-p'] };
  return await measured(world, () => runCtxb(world, run));
}

async function measured({ standin }: World, start: () => Promise<Finished>): Promise<Growth> {
  const begun = performance.now();
  const run = await start();
  const seconds = (performance.now() - begun) / 1_000;
  const requests = mainRequests(standin);
  return { run, requests, sizes: requests.map((request) => contextOf(request)), seconds };
}

/** Answers everything at length, and never twice the same. */
function agent(): Scenario {
  return {
    calls: (request, index) => {
      const line = (count: number) => `Call ${index + 1}, finding ${count}: what was looked at, and what came of it.\n`;
      const text = Array.from({ length: ANSWER_CHARS / 50 }, (_, count) => line(count)).join('');
      return { text: text.slice(0, ANSWER_CHARS), context: contextOf(request) };
    },
  };
}

/** Sums of the first, the first two, … */
export function totals(sizes: readonly number[]): number[] {
  let sum = 0;
  return sizes.map((size) => {
    sum += size;
    return sum;
  });
}

/** Tokens that both have taken after so many steps. */
export interface GrowthRow {
  readonly steps: number;
  readonly flow: number;
  readonly log: number;
}

export function growthRows(flow: Growth, log: Growth, after: readonly number[] = [5, 10, 15, 20, 25]): GrowthRow[] {
  const [flowTotals, logTotals] = [totals(flow.sizes), totals(log.sizes)];
  return after.map((steps) => ({ steps, flow: flowTotals[steps - 1] ?? 0, log: logTotals[steps - 1] ?? 0 }));
}

/** How evenly totals grow: the mean of their second differences, which is 0 for a line and constant for a square. */
export function bend(sizes: readonly number[]): number {
  const [first = 0, last = 0] = [sizes[0], sizes.at(-1)];
  return (last - first) / (sizes.length - 1);
}

export function growthTable(rows: readonly GrowthRow[]): string {
  const cell = (count: number) => count.toLocaleString('en').padStart(12);
  const lines = rows.map(({ steps, flow, log }) => `${String(steps).padStart(5)}${cell(flow)}${cell(log)}`);
  return [`steps${'flow'.padStart(12)}${'one log'.padStart(12)}`, ...lines].join('\n');
}
