import type { ControlResponseEvent, Event } from '../../protocol/events.ts';
import { COMMANDS_OFF } from '../../protocol/failures.ts';
import { countOf } from '../../protocol/fields.ts';
import { emptyContext } from '../gauge/gauge.ts';
import { countSent, ownUuid, request, userLine } from '../prompts/own-lines.ts';
import type { GovernorState } from '../state.ts';
import { chain, decided, keep, type Step } from '../steps.ts';
import { health } from '../zones/notices.ts';
import { fetchesAfterRelief } from './missed.ts';
import type { Handoff, HandoffDocument, HandoffPhase, HandoffPlan } from './relief-state.ts';

/** `/clear` needs no API call. */
export const CLEAR_PATIENCE_MS = 30_000;

export const BRIEFING_PATIENCE_MS = 120_000;

/** An idle claude whose input is closed exits at once. */
export const EXIT_PATIENCE_MS = 10_000;

export const CLEAR_TIMER = { kind: 'clear-timer', timer: 'handoff' } as const;

/** Has claude forget the conversation. */
export function clear(state: GovernorState, plan: HandoffPlan, document: HandoffDocument): Step {
  const line = userLine('/clear', ownUuid(state));
  const handoff: Handoff = { phase: 'clearing', turn: 'asked', plan, document, proved: false, given: false };
  return keep({ ...countSent(state), handoff }, [
    { kind: 'send', line },
    { kind: 'set-timer', timer: 'handoff', afterMs: CLEAR_PATIENCE_MS },
  ]);
}

export function followClear(state: GovernorState, handoff: HandoffPhase<'clearing'>, event: Event): Step {
  const another = state.session.id !== handoff.plan.sessionId;
  const proved = handoff.proved || event.kind === 'reset' || (event.kind === 'init' && another);
  const followed: GovernorState = { ...state, handoff: { ...handoff, turn: 'running', proved } };
  if (event.kind !== 'result') return keep(followed);
  const cleared = keep(followed, [CLEAR_TIMER, { kind: 'buffered', fate: 'drop' }]);
  const { plan, document } = handoff;
  if (proved) return chain(cleared, (next) => finish(next, plan, document, { way: 'clear', given: handoff.given }));
  const refused = event.isError || COMMANDS_OFF.test(event.text ?? '');
  return chain(cleared, (next) => (refused ? leave(next, plan, document) : prove(next, plan, document)));
}

/** claude's hook has taken the document: a new conversation has begun. */
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

/** A new process replaces a `/clear` that has no effect. */
export function leave(state: GovernorState, plan: HandoffPlan, document: HandoffDocument): Step {
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
    fetches: fetchesAfterRelief(state.fetches),
    compaction: { phase: 'idle', failures: 0, landing: undefined, triedAt: undefined },
    relief: {
      ...relief,
      due: undefined,
      handoffs: relief.handoffs + 1,
      handed: { call: gauge.calls, landing: undefined, answer: plan.answer },
      left: way === 'process' ? plan.sessionId : undefined,
      landing: plan.before,
      boundaries: [],
      refilled: 0,
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

/** Where claude calls no hooks, the document is sent as a prompt, in a hidden turn. */
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

export function endBriefing(state: GovernorState): Step {
  return keep({ ...state, handoff: { phase: 'idle' } }, [CLEAR_TIMER, { kind: 'buffered', fate: 'drop' }]);
}
