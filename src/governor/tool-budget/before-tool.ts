import type { GovernorState } from '../state.ts';
import { keep, type Step } from '../steps.ts';
import { planRead } from './limit-read.ts';
import { limitPage } from './page-limit.ts';
import type { ToolCall } from './tool-call.ts';
import { answerTool, budgetMode } from './tool-state.ts';
import { hintFor } from './unit-hint.ts';

/** A tool is about to be called: it may be asked for less, and the agent told what the budget allows. */
export function beforeTool(before: GovernorState, call: ToolCall): Step {
  if (budgetMode(before) === 'off') return keep(before, [answerTool(call, 'PreToolUse')]);
  const { state, text } = hintFor(before, call);
  if (call.tool === 'Read') return planRead(state, call, text);
  return limitPage(state, call, text) ?? keep(state, [answerTool(call, 'PreToolUse', { context: text })]);
}
