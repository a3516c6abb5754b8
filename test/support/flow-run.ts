import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { briefingOf } from '../../src/flow/briefing.ts';
import { checkFlow } from '../../src/flow/file/read-flow.ts';
import type { Flow, StepOutput } from '../../src/flow/flow.ts';
import type { CuratedChoice } from '../../src/flow/pack/priority.ts';
import type { RanStep } from '../../src/flow/run/conduct-flow.ts';
import { openFlowRun } from '../../src/store/runs/flow-run.ts';

/** A flow of `fixtures/flows`: its text, and what it says. */
export function fixtureFlow(name: string): { readonly text: string; readonly flow: Flow } {
  const path = fileURLToPath(new URL(`../../fixtures/flows/${name}`, import.meta.url));
  const text = readFileSync(path, 'utf8');
  return { text, flow: checkFlow(path, text) };
}

type MeasuredStep = RanStep['measured'];

/** Output of claude for a step. */
export function figures(changes: Partial<MeasuredStep> = {}): MeasuredStep {
  return {
    exit_code: 0,
    error: undefined,
    first_tokens: 20_000,
    peak_tokens: 40_000,
    calls: 3,
    cost_usd: 0.25,
    duration_ms: 4_000,
    session_id: null,
    ...changes,
  };
}

interface PlayedStep {
  readonly output: string;
  readonly measured?: MeasuredStep | undefined;
  readonly curator?: CuratedChoice;
  readonly curation?: RanStep['curation'];
}

/** The receipt that a step leaves, as a run makes it. */
export function stepReceipt(flow: Flow, id: string, played: { readonly [id: string]: PlayedStep }) {
  const step = flow.steps.find((one) => one.id === id);
  if (step === undefined) throw new Error(`no step ${id}`);
  const outputs = (earlier: string): StepOutput | undefined => {
    const { output } = played[earlier] ?? {};
    return output === undefined ? undefined : { ok: true, output, error: undefined };
  };
  const { pack, budgets } = briefingOf(flow, step, { cwd: '/nowhere', outputs });
  return {
    ...pack.receipt,
    curator: played[id]?.curator,
    flow: flow.name,
    run: 'r',
    budgets: budgets.values,
    budget_warnings: budgets.warnings,
    curation: played[id]?.curation,
    measured: played[id]?.measured,
  };
}

/** Leaves a run of a flow in the folder `.context` below `cwd`, through the program's own store. */
export function keepRun(cwd: string, run: string, flow: Flow, played: { readonly [id: string]: PlayedStep }): void {
  const files = openFlowRun(join(cwd, '.context'), run, (consequence) => {
    throw new Error(consequence);
  });
  for (const [id, { output, measured }] of Object.entries(played)) {
    files.write(id, 'output.md', output);
    if (measured !== undefined) files.write(id, 'step.json', JSON.stringify(stepEnd(measured)));
    files.writeJson(id, 'receipt.json', { ...stepReceipt(flow, id, played), run });
  }
}

/** As much of the end of a step as is read again. */
function stepEnd({ exit_code }: MeasuredStep) {
  return exit_code === 0 ? { status: 'done' } : { status: 'failed', error: `exit code ${exit_code}` };
}
