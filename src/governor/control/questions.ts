import type { ControlRequestEvent } from '../../stream/events.ts';
import { fieldsOf } from '../../stream/fields.ts';
import type { Action } from '../actions.ts';
import { isOwnUuid } from '../prompts/own-lines.ts';
import type { GovernorState } from '../state.ts';
import { keep, type Step } from '../steps.ts';

/**
 * claude asks the caller something over the control channel (a permission, a hook, an MCP server of his) and waits for
 * as long as it takes. Where nobody is there to answer, or nobody any more, it is told so; alone it would see that its
 * input is closed.
 */
export function onQuestion(state: GovernorState, requestId: string): Step {
  if (!state.run.callerSpeaksProtocol || state.mailbox.ended) return keep(state, [refusal(requestId)]);
  return keep(withQuestions(state, [...state.control.questions, requestId]));
}

/**
 * The reply to a question that the caller is not asked, because it is about what ctxb itself says to the agent; undefined:
 * it is his to answer. Hooks around tools, compactions and sessions stay his: they guard and follow what really happens.
 */
export function replyForCaller(state: GovernorState, event: ControlRequestEvent): Action | undefined {
  const { requestId, subtype, request } = event;
  const inOwnTurn = state.handoff.phase === 'asking' || state.handoff.phase === 'briefing';
  if (subtype === 'can_use_tool' && inOwnTurn) return reply(requestId, DENIAL);
  if (subtype !== 'hook_callback') return undefined;
  const { hook_event_name: hook, prompt } = fieldsOf(request.input);
  const isOwn =
    (hook === 'Stop' && inOwnTurn) || (hook === 'UserPromptSubmit' && isOwnPrompt(state, prompt, inOwnTurn));
  return isOwn ? reply(requestId, {}) : undefined;
}

/** While the agent writes a handoff document it may want to use a tool all the same. */
const DENIAL = { behavior: 'deny', message: 'Answer in text now, without any tool.' };

/** claude may report a background task before it gets to what ctxb has said. */
function isOwnPrompt(state: GovernorState, prompt: unknown, inOwnTurn: boolean): boolean {
  if (inOwnTurn) return !String(prompt).startsWith('<task-notification>');
  return state.turn.prompts.some(({ uuid, text }) => text === prompt && isOwnUuid(state, uuid));
}

function reply(requestId: string, answer: object): Action {
  const response = { subtype: 'success', request_id: requestId, response: answer };
  return { kind: 'send', line: JSON.stringify({ type: 'control_response', response }) };
}

/** The caller has answered. */
export function onAnswer(state: GovernorState, requestId: string): GovernorState {
  const { questions } = state.control;
  return questions.includes(requestId)
    ? withQuestions(
        state,
        questions.filter((id) => id !== requestId),
      )
    : state;
}

/** The caller is gone: what he has not answered he never will. */
export function refuseQuestions(state: GovernorState): Step {
  return keep(withQuestions(state, []), state.control.questions.map(refusal));
}

function withQuestions(state: GovernorState, questions: readonly string[]): GovernorState {
  return { ...state, control: { ...state.control, questions } };
}

function refusal(requestId: string): Action {
  const response = { subtype: 'error', request_id: requestId, error: 'no one can answer this here' };
  return { kind: 'send', line: JSON.stringify({ type: 'control_response', response }) };
}
