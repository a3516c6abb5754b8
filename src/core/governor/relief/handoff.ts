import type { Event, ResultEvent } from '../../protocol/events.ts';
import { saysUnavailable } from '../../protocol/failures.ts';
import { isAnswer } from '../facts.ts';
import { callOutput, predicted, readGauge } from '../gauge/gauge.ts';
import type { OwnEvent } from '../input.ts';
import { LEAST_NATIVE_WINDOW, nativeLevel } from '../policy.ts';
import { answer, owed } from '../prompts/mailbox.ts';
import { countSent, ownUuid, sendInterrupt, userLine } from '../prompts/own-lines.ts';
import type { GovernorState } from '../state.ts';
import { chain, changed, changedIn, decided, keep, type Step, setTimer } from '../steps.ts';
import { isDown, statusOf } from './compaction.ts';
import { goOnStopped } from './exhaustion.ts';
import { clear, EXIT_PATIENCE_MS, endBriefing, followClear, leave, PATIENCE_MS, TURN_OVER } from './fresh-context.ts';
import { askAgain, handoffRequest } from './handoff-request.ts';
import type { HandoffPhase, HandoffPlan } from './relief-state.ts';

/**
 * Hands the work over to a fresh context: the agent is asked for a document, it is checked and written, the
 * conversation is cleared, and the fresh one begins with the document.
 */
export function startHandoff(state: GovernorState, reason: string): Step {
  const plan = planOf(state, reason, state.session.commandsOff || isDeaf(state) ? 'leave' : 'clear');
  const begun = changedIn(state, 'relief', { due: undefined });
  return chain(keep(begun, [{ kind: 'handoff', ...decided(state, reason) }]), (next) =>
    mayAsk(next) ? ask(next, plan, handoffRequest({ reason }), 'first') : write(next, plan, undefined),
  );
}

function planOf(state: GovernorState, reason: string, way: HandoffPlan['way']): HandoffPlan {
  const { gauge, session, relief, now } = state;
  return { reason, before: readGauge(gauge), startedAt: now, sessionId: session.id, way, due: relief.due };
}

/** Nothing relieves the context: what is known is written down, and the run ends. */
export function endUnrelieved(state: GovernorState, reason: string): Step {
  const plan = planOf(state, reason, 'end');
  const ending = changedIn(state, 'relief', { exhausted: undefined, hopeless: undefined });
  return state.run.policy.handoff.enabled
    ? write(ending, plan, undefined)
    : unrelieved(ending, plan, state.relief.document);
}

function unrelieved(state: GovernorState, { reason }: HandoffPlan, document: string | undefined): Step {
  const ended = changedIn(state, 'relief', { document });
  const over = keep(changed(ended, { handoff: { phase: 'idle' }, outcome: 'unrelieved' }), [
    { kind: 'unrelieved', ...decided(state, reason), path: document },
    { kind: 'deferred', fate: 'show' },
  ]);
  return chain(over, (next) => answer(next, owed(next)));
}

/** claude does not even say that it has stopped compacting, or it is dead. */
function isDeaf({ compaction, process }: GovernorState): boolean {
  return compaction.phase === 'overdue' || process.phase === 'dead';
}

/** A full context takes no further question, and a prescribed output schema allows no document. */
function mayAsk(state: GovernorState): boolean {
  const isFull = state.relief.exhausted?.cause === 'refused' || !hasRoomToAsk(state);
  return !state.run.answersInSchema && !isFull && !isDeaf(state);
}

/** The question itself must not set off claude's own compaction. */
function hasRoomToAsk({ gauge, trigger, run }: GovernorState): boolean {
  const window = gauge.window.tokens;
  if (window === undefined || window < LEAST_NATIVE_WINDOW) return true;
  const native = typeof trigger === 'number' ? trigger : nativeLevel(run.policy, window);
  return predicted(gauge) + QUESTION_TOKENS < native;
}

/** The longest question, problems of a document included. */
const QUESTION_TOKENS = 2_000;

function ask(state: GovernorState, plan: HandoffPlan, text: string, attempt: HandoffPhase<'asking'>['attempt']): Step {
  const asking = changed(countSent(state), {
    handoff: { phase: 'asking', turn: 'asked', plan, attempt, apiDown: false },
  });
  return keep(asking, [
    { kind: 'send', line: userLine(text, ownUuid(state)) },
    setTimer('handoff', patienceMs(state, 'asking')),
  ]);
}

export function followHandoff(state: GovernorState, event: Event): Step {
  const { handoff } = state;
  switch (handoff.phase) {
    case 'asking':
      return event.kind === 'result' ? readAnswer(state, handoff, event) : answering(state, handoff, event);
    case 'clearing':
      return followClear(state, handoff, event);
    case 'briefing':
      if (event.kind === 'result') return endBriefing(state);
      return keep(changed(state, { handoff: { ...handoff, turn: 'running' } }));
    default:
      return keep(state);
  }
}

function answering(state: GovernorState, handoff: HandoffPhase<'asking'>, event: Event): Step {
  const apiDown = !isAnswer(event) && (handoff.apiDown || (event.kind === 'api-retry' && isDown(statusOf(event))));
  const next = changed(state, { handoff: { ...handoff, turn: 'running', apiDown } });
  // claude waits for the API, and not the agent takes its time.
  const waits = event.kind === 'api-retry' && handoff.attempt !== 'late';
  return keep(next, waits ? [setTimer('handoff', patienceMs(state, 'asking') + event.delayMs)] : []);
}

function readAnswer(state: GovernorState, handoff: HandoffPhase<'asking'>, event: ResultEvent): Step {
  const plan = { ...handoff.plan, answer: (handoff.plan.answer ?? 0) + callOutput(state.gauge) };
  const said = [event.text, ...event.errors].join('\n');
  if (event.isError && (handoff.apiDown || saysUnavailable(said))) return putOff(state, plan, said);
  const answer = event.isError ? undefined : event.text;
  const mayAskAgain = handoff.attempt === 'first' && answer !== undefined && hasRoomToAsk(state);
  return chain(keep(state, TURN_OVER), (next) => write(next, plan, answer, mayAskAgain));
}

/** Nothing is thrown away because the API is down: the conversation goes on as it is. */
function putOff(state: GovernorState, { due }: HandoffPlan, said: string): Step {
  const relief = { ...state.relief, due, putOffAt: state.gauge.calls };
  const kept = goOnStopped(changed(state, { handoff: { phase: 'idle' }, relief }));
  const reason = said.trim() || 'the API was not available';
  return keep(kept, [...TURN_OVER, { kind: 'put-off', ...decided(kept, reason) }]);
}

function write(state: GovernorState, plan: HandoffPlan, answer: string | undefined, mayAskAgain = false): Step {
  return keep(changed(state, { handoff: { phase: 'writing', plan } }), [
    { kind: 'write-handoff', answer, mayAskAgain, reason: plan.reason },
  ]);
}

export function onHandoffProblems(state: GovernorState, problems: readonly string[]): Step {
  const { handoff } = state;
  if (handoff.phase !== 'writing') return keep(state);
  const reason = `the document has ${problems.length === 1 ? 'a problem' : `${problems.length} problems`}`;
  return chain(keep(state, [{ kind: 'ask-again', ...decided(state, reason), problems }]), (next) =>
    ask(next, handoff.plan, askAgain(problems), 'second'),
  );
}

export function onHandoffWritten(
  state: GovernorState,
  { path, text, by, problems }: Extract<OwnEvent, { readonly kind: 'handoff-written' }>,
): Step {
  const { handoff } = state;
  if (handoff.phase !== 'writing') return keep(state);
  // The user stopped it: the conversation stays as it is.
  if (state.input === 'interrupted') return keep(changed(state, { handoff: { phase: 'idle' } }));
  const { plan } = handoff;
  if (plan.way === 'end') return unrelieved(state, plan, path);
  const proceed = plan.way === 'clear' ? clear : leave;
  return proceed(state, { plan, document: { path, text, by, problems } });
}

export function onHandoffTimeout(state: GovernorState): Step {
  const { handoff } = state;
  // A turn that claude started itself is in the way.
  if (state.turn.phase === 'running') return waitForHandoff(state);
  switch (handoff.phase) {
    case 'asking':
      return giveUpAsking(state, handoff);
    case 'clearing':
      return leave(state, handoff);
    case 'briefing':
      return handoff.isLate ? keep(state, [{ kind: 'kill' }]) : stopLate(state, { ...handoff, isLate: true });
    case 'idle':
      if (!isDeaf(state)) return keep(state);
      // The work goes on in another process, in a fresh context where that is due.
      return state.relief.due === undefined ? keep(state, [{ kind: 'kill' }]) : startHandoff(state, state.relief.due);
    default:
      return keep(state);
  }
}

/** A turn that claude started itself came between: waiting starts over. */
export function waitForHandoff(state: GovernorState): Step {
  const { phase } = state.handoff;
  const isOfTurn = phase === 'asking' || phase === 'clearing' || phase === 'briefing';
  return keep(state, isOfTurn ? [setTimer('handoff', patienceMs(state, phase))] : []);
}

function patienceMs({ run }: GovernorState, phase: 'asking' | 'clearing' | 'briefing'): number {
  return phase === 'asking' ? run.policy.handoff.timeoutSeconds * 1000 : PATIENCE_MS[phase];
}

/** The agent is told to stop; a claude that does not even do that is left. */
function giveUpAsking(state: GovernorState, handoff: HandoffPhase<'asking'>): Step {
  if (handoff.attempt === 'late') {
    const left = keep(state, [{ kind: 'buffered', fate: 'drop' }]);
    return chain(left, (next) => write(next, { ...handoff.plan, way: 'leave' }, undefined));
  }
  return stopLate(state, { ...handoff, attempt: 'late' });
}

/** Its turn is to end before the next begins: else the end of the one would be taken for that of the other. */
function stopLate(state: GovernorState, handoff: HandoffPhase<'asking' | 'briefing'>): Step {
  return chain(keep(changed(state, { handoff }), [setTimer('handoff', EXIT_PATIENCE_MS)]), sendInterrupt);
}
