import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { readPlain } from '../store/files/plain-file.ts';
import { type BudgetWorld, effectiveBudgets } from './effective.ts';
import { fileInside, readPrompt } from './file/flow-files.ts';
import type { Flow, FlowStep, StepOutput } from './flow.ts';
import { pack } from './pack/pack.ts';
import type { CuratedChoice } from './pack/receipt.ts';
import type { PackItem } from './pack/step-block.ts';

export interface BriefingWorld extends BudgetWorld {
  /** Returns the output of a step; undefined if the step has not ended, which omits it from the briefing. */
  readonly outputs: (stepId: string) => StepOutput | undefined;
  /** Whether a file exists. @param path relative to the working folder */
  readonly exists: (path: string) => boolean;
  /** Reads the start of a text file; undefined if the working folder contains no such file. */
  readonly readHints?: (path: string) => string | undefined;
  /** Reads a prompt file. @param file relative to the flow's folder */
  readonly readPrompt: (file: string) => string;
  readonly curated?: CuratedChoice | undefined;
}

interface FlowFiles extends BudgetWorld {
  /** Absolute path of the flow file. */
  readonly file: string;
  readonly cwd: string;
  /** undefined if the flow has not run. */
  readonly run: { readonly outputOf: (stepId: string) => StepOutput | undefined } | undefined;
}

/** Reads the parts of briefings from disk; reads the output of each step once. */
export function briefingWorld({ file, cwd, run, ...budgets }: FlowFiles): BriefingWorld {
  const outputs = new Map<string, StepOutput | undefined>();
  return {
    outputs(id) {
      if (!outputs.has(id)) outputs.set(id, run?.outputOf(id));
      return outputs.get(id);
    },
    exists: (path) => existsSync(resolve(cwd, path)),
    readHints(path) {
      const found = fileInside(cwd, path);
      return 'path' in found ? readPlain(found.path, HINTS_LIMIT) : undefined;
    },
    readPrompt: (prompt) => readPrompt(dirname(file), prompt),
    ...budgets,
  };
}

/** Maximum number of bytes read, more than a briefing shows. */
const HINTS_LIMIT = 64 * 1024;

export type Briefing = ReturnType<typeof briefingOf>;

/**
 * Packs the briefing of a step of a checked flow: the outputs of the steps that it sees, and the files that they made.
 * Throws whatever `world` throws.
 */
export function briefingOf(flow: Flow, step: FlowStep, world: BriefingWorld) {
  const seen = seenBy(flow, step);
  const budgets = effectiveBudgets(flow, step, world);
  const history = historyOf(flow, step, world);
  // List the newest first: if not all fit, the last ones are omitted.
  const artifacts = seen.toReversed().flatMap(({ outputs }) => outputs.filter(world.exists));
  const prompt = promptOf(step, world.readPrompt);
  const scentTrail = flow.scentTrail === undefined ? undefined : world.readHints?.(flow.scentTrail);
  const extras = { prompt, artifacts, scentTrail, curated: world.curated };
  return { pack: pack(step, history, budgets.budgets, extras), budgets };
}

/** The outputs that a step sees, oldest first. */
export function historyOf(flow: Flow, step: FlowStep, { outputs }: Pick<BriefingWorld, 'outputs'>): PackItem[] {
  return seenBy(flow, step).flatMap(({ id, agent, priority }) => {
    const output = outputs(id);
    return output === undefined ? [] : [{ ...output, stepId: id, agent, priority }];
  });
}

/** The steps whose output a step sees, oldest first. */
function seenBy({ steps }: Flow, { id }: FlowStep): FlowStep[] {
  return steps.slice(
    0,
    steps.findIndex((step) => step.id === id),
  );
}

/**
 * The task of a step that has an objective but no prompt. The briefing shows the objective at the top; repeating it
 * here would look like two tasks.
 */
const OBJECTIVE_IS_TASK = 'Reach the objective at the top of this briefing.';

export function promptOf(
  { promptFile, prompt, objective }: FlowStep,
  read: BriefingWorld['readPrompt'],
): string | undefined {
  if (promptFile !== undefined) return read(promptFile);
  return prompt ?? (objective === undefined ? undefined : OBJECTIVE_IS_TASK);
}
