import type { Prompt } from '../input.ts';
import {
  callerRequests,
  closeAnswered,
  droppedPrompts,
  isSeen,
  markOwed,
  openPrompts,
  owedPrompts,
  promptsInTurn,
  reportSkipped,
} from '../prompts/mailbox.ts';
import {
  CONTINUE_SENTENCE,
  countSent,
  hasCtxbUuid,
  isOwnUuid,
  OWN_OPENING,
  ownUuid,
  userLine,
} from '../prompts/own-lines.ts';
import { attachmentsOf, describesTask, promptIn, promptsAsText } from '../prompts/prompt.ts';
import { recordSentPrompt, withoutTurn } from '../prompts/turns.ts';
import { recordPrompt } from '../relief/exact.ts';
import type { GovernorState } from '../state.ts';
import { changed, changedIn, decide, emit, setTimer } from '../steps.ts';
import { readPrompt } from './readings.ts';

/** Time without a line after which a prompt counts as skipped: the resumed log contains it already. */
const SKIPPED_AFTER_MS = 30_000;

export function sendPrompt(state: GovernorState, prompt: Prompt): GovernorState {
  // The text may look like another role or like a repeated message, so both fields are set here.
  const afterRead = readPrompt(recordPrompt(rememberPrompt(state, prompt), prompt), {
    ...prompt.event,
    role: 'prompt',
    isReplay: false,
  });
  const { mode, callerSpeaksProtocol } = state.run;
  const isSkipped = prompt.uuid !== '' && isSeen(state.mailbox, prompt.uuid);
  const asWritten = mode === 'observe' && callerSpeaksProtocol ? ({ exact: true } as const) : {};
  const send = { kind: 'send', line: prompt.line, promptUuid: prompt.uuid, ...asWritten } as const;
  const mayBeSkipped = mode === 'act' && state.process.resumes && !hasCtxbUuid(state, prompt.uuid);
  const afterSend = isSkipped
    ? reportSkipped(afterRead, [prompt], ALREADY_RECEIVED)
    : recordSentPrompt(afterRead, prompt);
  if (mode === 'replay') return afterSend;
  return emit(afterSend, send, ...(mayBeSkipped ? [setTimer('skip', SKIPPED_AFTER_MS)] : []));
}

const ALREADY_RECEIVED = 'it has already received the uuid';

/** Sends a prompt from ctxb in a turn that the caller sees, because it continues the caller's request. */
export function injectPrompt(
  state: GovernorState,
  text: string,
  resumeReason: string,
  repeats: readonly Prompt[] = [],
): GovernorState {
  const attached = attachmentsOf(repeats);
  const content = attached.length === 0 ? text : [{ type: 'text', text }, ...attached];
  const prompt = promptIn(userLine(content, ownUuid(state)));
  if (prompt === undefined) return state;
  const sent = sendPrompt(countSent(state), { ...prompt, resumeReason, repeats });
  return state.run.hasMaxTurns && owedPrompts(state).length > 0
    ? decide(sent, 'unavailable:max-turns', 'claude counts the calls of the resumed turn from 0')
    : sent;
}

/**
 * Closes prompts for which claude starts no turn, because it read them in an earlier turn or run. No answer follows.
 */
export function closePromptsWithoutTurn(state: GovernorState): GovernorState {
  if (state.turn.phase !== 'sent') return state;
  return closeAnswered(withoutTurn(state), promptsInTurn(state));
}

export function closeSkippedPrompts(state: GovernorState): GovernorState {
  const closed = closePromptsWithoutTurn(state);
  return closed === state ? state : reportSkipped(closed, promptsInTurn(state), ALREADY_RECEIVED);
}

/**
 * Remembers the newest prompt that describes a task, or else the first prompt.
 * @param isAsked whether the model gets the prompt; claude itself answers many commands
 */
export function rememberPrompt(
  state: GovernorState,
  { uuid, command, text }: Prompt,
  isAsked = command === undefined,
): GovernorState {
  const isTask = isAsked && (state.session.latestPrompt === undefined || describesTask(text));
  return text === '' || !isTask || isOwnUuid(state, uuid) ? state : changedIn(state, 'session', { latestPrompt: text });
}

/** Resumes interrupted work in a turn that the caller sees and that answers the caller's request. */
export function resumeWork(state: GovernorState, work: string): GovernorState {
  const resumed = changed(state, { mailbox: { ...markOwed(state), resumeReason: undefined } });
  const requests = callerRequests(state, droppedPrompts(state));
  const { text, actions } =
    requests.length === 0 ? NO_ADDITION : promptsAsText(state, requests, 'What it was to answer');
  // A text that begins with ctxb's opening counts as ctxb's, so the user's words must not be in it.
  const words =
    text === '' ? `${OWN_OPENING}${work}\n\n${CONTINUE_SENTENCE}` : [work, text, CONTINUE_SENTENCE].join('\n\n');
  // If the run waited, it reports that the API answers again.
  const given = emit(resumed, ...actions);
  const announced = state.limits.wait.phase === 'none' ? decide(given, 'resume', work) : given;
  return injectPrompt(announced, words, work, requests);
}

const NO_ADDITION = { text: '', actions: [] } as const;

/** After an interrupt while ctxb holds a prompt, stops the prompt's turn when it begins. */
export function stopHeldTurnLater(state: GovernorState): GovernorState {
  const isHeld = state.turn.phase === 'idle' && openPrompts(state).length > 0;
  return isHeld ? changedIn(state, 'mailbox', { stopNext: true }) : state;
}
