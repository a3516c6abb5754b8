import type { GovernorState } from '../state.ts';

/** All that belonged to the process is gone with it. */
export function withoutProcess(state: GovernorState): GovernorState {
  const { compaction, control, turn, trigger } = state;
  const wasCompacting = compaction.phase !== 'idle';
  return {
    ...state,
    turn: { ...turn, phase: 'idle', prompts: [], unheard: [] },
    compaction: wasCompacting
      ? { phase: 'idle', failures: compaction.failures, landing: undefined, triedAt: undefined }
      : compaction,
    handoff: { phase: 'idle' },
    summarising: false,
    control: { ...control, phase: 'closed', pending: {}, callbacks: [], questions: [] },
    trigger: typeof trigger === 'number' ? 'unplaced' : trigger,
    tasks: {},
    refill: { ...state.refill, open: [] },
    grace: 'none',
    spending: state.spending.phase === 'stopping' ? { ...state.spending, phase: 'within' } : state.spending,
  };
}
