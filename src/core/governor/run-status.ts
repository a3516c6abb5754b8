import { knownCostUsd } from './cost/cost.ts';
import { isCharactersOnly, predictedTokens } from './gauge/gauge.ts';
import { openPrompts } from './prompts/mailbox.ts';
import { turnsBegun } from './prompts/turns.ts';
import type { GovernorState } from './state.ts';
import { isHandingOver } from './steps.ts';

/** Status of a run, for users and other programs. */
export interface RunStatus {
  /** claude's session id; null if unknown. */
  readonly session: string | null;
  readonly phase: RunPhase;
  /** null if the run does not wait. `until`: milliseconds since the epoch; null if unknown. */
  readonly waitsFor: {
    readonly what: 'usage limit' | 'API' | 'person' | 'caller';
    readonly until: number | null;
  } | null;
  /** Number of turns, including the running one. */
  readonly turn: number;
  /** Prompts without an answer. */
  readonly prompts: number;
  /** Tokens of the next request; null if unknown. */
  readonly context: number | null;
  readonly window: number | null;
  /** US dollars; null if unknown. */
  readonly costUsd: number | null;
}

export type RunPhase = 'starting' | 'working' | 'compacting' | 'handing over' | 'restarting' | 'idle' | 'ended';

/** One code for each way in which a run ends. */
export type EndReason =
  | ('done' | 'failed' | 'unanswered' | 'stopped' | 'signal' | 'cost-limit' | 'time-limit' | 'usage-limit' | 'outage')
  | ('stalled' | 'refused' | 'unrelieved');

/** The status of a run. @param state the latest state of the run */
export function runStatusOf(state: GovernorState): RunStatus {
  const { gauge, turn, session } = state;
  const isKnown = gauge.basis !== 'none' && !isCharactersOnly(gauge);
  return {
    session: session.id ?? null,
    phase: phaseOf(state),
    waitsFor: waitsFor(state),
    turn: turnsBegun(turn),
    prompts: openPrompts(state).length,
    context: isKnown ? predictedTokens(gauge) : null,
    window: gauge.window.tokens ?? null,
    costUsd: knownCostUsd(state) ?? null,
  };
}

function phaseOf(state: GovernorState): RunPhase {
  if (state.process.phase !== 'running') return 'restarting';
  if (state.operation.phase === 'compacting') return 'compacting';
  if (isHandingOver(state)) return 'handing over';
  if (state.turn.phase === 'idle') return state.session.id === undefined ? 'starting' : 'idle';
  return 'working';
}

function waitsFor({ limits: { wait }, operation, process: { control } }: GovernorState): RunStatus['waitsFor'] {
  if (operation.phase === 'deciding') return { what: 'person', until: null };
  if (control.questions.length > 0) return { what: 'caller', until: null };
  if (!wait.said || wait.phase === 'over') return null;
  return wait.cause === 'limit' ? { what: 'usage limit', until: wait.until } : { what: 'API', until: null };
}

/** Exit code if prompts have no answer and no other code applies. */
export const UNANSWERED_CODE = 7;

/** Exit codes of runs that ctxb itself ends. */
export const OUTCOME_CODES = {
  refused: 1,
  limit: 3,
  unrelieved: 4,
  'usage-limit': 5,
  stalled: 6,
  outage: UNANSWERED_CODE,
} as const;

/** The exit code of a run that a signal ended is this plus the signal's number. */
const SIGNAL_BASE = 128;

/** Why a run has ended. @param state the latest state of the run */
export function endReason({ mailbox: { outcome }, limits }: GovernorState, exitCode: number): EndReason {
  if (exitCode > SIGNAL_BASE) return 'signal';
  if (outcome === 'asked') return 'stopped';
  if (outcome === 'limit') return limits.isTimeUp ? 'time-limit' : 'cost-limit';
  if (outcome !== undefined) return outcome;
  if (exitCode === UNANSWERED_CODE) return 'unanswered';
  return exitCode === 0 ? 'done' : 'failed';
}
