import type { ControlRequestEvent } from '../../protocol/events.ts';
import { type Fields, fieldsOf, stringOf, textOf } from '../../protocol/fields.ts';
import { AGENT_TOOLS, agentCountReason, askAgent, endStopped, takeStopNotices } from '../agents/agent-limits.ts';
import type { HookAnswer, HookName } from '../effects.ts';
import { readGauge } from '../gauge/gauge.ts';
import { documentToGive, recordCleared, resumesInNewProcess } from '../operations/fresh-context.ts';
import { stopAtLimit } from '../prompts/own-lines.ts';
import { commandIn, promptsAsText } from '../prompts/prompt.ts';
import { maxGivenBackLength } from '../relief/beside-summary.ts';
import { GIVEN_BACK_OPENING, isExact, promptsLostToSummary } from '../relief/exact.ts';
import { stopTurnForHandoff } from '../relief/exhaustion.ts';
import { focusText, notesClause } from '../relief/focus.ts';
import type { GovernorState } from '../state.ts';
import { changedAnswer, decide, emit, isAnswered, withoutText } from '../steps.ts';
import { cutResult } from '../tool-budget/cut-result.ts';
import { alertAgent, hintFor } from '../tool-budget/hints.ts';
import { limitRead } from '../tool-budget/limit-call.ts';
import type { FileMeasure, ToolCall, ToolHook } from '../tool-budget/tool-budget.ts';
import { onPostToolUse, onPreToolUse, onToolFailure } from '../tool-budget/tool-hooks.ts';
import { answerHook, readToolCall, removeRecord, setHistory } from '../tool-budget/tool-state.ts';
import { tellAgent } from '../zones/notices.ts';

/** Ids of ctxb's hooks. claude names one when it calls a hook. */
export const CALLBACKS: Readonly<Record<HookName, string>> = {
  PreCompact: 'ctxb:pre-compact',
  SessionStart: 'ctxb:session-start',
  PostCompact: 'ctxb:post-compact',
  UserPromptSubmit: 'ctxb:user-prompt-submit',
  PreToolUse: 'ctxb:pre-tool-use',
  PostToolUse: 'ctxb:post-tool-use',
  PostToolUseFailure: 'ctxb:post-tool-use-failure',
};

/** Answers a call of one of ctxb's hooks, always with one `answer-hook`. */
export function answerCallback(state: GovernorState, event: ControlRequestEvent): GovernorState {
  const hook = hookOf(event.callbackId);
  if (isToolHook(hook)) return answerToolHook(state, hook, event);
  const input = fieldsOf(event.request.input);
  const answer: HookAnswer = { kind: 'answer-hook', requestId: event.requestId, hook, output: {} };
  if (concernsSubagent(event)) return emit(state, answer);
  if (hook === 'PreCompact') return answerPreCompact(state, answer, input);
  if (hook === 'UserPromptSubmit') return answerPrompt(state, answer, stringOf(input.prompt));
  if (hook !== 'SessionStart') return emit(state, answer);
  if (input.source === 'compact') return giveBackPrompts(state, answer);
  return resumesInNewProcess(state) ? emit(recordCleared(state, false), answer) : giveDocument(state, answer);
}

/** Whether a hook is about a tool. Such a hook needs a matcher. */
export function isToolHook(hook: string): hook is ToolHook {
  return hook.includes('ToolUse');
}

export function hookOf(callbackId: string | undefined): HookName {
  const hooks = Object.keys(CALLBACKS) as HookName[];
  return hooks.find((hook) => CALLBACKS[hook] === callbackId) ?? 'PostCompact';
}

/** Adds context to a prompt. Not to a command: claude may not send it to the model, and the context would be lost. */
function answerPrompt(state: GovernorState, answer: HookAnswer, prompt: string): GovernorState {
  if (commandIn(prompt) !== undefined) return emit(state, answer);
  const stopped = stopAtLimit(state);
  // claude drops the stopped prompt, and would drop added context with it.
  if (stopped !== state) return emit(stopped, answer);
  // Before `/clear`, a background task can start a turn in the old context. The document is for the fresh one.
  const given = state.operation.phase === 'clearing' ? emit(state, answer) : giveDocument(state, answer);
  return answerWithNotice(given, answer.requestId);
}

function giveDocument(state: GovernorState, answer: HookAnswer): GovernorState {
  const document = documentToGive(state);
  if (document === undefined) return emit(state, answer);
  const { text: context } = document;
  return emit(setHistory(recordCleared(state, true), context), { ...answer, context });
}

/** Gives the focus to a compaction that claude started. ctxb's own has it as the argument of `/compact`. */
function answerPreCompact(
  state: GovernorState,
  answer: HookAnswer,
  { trigger, custom_instructions }: Fields,
): GovernorState {
  if (trigger === 'auto' && state.relief.isUnwritable && state.run.mode === 'act') {
    return emit(state, { ...answer, output: { decision: 'block', reason: 'its result could not be written' } });
  }
  const { operation } = state;
  // The mod has left ctxb's compaction to claude, and the command for an exact compaction has no focus.
  const isLeftToClaude = operation.phase === 'compacting' && operation.attempt.how === 'exact';
  const focus = trigger === 'auto' || isLeftToClaude ? focusText(state) : notesClause(state);
  if (focus === '' || textOf(custom_instructions)?.includes(focus)) return emit(state, answer);
  const at = state.process.control.trigger;
  const isPlanned = typeof at === 'number' && readGauge(state.gauge).predicted >= at;
  const reason = isPlanned ? `claude compacts at its trigger of ${at} tokens` : 'claude compacts unplanned';
  const reported = trigger === 'auto' ? decide(state, 'mid-turn:focus', reason) : state;
  return emit(reported, { ...answer, output: { systemMessage: `When you summarise, ${focus}` } });
}

/**
 * UTF-16 units of the sentences around a long prompt. They and the prompt take half of the room, because the notes need
 * the other half.
 */
const FRAME_LENGTH = 200;

/** Repeats the turn's own prompt after a compaction within the turn, because the next request lacks it. */
function giveBackPrompts(state: GovernorState, plain: HookAnswer): GovernorState {
  // An exact compaction keeps the prompts, and its note has the rest.
  if (isExact(state)) return emit(state, plain);
  const room = maxGivenBackLength(state);
  const answer: HookAnswer = { ...plain, recall: true, room };
  const prompts = promptsLostToSummary(state);
  if (prompts.length === 0) return emit(state, answer);
  const { text, shorter, actions } = promptsAsText(state, prompts, GIVEN_BACK_OPENING, room && room / 2 - FRAME_LENGTH);
  const promptUuids = prompts.map((prompt) => prompt.uuid);
  const reported = decide(emit(state, ...actions), 'mid-turn:prompts', 'compacted mid-turn', { promptUuids });
  return emit(reported, { ...answer, context: text, ...(shorter !== undefined && { shorter }) });
}

/** Whether a hook is about a subagent. Subagents have their own contexts, of which ctxb keeps no notes. */
export function concernsSubagent({ request }: ControlRequestEvent): boolean {
  return Boolean(textOf(fieldsOf(request.input).agent_id));
}

function answerWithNotice(state: GovernorState, requestId: string, call?: ToolCall): GovernorState {
  const hint = call === undefined ? withoutText(state) : hintFor(state, call);
  const zone = tellAgent(hint.state, call === undefined ? 'prompt' : 'mid-turn');
  const alert = state.run.policy.zones.tellAgent ? alertAgent(zone.state) : withoutText(zone.state);
  const stopped = takeStopNotices(alert.state, undefined);
  const text = [hint.text, zone.text, alert.text, stopped.text].filter(Boolean).join(' ');
  return withContext(stopped.state, requestId, text);
}

function withContext(state: GovernorState, requestId: string, text: string): GovernorState {
  if (text === '') return state;
  return changedAnswer(state, requestId, ({ context }) => ({
    context: [context, text].filter(Boolean).join('\n\n'),
  }));
}

/** Answers the hook of a tool at once, or after the host has measured a file or stored a result. */
function answerToolHook(state: GovernorState, hook: ToolHook, event: ControlRequestEvent): GovernorState {
  const call = readToolCall(hook, event);
  if (hook === 'PreToolUse') return STARTS_AGENT.test(call.tool) ? beforeAgent(state, call) : onPreToolUse(state, call);
  const output = endStopped(state, call.agent);
  if (output !== undefined) return emit(state, { kind: 'answer-hook', requestId: call.requestId, hook, output });
  const { state: afterNotice, text } = takeStopNotices(state, call.toolUseId);
  const judged = (hook === 'PostToolUse' ? onPostToolUse : onToolFailure)(afterNotice, call);
  return withContext(afterMainTool(judged, call), call.requestId, text);
}

const STARTS_AGENT = new RegExp(`^(?:${AGENT_TOOLS})$`);

function beforeAgent(before: GovernorState, call: ToolCall): GovernorState {
  const { state, text: refusal } = askAgent(before, call.toolUseId);
  if (refusal === '') return answerHook(state, call);
  const denial = { permissionDecision: 'deny', permissionDecisionReason: refusal };
  const agent = 'a further subagent';
  const noted = decide(state, 'limit:agents', agentCountReason(state), { todo: 'refuse', agent });
  return answerHook(noted, call, '', denial);
}

export function onFileMeasured(state: GovernorState, requestId: string, file: FileMeasure | undefined): GovernorState {
  const plan = state.work.budget.waiting[requestId];
  return plan?.kind === 'read' ? limitRead(removeRecord(state, 'waiting', requestId), plan, file) : state;
}

export function onResultStored(state: GovernorState, requestId: string, path: string | undefined): GovernorState {
  const plan = state.work.budget.waiting[requestId];
  return plan?.kind === 'result'
    ? afterMainTool(cutResult(removeRecord(state, 'waiting', requestId), plan, path), plan.call)
    : state;
}

/** Adds the notices to the result of a tool, or ends the turn here. */
function afterMainTool(state: GovernorState, call: ToolCall): GovernorState {
  if (call.agent !== null || !isAnswered(state, call.requestId)) return state;
  const notified = answerWithNotice(state, call.requestId, call);
  return call.hook === 'PostToolUse' ? stopTurnForHandoff(notified, call.requestId) : notified;
}
