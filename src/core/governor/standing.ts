import { knownCostUsd } from './cost/cost.ts';
import { isCharactersOnly, predicted } from './gauge/gauge.ts';
import { openPrompts } from './prompts/mailbox.ts';
import { turnsBegun } from './prompts/turns.ts';
import type { GovernorState } from './state.ts';
import { isCompacting } from './steps.ts';

/** Where a run stands, for people and programs outside of it. */
export interface Standing {
  /** claude's id of the session; null: not known yet. */
  readonly session: string | null;
  readonly phase: RunPhase;
  /** null: nothing. `until`: in milliseconds since the epoch; null: not known. */
  readonly waitsFor: {
    readonly what: 'usage limit' | 'API' | 'person' | 'caller';
    readonly until: number | null;
  } | null;
  /** Turns that are over, and the one that runs. */
  readonly turn: number;
  /** Prompts without an answer. */
  readonly prompts: number;
  /** Tokens of the next request; null: not known. */
  readonly context: number | null;
  readonly window: number | null;
  /** US dollars; null: not known. */
  readonly costUsd: number | null;
}

export type RunPhase = 'starting' | 'working' | 'compacting' | 'handing over' | 'restarting' | 'idle' | 'ended';

/** One code for each way in which a run ends. */
export type EndReason =
  | ('done' | 'failed' | 'unanswered' | 'stopped' | 'signal' | 'cost-limit' | 'usage-limit' | 'outage' | 'stalled')
  | ('refused' | 'unrelieved');

export interface RunEnding {
  readonly exitCode: number;
  /** A signal has ended the run. */
  readonly isSignalled: boolean;
}

/** @param state the last */
export function standingOf(state: GovernorState): Standing {
  const { gauge, turn, session } = state;
  const isKnown = gauge.basis !== 'none' && !isCharactersOnly(gauge);
  return {
    session: session.id ?? null,
    phase: phaseOf(state),
    waitsFor: waitsFor(state),
    turn: turnsBegun(turn),
    prompts: openPrompts(state).length,
    context: isKnown ? predicted(gauge) : null,
    window: gauge.window.tokens ?? null,
    costUsd: knownCostUsd(state) ?? null,
  };
}

function phaseOf({ process, compaction, handoff, turn, session }: GovernorState): RunPhase {
  if (process.phase !== 'running') return 'restarting';
  if (isCompacting(compaction)) return 'compacting';
  if (handoff.phase !== 'idle') return 'handing over';
  if (turn.phase === 'idle') return session.id === undefined ? 'starting' : 'idle';
  return 'working';
}

function waitsFor({ wait, input, spending, control }: GovernorState): Standing['waitsFor'] {
  if (input === 'paused' || spending.phase === 'asking') return { what: 'person', until: null };
  if (control.questions.length > 0) return { what: 'caller', until: null };
  if (wait === undefined || !wait.said || wait.phase === 'over') return null;
  return wait.cause === 'limit' ? { what: 'usage limit', until: wait.until } : { what: 'API', until: null };
}

const REASONS = {
  asked: 'stopped',
  limit: 'cost-limit',
  'usage-limit': 'usage-limit',
  unrelieved: 'unrelieved',
  outage: 'outage',
  stalled: 'stalled',
  refused: 'refused',
} as const;

export function endReason(state: GovernorState, { exitCode, isSignalled }: RunEnding): EndReason {
  if (state.outcome !== undefined) return REASONS[state.outcome];
  if (isSignalled) return 'signal';
  if (openPrompts(state).length > 0 && state.run.mode === 'act') return 'unanswered';
  return exitCode === 0 ? 'done' : 'failed';
}
