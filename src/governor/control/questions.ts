import type { ControlRequestEvent } from '../../stream/events.ts';
import type { Action } from '../actions.ts';
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

/** While the agent writes a handoff document it may want to use a tool all the same: nobody is asked about that. */
export function isAskedInHandoff({ handoff }: GovernorState, { subtype }: ControlRequestEvent): boolean {
  return subtype === 'can_use_tool' && (handoff.phase === 'asking' || handoff.phase === 'briefing');
}

export function denial(requestId: string): Action {
  const answer = { behavior: 'deny', message: 'Answer in text now, without any tool.' };
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
