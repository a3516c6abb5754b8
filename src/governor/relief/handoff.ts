import type { ControlResponseEvent, Event, ResultEvent } from '../../stream/events.ts';
import { countOf } from '../../stream/fields.ts';
import { request, sendInterrupt } from '../control/control-request.ts';
import { emptyContext, readGauge } from '../gauge/gauge.ts';
import type { OwnEvent } from '../input.ts';
import { countSent, ownUuid, userLine } from '../prompts/own-lines.ts';
import { decided, type GovernorState } from '../state.ts';
import { chain, keep, type Step } from '../steps.ts';
import { health } from '../zones/notices.ts';
import { askAgain, handoffRequest } from './handoff-request.ts';
import type { Handoff, HandoffDocument, HandoffPlan } from './relief-state.ts';
import { COMMANDS_OFF } from './verdict.ts';

/** Nothing has to be computed for `/clear`. */
const CLEAR_PATIENCE_MS = 30_000;

const BRIEFING_PATIENCE_MS = 120_000;

/** A claude whose input is closed and that has nothing to do ends at once. */
const EXIT_PATIENCE_MS = 10_000;

type Phase<P extends Handoff['phase']> = Extract<Handoff, { readonly phase: P }>;

/**
 * Hands the work over to a fresh context: the agent is asked for a document, it is checked and written, the
 * conversation is cleared, and the fresh one begins with the document.
 */
export function startHandoff(state: GovernorState, reason: string): Step {
  const plan: HandoffPlan = {
    reason,
    before: readGauge(state.gauge),
    startedAt: state.now,
    sessionId: state.session.id,
    mustLeave: state.session.commandsOff || isDeaf(state),
  };
  const begun: GovernorState = { ...state, relief: { ...state.relief, due: undefined } };
  return chain(keep(begun, [{ kind: 'handoff', ...decided(state, reason) }]), (next) =>
    mayAsk(next) ? ask(next, plan, handoffRequest({ reason }), 'first') : write(next, plan, undefined, false),
  );
}

/** claude does not even say that it has stopped compacting, or it is dead. */
function isDeaf({ compaction, process }: GovernorState): boolean {
  return compaction.phase === 'overdue' || process.phase === 'dead';
}

/** One that hears nothing is ended: the work goes on in another process, in a fresh context where that is due. */
function leaveDeaf(state: GovernorState): Step {
  const { due } = state.relief;
  if (due !== undefined) return startHandoff(state, due);
  return keep(state, state.turn.phase === 'running' ? [] : [{ kind: 'kill' }]);
}

/** A full context takes no further question, and an answer in a prescribed shape is no document. */
function mayAsk(state: GovernorState): boolean {
  return !state.run.answersInSchema && state.relief.exhausted === undefined && !isDeaf(state);
}

function ask(state: GovernorState, plan: HandoffPlan, text: string, attempt: Phase<'asking'>['attempt']): Step {
  const line = userLine(text, ownUuid(state));
  const asking: GovernorState = { ...countSent(state), handoff: { phase: 'asking', turn: 'asked', plan, attempt } };
  const afterMs = state.run.policy.handoff.timeoutSeconds * 1000;
  return keep(asking, [
    { kind: 'send', line },
    { kind: 'set-timer', timer: 'handoff', afterMs },
  ]);
}

/** A line of a turn that belongs to the handoff. */
export function followHandoff(state: GovernorState, event: Event): Step {
  const { handoff } = state;
  switch (handoff.phase) {
    case 'asking':
      return event.kind === 'result' ? readAnswer(state, handoff, event) : keep(running(state, handoff));
    case 'clearing':
      return followClear(state, handoff, event);
    case 'briefing':
      return event.kind === 'result' ? endBriefing(state) : keep(running(state, handoff));
    default:
      return keep(state);
  }
}

function running(state: GovernorState, handoff: Phase<'asking' | 'clearing' | 'briefing'>): GovernorState {
  return handoff.turn === 'running' ? state : { ...state, handoff: { ...handoff, turn: 'running' } };
}

function readAnswer(state: GovernorState, { plan, attempt }: Phase<'asking'>, event: ResultEvent): Step {
  const answer = event.isError ? undefined : event.text;
  const mayAskAgain = attempt === 'first' && answer !== undefined;
  return chain(keep(state, [CLEAR_TIMER, { kind: 'withheld', fate: 'drop' }]), (next) =>
    write(next, plan, answer, mayAskAgain),
  );
}

const CLEAR_TIMER = { kind: 'clear-timer', timer: 'handoff' } as const;

function write(state: GovernorState, plan: HandoffPlan, answer: string | undefined, mayAskAgain: boolean): Step {
  const { reason } = plan;
  return keep({ ...state, handoff: { phase: 'writing', plan } }, [
    { kind: 'write-handoff', answer, mayAskAgain, reason },
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
  if (state.input === 'interrupted') return keep({ ...state, handoff: { phase: 'idle' } });
  const document: HandoffDocument = { path, text, by, problems };
  return handoff.plan.mustLeave ? leave(state, handoff.plan, document) : clear(state, handoff.plan, document);
}

function clear(state: GovernorState, plan: HandoffPlan, document: HandoffDocument): Step {
  const line = userLine('/clear', ownUuid(state));
  const handoff: Handoff = { phase: 'clearing', turn: 'asked', plan, document, proved: false, given: false };
  return keep({ ...countSent(state), handoff }, [
    { kind: 'send', line },
    { kind: 'set-timer', timer: 'handoff', afterMs: CLEAR_PATIENCE_MS },
  ]);
}

function followClear(state: GovernorState, handoff: Phase<'clearing'>, event: Event): Step {
  const another = state.session.id !== handoff.plan.sessionId;
  const proved = handoff.proved || event.kind === 'reset' || (event.kind === 'init' && another);
  const followed: GovernorState = { ...state, handoff: { ...handoff, turn: 'running', proved } };
  if (event.kind !== 'result') return keep(followed);
  const cleared = keep(followed, [CLEAR_TIMER, { kind: 'withheld', fate: 'drop' }]);
  const { plan, document } = handoff;
  if (proved) return chain(cleared, (next) => finish(next, plan, document, { way: 'clear', given: handoff.given }));
  const refused = event.isError || COMMANDS_OFF.test(event.text ?? '');
  return chain(cleared, (next) => (refused ? leave(next, plan, document) : prove(next, plan, document)));
}

/** claude itself says that a conversation begins, and asks what to begin it with. */
export function noteGiven(state: GovernorState): GovernorState {
  const { handoff, relief } = state;
  if (handoff.phase === 'clearing') return { ...state, handoff: { ...handoff, proved: true, given: true } };
  return relief.pending === undefined ? state : { ...state, relief: { ...relief, pending: undefined } };
}

/** The document that the agent is still to be given. */
export function documentToGive({ handoff, relief }: GovernorState): HandoffDocument | undefined {
  return handoff.phase === 'clearing' && !handoff.given ? handoff.document : relief.pending;
}

function prove(state: GovernorState, plan: HandoffPlan, document: HandoffDocument): Step {
  const watch = { kind: 'set-timer', timer: 'handoff', afterMs: CLEAR_PATIENCE_MS } as const;
  return chain(keep({ ...state, handoff: { phase: 'proving', plan, document } }, [watch]), (next) =>
    request(next, 'proof', { subtype: 'get_context_usage', detail: 'summary' }),
  );
}

/** How full claude says its context is, after a `/clear` that said nothing. */
export function onProof(state: GovernorState, event: ControlResponseEvent): Step {
  const { handoff } = state;
  if (handoff.phase !== 'proving') return keep(state);
  const { plan, document } = handoff;
  const total = countOf(event.response.totalTokens) ?? 0;
  const isEmpty = event.ok && total > 0 && total < plan.before.predicted / 2;
  return chain(keep(state, [CLEAR_TIMER]), (next) =>
    isEmpty ? finish(next, plan, document, { way: 'clear', given: false }) : leave(next, plan, document),
  );
}

/** What `/clear` does not do a new process does. */
function leave(state: GovernorState, plan: HandoffPlan, document: HandoffDocument): Step {
  const left: GovernorState = { ...state, handoff: { phase: 'leaving', plan, document } };
  if (state.process.phase === 'dead') return startFresh(left);
  return keep(left, [{ kind: 'end-input' }, { kind: 'set-timer', timer: 'exit', afterMs: EXIT_PATIENCE_MS }]);
}

/** The process has ended: the next one knows nothing of the conversation. */
export function startFresh(state: GovernorState): Step {
  const restarts = state.process.restarts + 1;
  const dead: GovernorState = { ...state, process: { phase: 'dead', resumes: false, restarts } };
  return keep(dead, [
    { kind: 'clear-timer', timer: 'exit' },
    { kind: 'start-claude', resume: undefined, isFirst: false, afterMs: 0 },
  ]);
}

/** A new process is there. */
export function finishLeaving(state: GovernorState): Step {
  const { handoff } = state;
  if (handoff.phase !== 'leaving') return keep(state);
  return finish(state, handoff.plan, handoff.document, { way: 'process', given: false });
}

export function onHandoffTimeout(state: GovernorState): Step {
  const { handoff } = state;
  // A turn that claude started itself is in the way.
  if (state.turn.phase === 'running') return waitForHandoff(state);
  switch (handoff.phase) {
    case 'asking':
      return giveUpAsking(state, handoff);
    case 'clearing':
    case 'proving':
      return leave(state, handoff.plan, handoff.document);
    case 'briefing':
      return chain(endBriefing(state), sendInterrupt);
    case 'idle':
      return isDeaf(state) ? leaveDeaf(state) : keep(state);
    default:
      return keep(state);
  }
}

/** A turn that claude started itself came between: the waiting starts anew. */
export function waitForHandoff(state: GovernorState): Step {
  const afterMs = patienceOf(state);
  return keep(state, afterMs === undefined ? [] : [{ kind: 'set-timer', timer: 'handoff', afterMs }]);
}

function patienceOf({ handoff, run }: GovernorState): number | undefined {
  if (handoff.phase === 'asking') return run.policy.handoff.timeoutSeconds * 1000;
  if (handoff.phase === 'briefing') return BRIEFING_PATIENCE_MS;
  return handoff.phase === 'clearing' ? CLEAR_PATIENCE_MS : undefined;
}

/** The agent is told to stop; a claude that does not even do that is left. */
function giveUpAsking(state: GovernorState, handoff: Phase<'asking'>): Step {
  if (handoff.attempt === 'late') return leaveSilent(state, handoff.plan);
  const late: GovernorState = { ...state, handoff: { ...handoff, attempt: 'late' } };
  const watch = { kind: 'set-timer', timer: 'handoff', afterMs: EXIT_PATIENCE_MS } as const;
  return chain(keep(late, [watch]), sendInterrupt);
}

function leaveSilent(state: GovernorState, plan: HandoffPlan): Step {
  return chain(keep(state, [{ kind: 'withheld', fate: 'drop' }]), (next) =>
    write(next, { ...plan, mustLeave: true }, undefined, false),
  );
}

interface Arrival {
  readonly way: 'clear' | 'process';
  readonly given: boolean;
}

function finish(state: GovernorState, plan: HandoffPlan, document: HandoffDocument, { way, given }: Arrival): Step {
  const { relief, gauge } = state;
  const { path, by, problems } = document;
  const fresh: GovernorState = {
    ...state,
    handoff: { phase: 'idle' },
    latch: 'none',
    gauge: emptyContext(gauge, 0),
    compaction: { phase: 'idle', failures: 0, landing: undefined, triedAt: undefined },
    relief: {
      ...relief,
      due: undefined,
      handoffs: relief.handoffs + 1,
      left: way === 'process' ? plan.sessionId : undefined,
      landing: plan.before,
      boundaries: [],
      pending: given ? undefined : document,
      fresh: document,
      document: path,
    },
  };
  const ms = state.now - plan.startedAt;
  const decision = { kind: 'handed-over', ...decided(fresh, plan.reason), by, path, way, ms, problems } as const;
  const occurrence = { event: 'handoff', ms, by, reason: plan.reason } as const;
  return keep(fresh, [decision, health(fresh, occurrence, plan.before.predicted)]);
}

/** Where claude calls no hooks, the document is said, in a turn that nobody sees. */
export function startBriefing(state: GovernorState, document: HandoffDocument): Step {
  const line = userLine(
    `${document.text}

The work goes on with the next message. Answer only: OK`,
    ownUuid(state),
  );
  const briefing: GovernorState = { ...countSent(state), handoff: { phase: 'briefing', turn: 'asked' } };
  return keep({ ...briefing, relief: { ...briefing.relief, pending: undefined } }, [
    { kind: 'send', line },
    { kind: 'set-timer', timer: 'handoff', afterMs: BRIEFING_PATIENCE_MS },
  ]);
}

function endBriefing(state: GovernorState): Step {
  return keep({ ...state, handoff: { phase: 'idle' } }, [CLEAR_TIMER, { kind: 'withheld', fate: 'drop' }]);
}
