import { isFields } from '../../stream/fields.ts';
import { estimateTokens } from '../gauge/token-estimate.ts';
import type { GovernorState } from '../state.ts';
import { chain, keep, type Step } from '../steps.ts';
import { planCut, resultText, storedPath } from './cut-result.ts';
import { hintFor } from './hints.ts';
import { learnPage, limitPage, noteLarge, planRead } from './limit-call.ts';
import { allocation } from './room.ts';
import type { ToolCall } from './tool-budget.ts';
import {
  answerTool,
  budgetMode,
  charsPerToken,
  forgetOpen,
  keepOpen,
  mayChange,
  mayPass,
  noteIgnored,
  passed,
} from './tool-state.ts';

/** A tool has succeeded: its result goes to the agent as it is, or cut. */
export function afterTool(before: GovernorState, call: ToolCall): Step {
  const { open } = before.toolBudget;
  const limit = Object.hasOwn(open, call.toolUseId) ? open[call.toolUseId]?.limit : undefined;
  const isIgnored = limit !== undefined && call.input.limit !== limit;
  return chain(isIgnored ? noteIgnored(before, 'input') : keep(before), (state) => withinBudget(state, call));
}

function withinBudget(before: GovernorState, call: ToolCall): Step {
  const result =
    budgetMode(before) === 'off' || hasPassed(before, call) ? undefined : resultText(call.tool, call.response);
  if (result === undefined) return keep(afterPass(before, call), [answerTool(call, 'PostToolUse')]);
  const stored = storedPath(call.tool, call.response);
  if (stored !== undefined)
    return keep(noteLarge(before, call), [answerTool(call, 'PostToolUse', { context: pointer(before, call, stored) })]);
  // What was kept for this very call is its own.
  const state = learnPage(forgetOpen(before, call.toolUseId), call, result.text);
  const tokens = estimateTokens(result.text, charsPerToken(state));
  const allowed = allocation(state, call.tool, call.agent);
  const open = keepOpen(state, call, { agent: call.agent, tokens });
  // It fits: cuts before it and after it are not in a row.
  if (tokens <= allowed) return keep(passed(open, call), [answerTool(call, 'PostToolUse')]);
  if (!mayChange(state, 'output')) {
    return keep(open, [answerTool(call, 'PostToolUse', { context: advice(tokens, allowed) })]);
  }
  if (mayPass(state, call)) return keep(passed(open, call), [answerTool(call, 'PostToolUse')]);
  return planCut(noteLarge(state, call), call, result, allowed);
}

/** A Read is limited before the call, and was not: what it gives is not cut after it. */
function hasPassed(state: GovernorState, call: ToolCall): boolean {
  return call.tool === 'Read' && mayPass(state, call);
}

function afterPass(state: GovernorState, call: ToolCall): GovernorState {
  return hasPassed(state, call) ? passed(state, call) : state;
}

/** A tool has failed: what it says cannot be changed. */
export function afterFailure(state: GovernorState, call: ToolCall): Step {
  const tokens = estimateTokens(call.error, charsPerToken(state));
  const allowed = allocation(state, call.tool, call.agent);
  const isLarge = budgetMode(state) !== 'off' && tokens > allowed;
  return keep(afterPass(state, call), [
    answerTool(call, 'PostToolUseFailure', isLarge ? { context: advice(tokens, allowed) } : {}),
  ]);
}

function advice(tokens: number, allowed: number): string {
  return `This result took about ${tokens} tokens, and ${allowed} are planned for one now: ask for less at a time (fewer lines, a narrower search, one page).`;
}

/** claude shows the beginning of it and says where it is, but not what may be read of it. */
function pointer(state: GovernorState, call: ToolCall, path: string): string {
  const size =
    isFields(call.response) && typeof call.response.persistedOutputSize === 'number'
      ? ` (${call.response.persistedOutputSize} bytes)`
      : '';
  const allowed = allocation(state, 'Read', call.agent);
  return `All of this result is in ${path}${size}: look into it with Read, offset and limit, or by characters where its lines are long, or search in it; one result may take about ${allowed} tokens now.`;
}

/** A tool is about to be called: it may be asked for less, and the agent told what the budget allows. */
export function beforeTool(before: GovernorState, call: ToolCall): Step {
  if (budgetMode(before) === 'off') return keep(before, [answerTool(call, 'PreToolUse')]);
  const { state, text } = hintFor(before, call);
  if (call.tool === 'Read') return planRead(state, call, text);
  return limitPage(state, call, text) ?? keep(state, [answerTool(call, 'PreToolUse', { context: text })]);
}
