import type { ControlRequestEvent } from '../../stream/events.ts';
import type { GovernorState } from '../state.ts';
import { keep, type Step } from '../steps.ts';
import { afterFailure, afterTool } from '../tool-budget/after-tool.ts';
import { beforeTool } from '../tool-budget/before-tool.ts';
import { cutResult } from '../tool-budget/cut-result.ts';
import { type FileMeasure, limitRead } from '../tool-budget/limit-read.ts';
import { readToolCall, type ToolCall } from '../tool-budget/tool-call.ts';
import { stopWaiting } from '../tool-budget/tool-state.ts';
import { tellWith } from './telling.ts';

/** Hooks of tools. */
export type ToolHook = 'PreToolUse' | 'PostToolUse' | 'PostToolUseFailure';

/** Answers a hook of a tool, at once or when the shell has looked at a file or stored a result. */
export function answerToolHook(state: GovernorState, hook: ToolHook, event: ControlRequestEvent): Step {
  const call = readToolCall(event);
  if (hook === 'PreToolUse') return beforeTool(state, call);
  return tellMain(hook === 'PostToolUse' ? afterTool(state, call) : afterFailure(state, call), call);
}

/** The file that a Read is about was looked at. */
export function onFileMeasured(state: GovernorState, requestId: string, file: FileMeasure | undefined): Step {
  const plan = state.toolBudget.waiting[requestId];
  return plan?.kind === 'read' ? limitRead(stopWaiting(state, requestId), plan, file) : keep(state);
}

/** A result that is to be cut was stored, or could not be. */
export function onResultStored(state: GovernorState, requestId: string, path: string | undefined): Step {
  const plan = state.toolBudget.waiting[requestId];
  return plan?.kind === 'result'
    ? tellMain(cutResult(stopWaiting(state, requestId), plan, path), plan.call)
    : keep(state);
}

/** A subagent's context is its own: how full the main thread's is, is no business of it. */
function tellMain(step: Step, { agent }: ToolCall): Step {
  return agent === null ? tellWith(step, 'mid-turn') : step;
}
