import type { Action } from './actions.ts';
import type { TimerName } from './effects.ts';
import { readGauge } from './gauge/gauge.ts';
import type { Attempt, Compaction, GovernorState } from './state.ts';

export interface Step {
  readonly state: GovernorState;
  readonly actions: readonly Action[];
}

/** What the agent is told, and the state once it knows. */
export interface Telling {
  readonly state: GovernorState;
  /** Empty: nothing. */
  readonly text: string;
}

const NOTHING: readonly Action[] = [];

export function keep(state: GovernorState, actions = NOTHING): Step {
  return { state, actions };
}

/** A step that is always among the same others, and is told what they are about. */
export type Stage<T> = (state: GovernorState, about: T) => Step;

/** The same steps for everything there is to judge: a recording has millions of lines, and `chain` would need closures. */
export function inStages<T>(stages: readonly Stage<T>[], before: GovernorState, about: T): Step {
  let state = before;
  let actions = NOTHING;
  for (const stage of stages) {
    const step = stage(state, about);
    state = step.state;
    if (step.actions.length > 0) actions = [...actions, ...step.actions];
  }
  return { state, actions };
}

/** Steps one after the other; each sees the state the one before left. */
export function chain(first: Step, ...rest: readonly ((state: GovernorState) => Step)[]): Step {
  let { state, actions } = first;
  for (const next of rest) {
    const step = next(state);
    state = step.state;
    if (step.actions.length > 0) actions = [...actions, ...step.actions];
  }
  return { state, actions };
}

export function setTimer(timer: TimerName, afterMs: number) {
  return { kind: 'set-timer', timer, afterMs } as const;
}

export function decided({ turn, gauge }: GovernorState, reason: string) {
  return { at: { turn: turn.ended, call: gauge.calls }, reason, gauge: readGauge(gauge) };
}

/** A compaction of ours is under way: prompts wait. */
export function isCompacting(compaction: Compaction): compaction is Extract<Compaction, { readonly attempt: Attempt }> {
  return compaction.phase === 'asked' || compaction.phase === 'running';
}

/** Something of ctxb's own is under way: prompts wait. */
export function isRelieving({ compaction, handoff, process, spending, exact }: GovernorState): boolean {
  return (
    isCompacting(compaction) ||
    exact.phase === 'awaited' ||
    handoff.phase !== 'idle' ||
    process.phase === 'dead' ||
    spending.phase === 'asking'
  );
}
