import { toBudgets } from '../../config/normalise.ts';
import type { Flow, FlowStep } from '../flow.ts';
import type { FlowFile } from './flow-schema.ts';

/** Brings a checked file into the one form the program works with: percentages become fractions. */
export function toFlow({ $schema: _, ...file }: FlowFile): Flow {
  const profiles = Object.entries(file.profiles).map(([name, profile]) => [
    name,
    { budgets: toBudgets(profile.budgets) },
  ]);
  return {
    name: file.name,
    profile: file.profile,
    profiles: Object.fromEntries(profiles),
    budgets: toBudgets(file.budgets),
    curator: file.curator,
    priorities: file.priorities,
    scentTrail: file.scentTrail,
    steps: file.steps.map(toStep),
  };
}

function toStep({ teaching, ...step }: FlowFile['steps'][number]): FlowStep {
  return {
    id: step.id,
    agent: step.agent,
    priority: step.priority,
    objective: step.objective,
    inputs: step.inputs,
    outputs: step.outputs,
    teaching: { notes: teaching.notes, emphasis: teaching.emphasis, constraints: teaching.constraints },
    prompt: step.prompt,
    promptFile: step.promptFile,
    budgets: toBudgets(step.budgets),
    model: step.model,
    needs: step.needs,
    timeoutSeconds: step.timeoutSeconds,
    retries: step.retries,
    onFail: step.onFail,
  };
}
