import { readReceipt } from '../../src/flow/earlier-run.ts';
import type { Flow } from '../../src/flow/flow.ts';
import { startWorld } from './claude.ts';
import { mainRequests } from './conversation.ts';
import { names, outputsToSum } from './curator.ts';
import { ANSWER_CHARS, longFlow } from './flow-growth.ts';
import { briefingIn, runFlowFile, stepText, writeFlow } from './flow-plays.ts';
import { contextOf } from './results.ts';
import type { Call, RecordedRequest } from './standin/scenario.ts';

/** A step of a flow: what its briefing held of the steps before it, and what it took. */
export interface CuratedStep {
  readonly step: string;
  /** Earlier steps, and how many of their decisions the briefing has. */
  readonly earlier: number;
  readonly decisions: number;
  readonly outcomes: Readonly<Record<'included' | 'summary' | 'cut' | 'omitted', number>>;
  readonly briefingChars: number;
  /** Of the step's request. */
  readonly tokens: number;
  readonly costUsd: number;
  readonly curatorUsd: number;
  readonly faults: string | null;
}

const STEPS = 12;

/** Of claude's own prompt and tools, which are in the prompt cache. */
const OWN_TOKENS = 20_000;

/** The first twelve steps of the fixture, each of which decides something at the end of a long answer. */
function curatedFlow(enabled: boolean): Pick<Flow, 'budgets' | 'curator'> & { steps: { id: string }[] } {
  const { steps, budgets } = longFlow();
  const kept = steps.slice(0, STEPS).map(({ id, agent, objective }) => ({ id, ...(agent && { agent }), objective }));
  return { budgets, curator: { enabled }, steps: kept };
}

/** The flow with the real claude, whose steps decide something and whose curator finds what was decided. */
export async function measureCurated(enabled: boolean): Promise<CuratedStep[]> {
  await using world = await startWorld({ calls: answer });
  const flow = curatedFlow(enabled);
  const run = await runFlowFile(world, writeFlow(world, flow));
  if (run.code !== 0) throw new Error(run.stderr);
  const requests = mainRequests(world.standin);
  return flow.steps.map(({ id }, index) => {
    const receipt = readReceipt(stepText(world, id, 'receipt.json'));
    const request = requests.find((each) => briefingIn(each)?.step === id);
    if (receipt === undefined || request === undefined) throw new Error(`${id} has not run`);
    const { text = '' } = briefingIn(request) ?? {};
    const outcomes = { included: 0, summary: 0, cut: 0, omitted: 0 };
    for (const { outcome } of receipt.items) outcomes[outcome]++;
    return {
      step: id,
      earlier: index,
      decisions: flow.steps.slice(0, index).filter((earlier) => text.includes(decisionOf(earlier.id))).length,
      outcomes,
      briefingChars: receipt.context_truncation.chars_used,
      tokens: contextOf(request, OWN_TOKENS),
      costUsd: receipt.measured?.cost_usd ?? 0,
      curatorUsd: receipt.curation?.cost_usd ?? 0,
      faults: receipt.curation?.fault ?? null,
    };
  });
}

function decisionOf(step: string): string {
  return `Decision of ${step}: docs/${step}.md holds, with ${step.length * 137} entries.`;
}

function answer(request: RecordedRequest): Call {
  const { step } = briefingIn(request) ?? {};
  if (step === undefined) return curated(request);
  const lines = 'What was looked at, and what came of it, in many words.\n'.repeat(ANSWER_CHARS / 50);
  const text = `${lines.slice(0, ANSWER_CHARS - 100)}\n${decisionOf(step)}`;
  // Every step begins as the others do; its briefing is its own.
  const usage = { cacheRead: OWN_TOKENS, cacheCreation: contextOf(request, 0), output: Math.ceil(ANSWER_CHARS / 4) };
  return { text, usage };
}

/** Its whole request is new to the cache, and it has read nothing else. */
function curated(request: RecordedRequest): Call {
  const found = outputsToSum(request).map(({ step, output }) => {
    const decided = output.trim().split('\n').at(-1) ?? '';
    return { step, text: `It looked at much and described it. ${decided} Nothing else was decided.` };
  });
  const { system, tools, messages } = request.body;
  const cacheCreation = Math.ceil(JSON.stringify([system, tools, messages]).length / 4);
  const output = 50 + Math.ceil(JSON.stringify(found).length / 4);
  return { ...names([], [], found), usage: { cacheCreation, output } };
}

export function curatedTable(without: readonly CuratedStep[], curated: readonly CuratedStep[]): string {
  const held = ({ outcomes: { included, summary, cut, omitted } }: CuratedStep) =>
    [included, summary, cut, omitted].join('/');
  const rows = curated.map((one, index) => {
    const other = without[index] ?? one;
    return [
      one.step,
      ...[other, one].flatMap((each) => [
        grouped(each.tokens),
        grouped(each.briefingChars),
        held(each),
        `${each.decisions} of ${each.earlier}`,
      ]),
      `$${one.curatorUsd.toFixed(4)}`,
    ];
  });
  const sum = (steps: readonly CuratedStep[], figure: 'tokens' | 'costUsd' | 'curatorUsd') =>
    steps.reduce((total, each) => total + each[figure], 0);
  const columns = ['tokens', 'characters', 'whole/summary/cut/omitted', 'decisions'];
  const all = [['step', ...columns, ...columns, 'curator'], ...rows];
  const widths = all[0]?.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0))) ?? [];
  const lines = all.map((row) => row.map((cell, column) => cell.padStart(widths[column] ?? 0)).join('  '));
  const total = (steps: readonly CuratedStep[]) =>
    `${grouped(sum(steps, 'tokens'))} tokens and $${sum(steps, 'costUsd').toFixed(4)} of the steps, $${sum(steps, 'curatorUsd').toFixed(4)} of curators`;
  return [
    'left: without a curator; right: with one',
    ...lines,
    `without: ${total(without)}`,
    `with:    ${total(curated)}`,
  ].join('\n');
}

const grouped = (count: number) => count.toLocaleString('en');
