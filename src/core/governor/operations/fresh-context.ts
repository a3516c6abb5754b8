import type { Event } from '../../protocol/events.ts';
import type { Action } from '../decisions.ts';
import { emptyContext } from '../gauge/gauge.ts';
import { markDropped } from '../prompts/mailbox.ts';
import { beginOwnTurn, sendInterrupt } from '../prompts/own-lines.ts';
import { UNTRIED } from '../relief/ladder.ts';
import type { HandoffDocument } from '../relief/relief-state.ts';
import { contentsAfterRelief } from '../relief/tool-results.ts';
import { type GovernorState, NEW_PROCESS } from '../state.ts';
import { changed, changedIn, clearTimer, DROP_BUFFERED, decide, emit, setTimer } from '../steps.ts';
import { healthEffect } from '../zones/notices.ts';
import { IDLE, type Operation, type OperationIn, type WrittenHandoff } from './operation.ts';

/** Time for claude to exit or to end its turn. An idle claude exits as soon as its input closes. */
const EXIT_TIMEOUT_MS = 10_000;

/** Actions at the end of an injected turn. */
export const TURN_OVER: readonly Action[] = [clearTimer('operation'), DROP_BUFFERED];

export function startClear(state: GovernorState, written: WrittenHandoff): GovernorState {
  const operation = { phase: 'clearing', turn: 'asked', ...written, isProved: false, isGiven: false } as const;
  return beginOwnTurn(state, operation, '/clear');
}

/** Looks for a sign of a new conversation: a `reset`, another session id, or a call of the SessionStart hook. */
export function onClearLine(state: GovernorState, operation: OperationIn<'clearing'>, event: Event): GovernorState {
  const { replaced } = state.facts;
  const isNewConversation = operation.isProved || replaced === 'reset' || replaced === 'session';
  // Until then, a turn that a background task starts may come first.
  const turn = isNewConversation ? 'running' : operation.turn;
  const followed = changedIn(state, 'operation', { turn, isProved: isNewConversation });
  if (event.kind !== 'result') return followed;
  const over = emit(followed, ...TURN_OVER);
  return isNewConversation ? finishClear(over, operation, 'clear', operation.isGiven) : startLeaving(over, operation);
}

/**
 * Records that claude's hook has reported a new conversation.
 * @param hasDocument whether the answer to the hook contains the document
 */
export function recordCleared(state: GovernorState, hasDocument: boolean): GovernorState {
  if (state.operation.phase === 'clearing')
    return changedIn(state, 'operation', { isProved: true, isGiven: hasDocument });
  return changedIn(state, 'relief', { undelivered: undefined });
}

/**
 * Whether the stopped turn resumes in a new process, so that its prompt brings the document. At the start of the
 * conversation, the document would come before claude's own introduction and make that miss the prompt cache.
 */
export function resumesInNewProcess({ operation, relief, run }: GovernorState): boolean {
  // A run with a single prompt has no prompt hook.
  return operation.phase === 'clearing' && relief.exhausted?.isUnrelieved === true && run.singlePrompt !== true;
}

/** The document that the agent has not received yet. */
export function documentToGive({ operation, relief }: GovernorState): HandoffDocument | undefined {
  return operation.phase === 'clearing' && !operation.isGiven ? operation.document : relief.undelivered;
}

export function startLeaving(state: GovernorState, { plan, document }: WrittenHandoff): GovernorState {
  const leaving = changed(state, { operation: { phase: 'leaving', plan, document } });
  if (state.process.phase === 'dead') return startFresh(leaving);
  return emit(leaving, { kind: 'end-input' }, setTimer('exit', EXIT_TIMEOUT_MS));
}

/** Starts a process without the conversation, after the old process has ended. */
export function startFresh(state: GovernorState): GovernorState {
  const { restarts, stalls } = state.process;
  return emit(
    changedIn(state, 'process', { ...NEW_PROCESS, phase: 'dead', restarts: restarts + 1, stalls }),
    clearTimer('exit'),
    { kind: 'start-claude', resume: undefined, isFirst: false, folder: state.session.folder, afterMs: 0 },
  );
}

export function finishAfterExit(state: GovernorState): GovernorState {
  const { operation } = state;
  return operation.phase === 'leaving' ? finishClear(state, operation, 'process') : state;
}

/** Ends a handoff. @param hasDocument whether a hook has given the agent the document */
function finishClear(
  state: GovernorState,
  { plan, document }: WrittenHandoff,
  way: 'clear' | 'process',
  hasDocument = false,
): GovernorState {
  const { relief, gauge, work } = state;
  const { path, by, problems } = document;
  const fresh = changed(state, {
    operation: IDLE,
    gauge: emptyContext(gauge, 0),
    mailbox: markDropped(state),
    work: { ...work, tools: { ...work.tools, contents: contentsAfterRelief(work.tools.contents) } },
    relief: {
      ...relief,
      ...UNTRIED,
      latch: 'none',
      triedAt: undefined,
      lastHandoff: { call: gauge.calls, sizeAfter: undefined, answerTokens: plan.answer },
      unmeasured: { kind: 'handoff', before: plan.before, isOurs: true },
      boundaries: [],
      refills: 0,
      undelivered: hasDocument ? undefined : document,
      openingDocument: document,
      documentPath: path,
    },
  });
  const ms = state.facts.now - plan.startedAt;
  const reported = decide(fresh, 'handed-over', plan.reason, { by, path, way, ms, problems });
  return emit(reported, healthEffect(fresh, { event: 'handoff', ms, by, reason: plan.reason }, plan.before.predicted));
}

/** Gives the agent the document in a hidden turn, because claude runs no hooks. */
export function startBriefing(state: GovernorState, document: HandoffDocument): GovernorState {
  const text = `${document.text}\n\nThe work continues with the next message. Answer only: OK`;
  const given = changedIn(state, 'relief', { undelivered: undefined });
  return beginOwnTurn(given, { phase: 'briefing', turn: 'asked' }, text);
}

export function onBriefingLine(state: GovernorState, _operation: Operation, event: Event): GovernorState {
  if (event.kind === 'result') return emit(changed(state, { operation: IDLE }), ...TURN_OVER);
  return changedIn(state, 'operation', { turn: 'running' });
}

export function giveUpBriefing(state: GovernorState, operation: OperationIn<'briefing'>): GovernorState {
  return operation.isLate ? emit(state, { kind: 'kill' }) : interruptLateTurn(state);
}

/** Interrupts a late injected turn. Otherwise ctxb would take its result for the next turn's. */
export function interruptLateTurn(state: GovernorState): GovernorState {
  return sendInterrupt(emit(changedIn(state, 'operation', { isLate: true }), setTimer('operation', EXIT_TIMEOUT_MS)));
}
