import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { codePoints } from '../../src/core/governor/gauge/token-estimate.ts';
import { effectiveBudgets } from '../../src/flow/briefing.ts';
import { readFlow } from '../../src/flow/file/read-flow.ts';
import type { Flow } from '../../src/flow/flow.ts';
import { runProgram, startWorld } from '../support/claude.ts';
import { givenTexts, mainRequests } from '../support/conversation.ts';
import { SMALL_WINDOW } from '../support/ctxb.ts';
import { type CuratedStep, curatedTable, measureCurated } from '../support/curated-flow.ts';
import {
  ANSWER_CHARS,
  bend,
  growthRows,
  growthTable,
  longFlow,
  measureFlow,
  measureLog,
  tasksOf,
} from '../support/flow-growth.ts';
import { briefingIn, makeOutputs, runFlowFile } from '../support/flow-plays.ts';
import { PAGES } from '../support/pages.ts';
import { contextOf } from '../support/results.ts';
import { inSoak } from '../support/size.ts';
import type { RecordedRequest } from '../support/standin/scenario.ts';

// A hundred starts of claude. `flow.test.ts` and `flow-report.test.ts` hold the same for few steps every day.

/** Code points that ctxb's hooks say in the first request of a session, at most. */
const HOOKS_WORDS = 500;

/** Code points of the first request of a session that claude has alone, whose prompt is next to nothing. */
async function claudesOwnWords(): Promise<number> {
  await using world = await startWorld({ calls: [] });
  await runProgram(world.claude, ['-p', 'go', ...SMALL_WINDOW], world.scratch);
  return codePoints(givenTexts(mainRequests(world.standin)[0]).join(''));
}

/** Every step has asked once, with its own notes whole and within its own budget. */
async function expectBriefings(flow: Flow, requests: readonly RecordedRequest[]): Promise<void> {
  const ownWords = (await claudesOwnWords()) + HOOKS_WORDS;
  const asked = requests.map((request) => briefingIn(request)?.step);
  expect(asked).toEqual(flow.steps.map(({ id }) => id));
  for (const [index, step] of flow.steps.entries()) {
    const request = requests[index];
    const { text = '' } = briefingIn(request) ?? {};
    const { objective = '', inputs, outputs, teaching } = step;
    const notes = [objective, ...inputs, ...outputs, ...teaching.emphasis, ...teaching.constraints];
    for (const note of notes) expect(text.split(/^## Earlier steps$/m)[0]).toContain(note);
    const budget = effectiveBudgets(flow, step, {}).budgets.contextBudgetChars;
    expect(codePoints(text)).toBeLessThanOrEqual(budget);
    expect(codePoints(givenTexts(request).join(''))).toBeLessThanOrEqual(budget + ownWords);
  }
}

inSoak(
  '25 steps: the total of a flow grows linearly, that of one long conversation with the square',
  async () => {
    const flow = longFlow();
    const flowRun = await measureFlow(flow);
    const logRun = await measureLog(flow);
    for (const { run } of [flowRun, logRun]) expect(run.code, run.stderr).toBe(0);
    await expectBriefings(flow, flowRun.requests);
    // Both were asked the same: each task stands in the request that it is the newest of.
    expect(logRun.requests).toHaveLength(25);
    for (const [index, task] of tasksOf(flow).entries()) {
      const words = givenTexts(logRun.requests[index]);
      expect(words.some((text) => text.trim() === task.trim())).toBe(true);
    }

    console.log(growthTable(growthRows(flowRun, logRun)));
    console.log(`a step: ${(flowRun.seconds / 25).toFixed(2)} s on average`);
    // What every answer adds to the conversation is asked again with every later task.
    const square = bend(logRun.sizes);
    expect(square).toBeGreaterThan(ANSWER_CHARS / 4);
    for (const from of [0, 8, 16]) {
      expect(bend(logRun.sizes.slice(from, from + 9)) / square).toBeCloseTo(1, 1);
    }
    // From the step on at which the budget binds, a step of the flow asks no more than the one before.
    const line = flowRun.sizes.slice(8);
    expect(Math.abs(bend(line))).toBeLessThan(square / 50);
    expect(Math.max(...line) / Math.min(...line)).toBeLessThan(1.05);
  },
  240_000,
);

inSoak(
  '25 steps with the budgets of the file: each step has its whole notes, and stays within its own budget',
  async () => {
    // Long enough for a cut in every step, and for packs that are full in the last ones.
    await using world = await startWorld({
      calls: (request) => ({ text: 'A finding, and what came of it.\n'.repeat(400), context: contextOf(request) }),
    });
    cpSync('fixtures/flows/25-steps.yaml', join(world.scratch.cwd, '25-steps.yaml'));
    const flow = readFlow('fixtures/flows/25-steps.yaml');
    makeOutputs(world, flow);
    const run = await runFlowFile(world, '25-steps.yaml');
    expect(run.code).toBe(0);
    const requests = mainRequests(world.standin);
    await expectBriefings(flow, requests);
  },
  240_000,
);

inSoak(
  '12 steps with a curator know more earlier decisions in fewer tokens, as the page on performance shows',
  async () => {
    const without = await measureCurated(false);
    const curated = await measureCurated(true);
    console.log(curatedTable(without, curated));
    expect(without.map(({ decisions }) => decisions)).toEqual(without.map(() => 0));
    // The newest step is shown in part, and so is a critical one, both in their own words.
    expect(curated.map(({ decisions }) => decisions)).toEqual([0, 0, 1, 2, 3, 4, 4, 5, 6, 7, 8, 9]);
    expect(curated.map(({ faults }) => faults)).toEqual(curated.map(() => null));
    const sum = (steps: readonly CuratedStep[], figure: 'tokens' | 'curatorUsd') =>
      steps.reduce((total, each) => total + each[figure], 0);
    expect(sum(curated, 'tokens')).toBeLessThan(sum(without, 'tokens'));
    expect(sum(curated, 'curatorUsd')).toBeLessThan(0.02);
    const page = PAGES.get('docs/performance.md') ?? '';
    for (const index of [2, 5, 8, 11]) {
      const shown = [without[index], curated[index]].map((each) => each?.briefingChars.toLocaleString('en') ?? '');
      expect(page.split('\n')).toContainEqual(
        expect.stringMatching(new RegExp(`^\\| ${index + 1} \\| ${shown.join(' .* ')} `)),
      );
    }
  },
  240_000,
);
