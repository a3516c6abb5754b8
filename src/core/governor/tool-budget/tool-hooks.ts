import { ownOf } from '../../protocol/fields.ts';
import { estimateTokens } from '../gauge/token-estimate.ts';
import type { GovernorState } from '../state.ts';
import { planCut, resultText } from './cut-result.ts';
import { hintFor } from './hints.ts';
import { limitGrep, planRead } from './limit-call.ts';
import { cutsLoseMoney, isWorthPassing, MAX_READ_TOKENS, tokensForResult } from './room.ts';
import type { ToolCall } from './tool-budget.ts';
import {
  answerHook,
  budgetMode,
  charsPerToken,
  mayChange,
  recordIgnoredChange,
  removeRecord,
  reserveRoom,
  resetCuts,
  wasCutRepeatedly,
} from './tool-state.ts';

export function onPostToolUse(before: GovernorState, call: ToolCall): GovernorState {
  const limit = ownOf(before.work.budget.open, call.toolUseId)?.limit;
  const isIgnored = limit !== undefined && call.input.limit !== limit;
  return withinBudget(isIgnored ? recordIgnoredChange(before, 'input') : before, call);
}

function withinBudget(before: GovernorState, call: ToolCall): GovernorState {
  const result =
    budgetMode(before) === 'off' || hasPassed(before, call) ? undefined : resultText(call.tool, call.response);
  // claude says itself where it stored a result. Another text at each of them would cost more than it helps.
  if (result === undefined || result.isStored) return answerHook(afterPass(before, call), call);
  // Release the room reserved for this call before measuring it.
  const state = removeRecord(before, 'open', call.toolUseId);
  const tokens = estimateTokens(result.text, charsPerToken(state));
  const allowed = tokensForResult(state, call);
  const open = reserveRoom(state, call, { tokens });
  const isForClaude = call.tool === 'Read' && allowed >= MAX_READ_TOKENS;
  const isFitting = isForClaude || isWorthPassing(state, call, tokens, allowed) || cutsLoseMoney(state, call, tokens);
  if (!isFitting && !mayChange(state, 'output')) return answerHook(open, call, advice(tokens, allowed));
  if (isFitting || wasCutRepeatedly(state, call)) return answerHook(resetCuts(open, call), call);
  return planCut(state, call, result, allowed);
}

/** Whether a Read deliberately passed without a limit; its result is not cut either. */
function hasPassed(state: GovernorState, call: ToolCall): boolean {
  return call.tool === 'Read' && wasCutRepeatedly(state, call);
}

function afterPass(state: GovernorState, call: ToolCall): GovernorState {
  return hasPassed(state, call) ? resetCuts(state, call) : state;
}

/** Advises the model about a large error text, because it cannot be changed. */
export function onToolFailure(state: GovernorState, call: ToolCall): GovernorState {
  const tokens = estimateTokens(call.error, charsPerToken(state));
  const allowed = tokensForResult(state, call);
  const isLarge = budgetMode(state) !== 'off' && tokens > allowed;
  return answerHook(afterPass(state, call), call, isLarge ? advice(tokens, allowed) : '');
}

function advice(tokens: number, allowed: number): string {
  return `This result took about ${tokens} tokens, and ${allowed} are planned for one now: ask for less at a time (fewer lines, a narrower search, one page).`;
}

/** Limits calls of the main thread. */
export function onPreToolUse(before: GovernorState, call: ToolCall): GovernorState {
  if (budgetMode(before) === 'off') return answerHook(before, call);
  const { state, text } = hintFor(before, call);
  if (call.tool === 'Read') return planRead(state, call, text);
  return call.tool === 'Grep' ? limitGrep(state, call, text) : answerHook(state, call, text);
}
