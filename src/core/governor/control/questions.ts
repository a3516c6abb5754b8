import { isTaskReport } from '../../protocol/blocks.ts';
import type { ControlRequestEvent } from '../../protocol/events.ts';
import { fieldsOf } from '../../protocol/fields.ts';
import type { Action } from '../decisions.ts';
import { promptsInTurn } from '../prompts/mailbox.ts';
import { isOwnUuid, successLine } from '../prompts/own-lines.ts';
import type { GovernorState } from '../state.ts';
import { changedIn, emit, isAnsweringUs } from '../steps.ts';

/**
 * Handles a question from claude to the caller: a permission, a hook, an MCP server. claude waits for the answer
 * without a limit. If no caller can answer, ctxb sends an error; without ctxb, claude would see the end of its input.
 */
export function onQuestion(state: GovernorState, requestId: string): GovernorState {
  if (!state.run.callerSpeaksProtocol || state.mailbox.hasInputEnded) return emit(state, errorReply(requestId));
  return changedIn(state, 'control', { questions: [...state.process.control.questions, requestId] });
}

/** claude has the answer, or has canceled its question. */
export function closeQuestion(state: GovernorState, requestId: string): GovernorState {
  return changedIn(state, 'control', { questions: state.process.control.questions.filter((id) => id !== requestId) });
}

/**
 * ctxb's reply to a question about its own turns and prompts; undefined if the caller must answer. The caller always
 * answers hooks about tools, compactions and sessions, because these guard real effects.
 */
export function replyForCaller(state: GovernorState, event: ControlRequestEvent): Action | undefined {
  const { requestId, subtype, request } = event;
  const inOwnTurn = isAnsweringUs(state);
  if (subtype === 'can_use_tool' && inOwnTurn) return reply(requestId, DENIAL);
  if (subtype !== 'hook_callback') return undefined;
  const { hook_event_name: hook, prompt } = fieldsOf(request.input);
  const isOwn =
    (hook === 'Stop' && inOwnTurn) || (hook === 'UserPromptSubmit' && isOwnPrompt(state, prompt, inOwnTurn));
  return isOwn ? reply(requestId, {}) : undefined;
}

/** Denies tools while the agent writes a handoff document. */
const DENIAL = { behavior: 'deny', message: 'Answer in text now, without any tool.' };

/** Whether a hook is about a prompt from ctxb. claude may first report a background task. */
function isOwnPrompt(state: GovernorState, prompt: unknown, inOwnTurn: boolean): boolean {
  if (inOwnTurn) return !isTaskReport(prompt);
  return promptsInTurn(state).some(({ uuid, text }) => text === prompt && isOwnUuid(state, uuid));
}

function reply(requestId: string, answer: object): Action {
  return { kind: 'send', line: successLine(requestId, answer) };
}

function errorReply(requestId: string): Action {
  const response = { subtype: 'error', request_id: requestId, error: 'no one can answer this here' };
  return { kind: 'send', line: JSON.stringify({ type: 'control_response', response }) };
}

/** Withdraws the questions of a dead process, as claude does itself with those that need no answer any more. */
export function withdrawQuestions(state: GovernorState): GovernorState {
  const lines = state.process.control.questions.map((request_id) => ({ type: 'control_cancel_request', request_id }));
  return emit(state, ...lines.map((line) => ({ kind: 'reply', line: JSON.stringify(line) }) as const));
}

export function refuseQuestions(state: GovernorState): GovernorState {
  return emit(changedIn(state, 'control', { questions: [] }), ...state.process.control.questions.map(errorReply));
}
