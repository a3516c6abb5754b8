import type { Event } from '../protocol/events.ts';
import { ownOf } from '../protocol/fields.ts';
import type { Action, Decision, DecisionArguments, DecisionName, DecisionOf } from './decisions.ts';
import type { HookAnswer, TimerName } from './effects.ts';
import { readGauge } from './gauge/gauge.ts';
import type { GovernorState } from './state.ts';

/** A text for the agent, and the state after it was given. */
export interface AgentText {
  readonly state: GovernorState;
  /** Empty if the agent gets no text. */
  readonly text: string;
}

export function withoutText(state: GovernorState): AgentText {
  return { state, text: '' };
}

/** A line from claude that the rules handle. */
export interface Line<E extends Event = Event> {
  readonly event: E;
  /** The state before the line. */
  readonly before: GovernorState;
}

export function emit(state: GovernorState, ...actions: readonly Action[]): GovernorState {
  return actions.length === 0 ? state : changed(state, { actions: [...state.actions, ...actions] });
}

/** Whether the current input has led to an answer to a hook. */
export function isAnswered({ actions }: GovernorState, requestId: string): boolean {
  return actions.some((action) => action.kind === 'answer-hook' && action.requestId === requestId);
}

export function changedAnswer(
  state: GovernorState,
  requestId: string,
  changes: (answer: HookAnswer) => Partial<HookAnswer>,
): GovernorState {
  const actions = state.actions.map((action) =>
    action.kind === 'answer-hook' && action.requestId === requestId ? { ...action, ...changes(action) } : action,
  );
  return changed(state, { actions });
}

/** Shows the deferred end of a turn, because ctxb cannot recover from the error in it. */
export const SHOW_DEFERRED = { kind: 'deferred', fate: 'show' } as const;

export const DROP_BUFFERED = { kind: 'buffered', fate: 'drop' } as const;
export const DROP_DEFERRED = { kind: 'deferred', fate: 'drop' } as const;

export function clearTimer(timer: TimerName) {
  return { kind: 'clear-timer', timer } as const;
}

export function setTimer(timer: TimerName, afterMs: number) {
  return { kind: 'set-timer', timer, afterMs } as const;
}

export function decisionOf<N extends DecisionName>(
  { turn, gauge }: GovernorState,
  name: N,
  reason: string,
  ...[facts]: DecisionArguments<N>
) {
  const [kind, of] = name.split(':');
  const at = { turn: turn.ended, call: gauge.calls };
  return {
    kind,
    at,
    reason,
    gauge: readGauge(gauge),
    ...(of && { of }),
    ...(facts as object),
  } as unknown as DecisionOf<N>;
}

export function decide<N extends DecisionName>(
  state: GovernorState,
  ...decision: readonly [name: N, reason: string, ...DecisionArguments<N>]
): GovernorState {
  return emit(state, decisionOf(state, ...decision) as Decision);
}

/** Whether ctxb's compaction runs, or an abandoned one has not ended. */
export function isCompacting({ operation, process }: GovernorState): boolean {
  return operation.phase === 'compacting' || process.isStillCompacting;
}

export function isHandingOver({ operation }: GovernorState): boolean {
  return 'plan' in operation || operation.phase === 'briefing';
}

/** Whether a relief runs, or no call has shown its effect yet. */
export function isUnderWay(state: GovernorState, way: 'compact' | 'handoff'): boolean {
  const unmeasured = state.relief.unmeasured?.kind;
  if (way === 'handoff') return unmeasured === 'handoff' || isHandingOver(state);
  return unmeasured === 'compaction' || state.operation.phase === 'compacting';
}

/** Whether claude answers ctxb instead of the caller. */
export function isAnsweringUs({ operation }: GovernorState): boolean {
  return operation.phase === 'asking' || operation.phase === 'briefing';
}

/** Whether an operation or a restart makes prompts wait. */
export function isRelieving({ operation, process }: GovernorState): boolean {
  return operation.phase !== 'idle' || process.phase === 'dead';
}

/** Whether no limit on costs or time was crossed. */
export function isWithinLimit({ limits, turn, operation }: GovernorState): boolean {
  return limits.phase === 'within' && turn.stopped !== 'cost' && operation.phase !== 'deciding';
}

/** A new state. Mutable, because no other code has it yet. */
export type Draft = { -readonly [K in keyof GovernorState]: GovernorState[K] };

export function changed(state: GovernorState, changes: Partial<GovernorState>): GovernorState {
  return Object.assign(draftOf(state), changes);
}

/** The part of the state that contains each nested part. */
const PARENT_PARTS = {
  exact: 'relief',
  cache: 'session',
  told: 'mailbox',
  control: 'process',
  tools: 'work',
  budget: 'work',
  agents: 'work',
  wait: 'limits',
} as const;

type ParentParts = typeof PARENT_PARTS;

type Parts = Omit<GovernorState, 'actions'> & {
  readonly [P in keyof ParentParts]: P extends keyof GovernorState[ParentParts[P]]
    ? GovernorState[ParentParts[P]][P]
    : never;
};

/** The state with changes in one of its parts. The part may be nested in another one. */
export function changedIn<P extends keyof Parts>(state: GovernorState, part: P, changes: Partial<Parts[P]>) {
  const parent = ownOf<ParentParts[keyof ParentParts]>(PARENT_PARTS, part);
  if (parent === undefined) return changed(state, { [part]: withChanges(state, part, changes) });
  return changed(state, {
    [parent]: withChanges(state, parent, { [part]: withChanges(state[parent], part, changes) }),
  });
}

function withChanges(whole: object, part: string, changes: object): object {
  return { ...(whole as Record<string, object>)[part], ...changes };
}

/**
 * A mutable copy for the next state. Copies field by field, because each line of a recording needs several copies. A
 * replay of short lines takes a sixth longer with a spread here, a fifth with one in `addCall`, and a twentieth with one
 * in the cost (processor time, alternating, Node 20.20).
 */
export function draftOf(state: GovernorState): Draft {
  return {
    run: state.run,
    facts: state.facts,
    actions: state.actions,
    session: state.session,
    process: state.process,
    gauge: state.gauge,
    turn: state.turn,
    operation: state.operation,
    relief: state.relief,
    mailbox: state.mailbox,
    work: state.work,
    limits: state.limits,
  };
}
