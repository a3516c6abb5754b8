import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { FlowGlobals } from '../config/config.ts';
import { windowOfModel } from '../core/governor/gauge/window.ts';
import { ownOf } from '../core/protocol/fields.ts';
import { readPlain } from '../store/files/plain-file.ts';
import { fileInside } from './file/flow-files.ts';
import type { Curator, Flow, FlowStep, Profile, StepOutput } from './flow.ts';
import { LEVELS, resolveBudgets } from './pack/budgets.ts';
import { pack } from './pack/pack.ts';
import type { CuratedChoice } from './pack/priority.ts';
import type { PackItem } from './pack/step-block.ts';

export interface BudgetContext {
  readonly global?: Partial<FlowGlobals> | undefined;
  /** Context window in tokens; default: the window of the step's model, or 200,000. */
  readonly window?: number | undefined;
}

export interface FlowPlace extends BudgetContext {
  readonly cwd: string;
}

export interface BriefingInputs extends FlowPlace {
  /** The output of a step; undefined if the step has not ended, so that the briefing lacks it. */
  readonly outputs: (stepId: string) => StepOutput | undefined;
  readonly curated?: CuratedChoice | undefined;
}

/** Packs the briefing of a step: the outputs of the steps that it sees, and the files that they made. */
export function briefingOf(flow: Flow, step: FlowStep, inputs: BriefingInputs) {
  const seen = flow.steps.slice(
    0,
    flow.steps.findIndex(({ id }) => id === step.id),
  );
  const budgets = effectiveBudgets(flow, step, inputs);
  const history = seen.flatMap(({ id, agent, priority }): PackItem[] => {
    const output = inputs.outputs(id);
    return output === undefined ? [] : [{ ...output, stepId: id, agent, priority }];
  });
  // List the newest first: if not all fit, the last ones are omitted.
  const artifacts = seen.toReversed().flatMap(({ outputs }) => outputs.filter((path) => fileExists(inputs, path)));
  const prompt = step.prompt ?? (step.objective === undefined ? undefined : OBJECTIVE_IS_TASK);
  const scentTrail = flow.scentTrail && hintsIn(inputs, flow.scentTrail);
  const extras = { prompt, artifacts, scentTrail, curated: inputs.curated };
  return { pack: pack(step, history, budgets.budgets, extras), budgets, history, prompt };
}

export function fileExists({ cwd }: FlowPlace, path: string): boolean {
  return existsSync(resolve(cwd, path));
}

const HINTS_LIMIT = 64 * 1024;

/** The beginning of a text file; undefined if the working folder contains no such file. */
function hintsIn({ cwd }: FlowPlace, path: string): string | undefined {
  const found = fileInside(cwd, path);
  return 'path' in found ? readPlain(found.path, HINTS_LIMIT) : undefined;
}

/**
 * The task of a step without a prompt. The objective stands at the top; repeated here, it would look like a second
 * task.
 */
const OBJECTIVE_IS_TASK = 'Reach the objective at the top of this briefing.';

function profileOf({ profile, profiles }: Flow): Profile | undefined {
  return ownOf(profiles, profile ?? '');
}

export function effectiveBudgets(
  flow: Flow,
  step: Pick<FlowStep, 'budgets' | 'model'>,
  { global, window }: BudgetContext,
) {
  const levels = { global, profile: profileOf(flow)?.budgets, flow: flow.budgets, step: step.budgets };
  return resolveBudgets(levels, window ?? windowOfModel(step.model));
}

/** A cheap model needs about ten seconds. After a minute, ctxb selects without it. */
const CURATOR: Curator = { enabled: false, model: 'haiku', timeoutSeconds: 60, maxFiles: 20 };

export function effectiveCurator(flow: Flow, step: FlowStep, { global }: BudgetContext) {
  const profile = profileOf(flow)?.curator;
  const levels = { global: global?.curator ? { enabled: true } : {}, profile, flow: flow.curator, step: step.curator };
  return {
    curator: { ...CURATOR, ...levels.global, ...levels.profile, ...levels.flow, ...levels.step } as Curator,
    source: LEVELS.findLast((level) => levels[level]?.enabled !== undefined) ?? 'default',
  };
}

/** The budget warnings of the given steps, without duplicates. A warning names its steps unless it applies to all. */
export function budgetWarnings(
  flow: Flow,
  steps: readonly FlowStep[],
  worldOf: (step: FlowStep) => BudgetContext,
): string[] {
  const ids = new Map<string, string[]>();
  for (const step of steps) {
    for (const { message } of effectiveBudgets(flow, step, worldOf(step)).warnings) {
      ids.set(message, [...(ids.get(message) ?? []), step.id]);
    }
  }
  return [...ids].map(([message, of]) => (of.length === steps.length ? message : `${of.join(', ')}: ${message}`));
}
