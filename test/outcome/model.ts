import type { Call, RequestBody } from '../support/standin/scenario.ts';
import type { Evidence, Job, Step } from './job.ts';

/** What the model did that it would not have done with everything in sight. */
export interface Faults {
  /** A command that was seen to fail before, tried once more. */
  deadEndsRepeated: number;
  deadEndsMet: number;
  constraintsViolated: number;
  constraintsMet: number;
  /** Reads of what had been seen before. */
  filesReadAgain: number;
  /** Steps that were given up: what they need could not be brought into sight. */
  stepsGivenUp: number;
}

/** A model that follows a script, but knows nothing except what stands in the request. */
export interface Model {
  readonly faults: Faults;
  /** The number of tasks that are answered. */
  readonly answered: () => number;
  /** @param asked the number of tasks that the user has given */
  next(body: RequestBody, asked: number): Call;
}

type StepOf<K extends Step['kind']> = Extract<Step, { readonly kind: K }>;

/** Reads of a file for one step, and refusals of an edit, before the model gives up. */
const MOST_READS = 8;
const MOST_REFUSALS = 3;

/**
 * A model that works through a job, step after step.
 *
 * @param endsTurns whether it ends its turn with each task; else only with the last
 */
export function createModel(job: Job, endsTurns: boolean): Model {
  const faults: Faults = {
    ...{ deadEndsRepeated: 0, deadEndsMet: 0, constraintsViolated: 0, constraintsMet: 0 },
    ...{ filesReadAgain: 0, stepsGivenUp: 0 },
  };
  const steps = job.tasks.flatMap(({ steps: each }, task) => each.map((step) => ({ step, task })));
  const failed = new Set<string>();
  const seen = new Set<string>();
  let at = 0;
  let reads = 0;
  let edited: StepOf<'edit'> | undefined;
  let refusals = 0;
  let hasTried = false;

  function advance(call: Call): Call {
    at += 1;
    reads = 0;
    hasTried = false;
    return call;
  }

  function run(command: string): Call {
    return { text: 'Running it.', tools: [{ name: 'Bash', input: { command, description: 'Run the program' } }] };
  }

  /** @param to the last line that is needed; undefined: all lines are */
  function read(file: string, from: number, to?: number): Call {
    const limit = to === undefined ? {} : { limit: to - from + 1 };
    const input = { file_path: file, ...(from <= 1 ? {} : { offset: from }), ...limit };
    return { text: `Reading ${file}.`, tools: [{ name: 'Read', input }] };
  }

  /** The next page of a file of which something is not in sight; undefined: all is, or it is not to be had. */
  function lacking(sight: string, needs: readonly Evidence[]): Call | undefined {
    const missing = needs.filter((need) => !isSeen(need, sight))[0];
    if (missing === undefined) return undefined;
    if (reads >= MOST_READS * new Set(needs.map(({ file }) => file)).size) {
      faults.stepsGivenUp += 1;
      return undefined;
    }
    reads += 1;
    if (seen.has(missing.id)) faults.filesReadAgain += 1;
    const { file, line, region } = missing;
    const before = needs.filter((need) => need.file === file && need.line < line).at(-1);
    if (missing.kind === 'number') return read(file, Math.max(1, line - 5));
    const from = before === undefined ? (region?.from ?? 1) : before.line + 1;
    return read(file, from, region && region.from + region.lines - 1);
  }

  function isSeen({ id, sign }: Evidence, sight: string): boolean {
    const isInSight = sight.includes(sign);
    if (isInSight) seen.add(id);
    return isInSight;
  }

  function edit(step: StepOf<'edit'>, sight: string): Call {
    const more = lacking(sight, step.needs);
    if (more !== undefined) return more;
    edited = step;
    const input = { file_path: step.file, old_string: step.old, new_string: step.now };
    return advance({ text: `The limit of ${step.file} is known.`, tools: [{ name: 'Edit', input }] });
  }

  /** Reads the file of an edit that claude has refused, and takes the step again. */
  function readRefused({ file }: StepOf<'edit'>): Call {
    refusals += 1;
    at -= 1;
    return read(file, 1);
  }

  function keepOrBreak({ constraint, detail }: StepOf<'constrained'>, sight: string): Call {
    const isKnown = sight.includes(constraint.text);
    faults.constraintsMet += 1;
    if (!isKnown) faults.constraintsViolated += 1;
    return advance(run(isKnown ? constraint.kept(detail) : constraint.broken(detail)));
  }

  /** The first trial of a dead end is nobody's fault; whoever sees that it failed takes the other way. */
  function tryDeadEnd({ deadEnd: { command, instead } }: StepOf<'tempted'>, sight: string): Call {
    if (hasTried) return advance(run(instead));
    const isFirst = !failed.has(command);
    if (!isFirst) faults.deadEndsMet += 1;
    if (!isFirst && isSeenToFail(sight, command)) return advance(run(instead));
    if (!isFirst) faults.deadEndsRepeated += 1;
    failed.add(command);
    hasTried = true;
    return run(command);
  }

  function answer({ text }: StepOf<'answer'>, sight: string): Call {
    const isLast = at === steps.length - 1;
    const said = advance({ text });
    if (endsTurns || isLast) return said;
    const { text: more, ...call } = next(sight);
    return { ...call, text: `${text} ${more}` };
  }

  function perform(step: Step, sight: string): Call {
    switch (step.kind) {
      case 'read': {
        const more = lacking(sight, step.needs);
        if (more !== undefined) return more;
        advance({});
        return next(sight);
      }
      case 'edit':
        return edit(step, sight);
      case 'run':
        return advance(run(step.command));
      case 'constrained':
        return keepOrBreak(step, sight);
      case 'tempted':
        return tryDeadEnd(step, sight);
      case 'answer':
        return answer(step, sight);
    }
  }

  function next(sight: string): Call {
    const due = steps[at];
    return due === undefined ? { text: 'All tasks are done.' } : perform(due.step, sight);
  }

  return {
    faults,
    answered: () => steps.slice(0, at).filter(({ step }) => step.kind === 'answer').length,
    next(body, asked) {
      const refused = isLastFailed(body) ? edited : undefined;
      edited = undefined;
      if (refused === undefined) refusals = 0;
      else if (refusals < MOST_REFUSALS) return readRefused(refused);
      else faults.stepsGivenUp += 1;
      const due = steps[at];
      if (due !== undefined && due.task >= asked) return { text: 'There is nothing to do.' };
      return next(sightOf(body));
    },
  };
}

/** Whether the newest result of a tool is a failure. */
function isLastFailed({ messages = [] }: RequestBody): boolean {
  const results = messages.flatMap(({ content }) => (Array.isArray(content) ? content : []));
  return results.findLast(({ type }) => type === 'tool_result')?.is_error === true;
}

/** All that the model sees, as one text. */
export function sightOf({ system, messages }: RequestBody): string {
  const texts: string[] = [];
  collect([system, messages], texts);
  return texts.join('\n');
}

function collect(value: unknown, texts: string[]): void {
  if (typeof value === 'string') texts.push(value);
  else if (typeof value === 'object' && value !== null) for (const each of Object.values(value)) collect(each, texts);
}

/** A command counts as known to fail where its failure is told near it. */
export function isSeenToFail(sight: string, command: string): boolean {
  for (let at = sight.indexOf(command); at !== -1; at = sight.indexOf(command, at + 1)) {
    const near = sight.slice(Math.max(0, at - 300), at + command.length + 300);
    if (/fail|error|exit|dead end|does not work/i.test(near)) return true;
  }
  return false;
}
