import { type BriefingWorld, briefingOf } from './briefing.ts';
import { effectiveCurator } from './effective.ts';
import { stepGraph } from './file/order-steps.ts';
import type { Flow, FlowStep } from './flow.ts';
import { type BudgetSource, LEVELS, type Level } from './pack/budgets.ts';

/** What the steps of a flow would be given if they were run now. */
export interface FlowExplained {
  readonly version: 1;
  readonly flow: string;
  readonly profile: string | null;
  /** The file that the values of each level stand in, relative to the working folder. */
  readonly files: LevelFiles;
  /** The run whose outputs the packs are made of; `null`: the flow has not run. */
  readonly run: string | null;
  readonly steps: readonly StepExplained[];
}

export type StepExplained = ReturnType<typeof explainStep>;

/** A level without values of its own may have none. */
export type LevelFiles = Readonly<Partial<Record<Level, string>>>;

/** Where a value comes from, with the file. */
export function sourceText(source: BudgetSource, files: LevelFiles): string {
  const level = LEVELS.find((each) => source === each || source.endsWith(`(${each})`));
  const file = level && files[level];
  return file === undefined ? source : `${source}, ${file}`;
}

/** @param world its outputs are those of `run` */
export function explainFlow(
  flow: Flow,
  world: BriefingWorld,
  { run, files = {} }: { readonly run?: string | undefined; readonly files?: LevelFiles } = {},
): FlowExplained {
  const needs = stepGraph(flow.steps);
  return {
    version: 1,
    flow: flow.name,
    profile: flow.profile ?? null,
    files,
    run: run ?? null,
    steps: flow.steps.map((step) => explainStep(flow, step, world, needs.get(step.id) ?? [])),
  };
}

function explainStep(flow: Flow, step: FlowStep, world: BriefingWorld, needs: readonly string[]) {
  const { pack, budgets } = briefingOf(flow, step, {
    ...world,
    // Steps that have not run are listed too.
    outputs: (id) => world.outputs(id) ?? { ok: true, output: '', error: undefined },
  });
  const seen = pack.receipt.items.map((item) => item.step);
  const { curator, source } = effectiveCurator(flow, step, world);
  return {
    step: step.id,
    agent: step.agent ?? null,
    needs,
    budgets: budgets.values,
    curator: { enabled: curator.enabled, model: curator.model, source },
    budget_warnings: budgets.warnings,
    // The receipt has them with 0 characters.
    without_output: seen.filter((id) => world.outputs(id) === undefined),
    receipt: pack.receipt,
  };
}
