import type { Compaction, GovernorState } from './state.ts';

/** A compaction of ours is under way: prompts wait. */
export function isCompacting(
  compaction: Compaction,
): compaction is Extract<Compaction, { readonly phase: 'asked' | 'running' }> {
  return compaction.phase === 'asked' || compaction.phase === 'running';
}

/** Something of ctxb's own is under way: prompts wait. */
export function isRelieving({ compaction, handoff, process, spending }: GovernorState): boolean {
  return (
    isCompacting(compaction) || handoff.phase !== 'idle' || process.phase === 'dead' || spending.phase === 'asking'
  );
}
