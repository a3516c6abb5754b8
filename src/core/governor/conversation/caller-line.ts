import { isContent } from '../../protocol/blocks.ts';
import type { ControlRequestEvent, Event } from '../../protocol/events.ts';
import { type Fields, fieldsOf, parseFields, parseJson } from '../../protocol/fields.ts';
import {
  keepingPermissions,
  openFirstControl,
  recordCredentials,
  recordPermissions,
  recordRequest,
} from '../control/callers-requests.ts';
import { askAgents, mergeInitialize } from '../control/control.ts';
import { closeQuestion, refuseQuestions } from '../control/questions.ts';
import type { OutsideRequest, Prompt } from '../input.ts';
import { recordInterrupt } from '../operations/compact.ts';
import { adviseDueRelief, dueRelief } from '../operations/relief.ts';
import { endProcess } from '../process/stall.ts';
import { answerWithDeferredEnd, closeAnswered, waiting, withPrompt } from '../prompts/mailbox.ts';
import { controlLine, countSent, hasCtxbUuid, ownUuid, stopWhenTurnBegins, successLine } from '../prompts/own-lines.ts';
import { toPrompt } from '../prompts/prompt.ts';
import { withoutWakeup } from '../prompts/tasks.ts';
import type { Requester } from '../relief/relief-state.ts';
import type { GovernorState } from '../state.ts';
import { changed, changedIn, emit, isRelieving, isWithinLimit } from '../steps.ts';
import { stopWaiting } from '../waits/wait.ts';
import { isTooLarge } from '../zones/notices.ts';
import { closeInput, isBetweenTurns } from './advance.ts';
import { onOutsideRequest } from './outside-requests.ts';
import { sendPrompt, stopHeldTurnLater } from './send-prompt.ts';

export function onCallerLine(before: GovernorState, event: Event, line: string): GovernorState {
  const given = endsClaude(event, line) ? changedIn(before, 'process', { hasFatalLine: true }) : before;
  if (given.run.mode !== 'act') return passThrough(given, event, line);
  const state = recordCredentials(given, event, line);
  const request = requestToCtxb(event);
  if (request !== undefined) return onOutsideRequest(state, request.ask, request.by);
  if (event.kind === 'control-request') return handleControlRequest(state, event, line);
  // Between two processes claude cannot answer.
  if (state.process.control.phase !== 'closed' || state.process.phase === 'dead') return dispatch(state, event, line);
  // The caller may send `initialize` until its first prompt.
  return event.kind === 'user' ? dispatch(openFirstControl(state), event, line) : sendLine(state, line);
}

export function onCallerEnd(state: GovernorState): GovernorState {
  const isDone = state.turn.phase === 'idle' && waiting(state).length === 0 && !isRelieving(state);
  // claude starts no scheduled wake-up after its input closes between turns.
  const next = isDone ? changedIn(state, 'work', { tasks: withoutWakeup(state.work.tasks) }) : state;
  const ended = changedIn(next, 'mailbox', { hasInputEnded: true });
  return state.run.mode === 'observe' && state.run.callerSpeaksProtocol ? closeInput(ended) : refuseQuestions(ended);
}

/** Finds a control request to ctxb: `compact` or `handoff`. claude does not know these. */
function requestToCtxb(event: Event): { readonly ask: OutsideRequest; readonly by: Requester } | undefined {
  if (event.kind !== 'control-request') return undefined;
  const { subtype: what, now } = event.request;
  if (what !== 'compact' && what !== 'handoff') return undefined;
  return { ask: { what, now: now === true }, by: { from: 'caller', id: event.requestId } };
}

function dispatch(state: GovernorState, event: Event, line: string): GovernorState {
  if (event.kind === 'control-response') {
    return sendLine(closeQuestion(recordPermissions(state, event), event.requestId), line);
  }
  if (event.kind !== 'user' || !isAnswerable(line)) return sendLine(state, line);
  const prompt = toPrompt(event, line);
  if (joinsTurn(state, prompt)) return sendPrompt(state, prompt);
  const queued = changed(state, { mailbox: withPrompt(state.mailbox, prompt, 'waiting') });
  const mustWait =
    waiting(queued).length > 1 ||
    !isBetweenTurns(state) ||
    dueRelief(state, prompt) !== undefined ||
    isTooLarge(state, prompt);
  return mustWait ? emit(queued, { kind: 'hold', uuid: prompt.uuid, line }) : queued;
}

function handleControlRequest(asked: GovernorState, event: ControlRequestEvent, line: string): GovernorState {
  const { message_uuid, cancel_queued } = event.request;
  if (event.subtype === 'cancel_async_message' && waiting(asked).some(({ uuid }) => uuid === message_uuid)) {
    const reply = successLine(event.requestId, { cancelled: true, message_uuid });
    return emit(cancelHeld(asked, message_uuid), { kind: 'reply', line: reply });
  }
  const cancels = event.subtype === 'interrupt' && cancel_queued === true;
  const before = cancels ? cancelHeld(asked) : asked;
  const { turn, process } = before;
  // Now claude would drop a sent prompt. Without ctxb, it does so only if asked, or in a hook of the caller's.
  if (event.subtype === 'interrupt' && !cancels && turn.phase === 'sent' && process.control.questions.length === 0) {
    const still_queued = waiting(before).flatMap(({ uuid }) => (hasCtxbUuid(before, uuid) ? [] : uuid));
    return emit(stopWhenTurnBegins(before), { kind: 'reply', line: successLine(event.requestId, { still_queued }) });
  }
  const state = recordRequest(before, event);
  if (event.subtype === 'interrupt') {
    return sendLine(stopHeldTurnLater(recordInterrupt(endPause(stopTurn(state)))), line);
  }
  if (event.subtype !== 'initialize') {
    const request = keepingPermissions(state, event.request);
    return sendLine(state, request === event.request ? line : controlLine(event.requestId, request));
  }
  // The next process gets the recorded `initialize`.
  return state.process.phase === 'dead' ? state : mergeInitialize(state, event.request, event.requestId);
}

/** Records that the caller stops the turn. ctxb, which may have stopped it already, then does not continue it. */
function stopTurn(state: GovernorState): GovernorState {
  const { phase, stopped } = state.turn;
  if (phase !== 'running') return changedIn(state, 'turn', { stopped: stopped ?? 'asked' });
  const next = changedIn(changedIn(state, 'turn', { stopped: 'asked' }), 'limits', { isCutShort: false });
  // The next process gets the caller's interrupt.
  return stopped === 'stall' ? endProcess(next) : next;
}

/** Closes prompts that ctxb holds, and reports them as claude would. @param uuid of the prompt; default: all prompts */
function cancelHeld(state: GovernorState, uuid?: unknown): GovernorState {
  const these = waiting(state).filter((prompt) => uuid === undefined || prompt.uuid === uuid);
  return these.reduce(
    (next, prompt) => {
      const line = { type: 'command_lifecycle', command_uuid: prompt.uuid, state: 'cancelled', uuid: ownUuid(next) };
      const report = { kind: 'reply', line: JSON.stringify({ ...line, session_id: next.session.id }) } as const;
      return hasCtxbUuid(next, prompt.uuid) ? next : emit(countSent(next), report);
    },
    closeAnswered(state, these),
  );
}

/**
 * Whether claude exits at this line: invalid JSON, `null`, a role other than `user`, or a request without content. It
 * ignores other values.
 */
function endsClaude(event: Event, line: string): boolean {
  if (event.kind === 'malformed') return !event.isBlank && (parseJson(line) ?? null) === null;
  if (event.kind === 'control-request') return !parseFields(line).request;
  return event.kind === 'user' && messageIn(line).role !== 'user';
}

/** Whether claude answers the message. It exits at another role than `user`, and ignores invalid content. */
function isAnswerable(line: string): boolean {
  const { role, content } = messageIn(line);
  return role === 'user' && isContent(content);
}

function messageIn(line: string): Fields {
  return fieldsOf(parseFields(line).message);
}

/** Ends the pause before ctxb repeats a turn. The caller gets the result that claude wrote for the turn. */
function endPause(state: GovernorState): GovernorState {
  const stopped = stopWaiting(state);
  if (stopped === state || state.mailbox.input === 'closed') return state;
  return answerWithDeferredEnd(changedIn(stopped, 'mailbox', { resumeReason: undefined }));
}

function sendLine(state: GovernorState, line: string): GovernorState {
  return emit(state, { kind: 'send', line });
}

/**
 * Whether a prompt goes into the running turn at once, as without ctxb. A command does not: claude would run it after
 * the turn, where ctxb could mistake it for one of its own.
 */
function joinsTurn(state: GovernorState, prompt: Prompt): boolean {
  return (
    state.turn.phase === 'running' &&
    state.mailbox.input === 'open' &&
    isWithinLimit(state) &&
    prompt.command === undefined &&
    !isRelieving(state) &&
    waiting(state).length === 0
  );
}

/**
 * Passes the caller's lines unchanged and at once in observe mode. Without the stream protocol, ctxb sends the prompts
 * one by one.
 */
function passThrough(state: GovernorState, event: Event, line: string): GovernorState {
  if (event.kind !== 'user')
    return state.run.mode === 'replay' ? state : emit(state, { kind: 'send', line, exact: true });
  const prompt = toPrompt(event, line);
  if (state.run.mode === 'observe' && !state.run.callerSpeaksProtocol) {
    return askAgents(changed(state, { mailbox: withPrompt(state.mailbox, prompt, 'waiting') }));
  }
  return sendPrompt(state.turn.phase === 'idle' ? adviseDueRelief(state, prompt) : state, prompt);
}
