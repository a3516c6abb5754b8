import { isDeepStrictEqual } from 'node:util';
import type { HookAnswer } from '../../../src/core/governor/effects.ts';
import { OWN_PREFIX } from '../../../src/core/governor/prompts/own-lines.ts';
import { resultText } from '../../../src/core/governor/tool-budget/cut-result.ts';
import { type Fields, fieldsOf } from '../../../src/core/protocol/fields.ts';
import type { Judged, ModelRun } from './model-run.ts';

/** Hooks of ours that were not answered yet, by request id: what they were told. */
export type Unanswered = Map<string, Fields>;

/** Violated invariants of tool hooks and tool budgets, checked after every input. */
export function toolFaults(judged: Judged, unanswered: Unanswered): string[] {
  const { input, actions, before, after } = judged;
  const { event } = input;
  // The shell tells what it has found out before anything else comes; what is held waits for claude's window.
  const isTold = event.kind === 'file-measured' || event.kind === 'result-stored';
  const isHeld = (id: string) => before.process.control.held.some(({ requestId }) => requestId === id);
  const overdue = isTold ? [] : [...unanswered.keys()].filter((id) => !isHeld(id));
  const late = overdue.map((id) => `${id} was not answered`);
  for (const id of overdue) unanswered.delete(id);
  if (event.kind === 'control-request' && event.callbackId?.startsWith(OWN_PREFIX))
    unanswered.set(event.requestId, fieldsOf(event.request.input));
  const answers = actions.filter((action) => action.kind === 'answer-hook');
  const faults = answers.flatMap((answer) => answerFaults(answer, unanswered));
  // A claude that is dead waits for no answer.
  if (after.process.phase === 'dead') unanswered.clear();
  const kept = Object.values(after.work.budget.open).some(({ agent }) => agent === null);
  return [...late, ...faults, ...(event.kind === 'result' && kept ? ['room is kept after the end of a turn'] : [])];
}

/** Violated invariants at the end of a run. */
export function ignoredFaults({ takesChanges }: ModelRun, all: readonly Judged[]): string[] {
  // With its input closed claude hears no answer, whatever it takes.
  const closed = all.findIndex(({ actions }) => actions.some(({ kind }) => kind === 'end-input'));
  const said = (closed < 0 ? all : all.slice(0, closed)).flatMap(({ actions }) =>
    actions.flatMap((action) => (action.kind === 'unavailable' && action.of === 'tools' ? [action.reason] : [])),
  );
  return [
    ...(takesChanges && said.length > 0 ? ['a claude that takes changes is said not to'] : []),
    ...(new Set(said).size < said.length ? ['the same changes are said twice not to be taken'] : []),
  ];
}

function answerFaults({ requestId, hook, specific = {} }: HookAnswer, unanswered: Unanswered): string[] {
  const about = unanswered.get(requestId);
  if (about === undefined) return [`${requestId} is answered, and was not asked or is answered twice`];
  unanswered.delete(requestId);
  const { updatedInput, updatedToolOutput, ...others } = specific;
  return [
    ...Object.keys(others).map((name) => `${hook} is answered with ${name}`),
    ...(updatedInput === undefined ? [] : inputFaults(hook, fieldsOf(about.tool_input), fieldsOf(updatedInput))),
    ...(updatedToolOutput === undefined ? [] : outputFaults(hook, about, updatedToolOutput)),
  ];
}

const LIMITS = new Set(['limit', 'head_limit']);

function inputFaults(hook: string, asked: Fields, updated: Fields): string[] {
  const changed = Object.keys({ ...asked, ...updated }).filter(
    (name) => !isDeepStrictEqual(asked[name], updated[name]),
  );
  const isLimit = changed.length === 1 && changed.every((name) => LIMITS.has(name) && Number(updated[name]) >= 1);
  return [
    ...(hook === 'PreToolUse' ? [] : [`${hook} changes an input`]),
    ...(isLimit ? [] : [`the input is changed in ${changed.join(' and ') || 'nothing'}`]),
  ];
}

function outputFaults(hook: string, { tool_name, tool_response }: Fields, updated: unknown): string[] {
  const [before, now] = [tool_response, updated].map((value) => resultText(String(tool_name), value));
  const isSameShape =
    isDeepStrictEqual(Object.keys(fieldsOf(tool_response)), Object.keys(fieldsOf(updated))) && before !== undefined;
  const isShorter = (now?.text.length ?? 0) < (before?.text.length ?? 0);
  return [
    ...(hook === 'PostToolUse' ? [] : [`${hook} changes a result`]),
    ...(isSameShape ? [] : ['a result has another shape']),
    ...(isShorter ? [] : ['a result is made longer']),
  ];
}
