import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RecordedRequest } from '../support/standin/scenario.ts';
import type { Job, Step, Task } from './job.ts';
import type { Faults } from './model.ts';

/** The prompt for a model that follows no script: it has to be told what is to be run. */
export function toldPrompt({ prompt, steps }: Task): string {
  const runs = steps.flatMap((step) => toldStep(step) ?? []);
  return `${prompt} In the course of it run, as was asked for: ${runs.join('; ')}.`;
}

function toldStep(step: Step): string | undefined {
  if (step.kind === 'constrained') return `${step.constraint.kept('').split(' ')[0]} for ${step.detail}`;
  if (step.kind !== 'tempted') return undefined;
  return `${step.deadEnd.command}, or, where that is known to fail, ${step.deadEnd.instead}`;
}

/** What a model has done in a job, told by its tool calls and by the files. */
export function judge(job: Job, requests: readonly RecordedRequest[], folder: string): Faults {
  const calls = toolCalls(requests);
  const commands = calls.flatMap(({ input: { command } }) => (typeof command === 'string' ? [command] : []));
  const reads = calls.flatMap(({ name, input }) => (name === 'Read' ? [JSON.stringify(input)] : []));
  const steps = job.tasks.flatMap((task) => task.steps);
  const tempted = steps.filter(({ kind }) => kind === 'tempted').length;
  const trials = job.deadEnds.map(({ command }) => commands.filter((each) => each.includes(command)).length);
  const bound = job.constraints.flatMap(({ kept, isKept }) => {
    const [program = ''] = kept('').split(' ');
    return commands.filter((each) => each.includes(`${program} `)).map((each) => isKept(each));
  });
  const missing = steps.filter(
    (step) => step.kind === 'edit' && !readFileSync(join(folder, step.file), 'utf8').includes(step.now),
  );
  return {
    deadEndsRepeated: trials.reduce((sum, count) => sum + Math.max(0, count - 1), 0),
    deadEndsMet: tempted - job.deadEnds.length,
    constraintsViolated: bound.filter((isKept) => !isKept).length,
    constraintsMet: bound.length,
    filesReadAgain: reads.length - new Set(reads).size,
    stepsGivenUp: missing.length,
  };
}

interface ToolUse {
  readonly type: 'tool_use';
  readonly id: string;
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** Each tool call once: the requests after it hold it until the context is relieved. */
function toolCalls(requests: readonly RecordedRequest[]): ToolUse[] {
  const messages = requests.flatMap(({ kind, body }) => (kind === 'main' ? (body.messages ?? []) : []));
  const blocks = messages.flatMap(({ content }) => (Array.isArray(content) ? (content as Partial<ToolUse>[]) : []));
  const uses = blocks.filter((block): block is ToolUse => block.type === 'tool_use');
  return [...new Map(uses.map((use) => [use.id, use])).values()];
}
