import type { ResultEvent } from '../../protocol/events.ts';
import { isExhaustion } from '../../protocol/failures.ts';
import type { GovernorState } from '../state.ts';
import { decided, keep, type Step } from '../steps.ts';
import { exactIsPossible } from './exact.ts';
import { mayCompact } from './ladder.ts';
import type { Due, Exhausted } from './relief-state.ts';
import { tellsBreaker } from './thrash.ts';

/** Whether the context can be relieved, so that the caller need not see the error. */
export function mayRelieve(state: GovernorState): boolean {
  const { run, relief } = state;
  if (run.mode !== 'act' || relief.blocked) return false;
  return mayHandOver(state) || (run.policy.compaction.enabled && relief.exhausted === undefined);
}

/** A handoff that did not help may be followed by another, a limited number of times. */
function mayHandOver({ run, relief }: GovernorState): boolean {
  const { handoff, recovery } = run.policy;
  return handoff.enabled && (relief.exhausted?.handoffs ?? 0) < Math.max(1, recovery.maxRestarts);
}

/** The context was too full for the turn: a compaction without a call is also the way out of claude's own brake. */
export function ranOut(state: GovernorState, event: ResultEvent): boolean {
  return isExhaustion(event) || (tellsBreaker(event) && exactIsPossible(state));
}

/** Notes at the end of a turn whether the context was too full for it. */
export function readExhaustion(before: GovernorState, state: GovernorState, event: ResultEvent): Step {
  const { relief } = state;
  const { compaction, handoff } = state.run.policy;
  if ((!compaction.enabled && !handoff.enabled) || relief.blocked) return keep(state);
  if (!ranOut(state, event)) return keep({ ...state, relief: { ...relief, exhausted: undefined } });
  const { exhausted } = relief;
  const prompts = exhausted?.prompts ?? before.turn.prompts;
  const { tried, handoffs } = exhausted ?? ({ tried: 'nothing', handoffs: 0 } as const);
  // One that costs nothing and let the turn go on may do so again.
  const helped = exactIsPossible(state) && before.turn.calls > 0;
  const full = withExhausted(state, {
    cause: 'refused',
    prompts,
    tried: helped ? 'nothing' : tried,
    handoffs,
    open: true,
  });
  const reason = tellsBreaker(event) ? 'the window was filled again at once' : 'the prompt is too long for the context';
  return keep(full, [{ kind: 'exhausted', ...decided(full, reason) }]);
}

/** How a context that was too full is relieved. */
export function dueForExhausted(state: GovernorState, { tried }: Exhausted): Due | undefined {
  if (state.run.mode !== 'act') return undefined;
  // A compaction that hangs is not followed by another.
  const canCompact = state.compaction.phase === 'idle' && mayCompact(state);
  if (tried === 'nothing' && canCompact) return { way: 'compact' };
  // A handoff interrupted by a crash is due again.
  const { due } = state.relief;
  if ((due !== undefined && state.run.policy.handoff.enabled) || mayHandOver(state))
    return { way: 'handoff', reason: due ?? 'the prompt is too long for the context' };
  return { way: 'none', reason: 'nothing has relieved the context' };
}

/** A handoff is tried. */
export function noteTried(state: GovernorState): GovernorState {
  const { exhausted } = state.relief;
  return exhausted === undefined ? state : withExhausted(state, { ...exhausted, handoffs: exhausted.handoffs + 1 });
}

/** Gives up for now: the caller gets claude's own answer. */
export function leaveExhausted(state: GovernorState): Step {
  const { relief } = state;
  if (!relief.exhausted?.open) return keep(state);
  const uuids = answersOf(state, relief.exhausted);
  return keep({ ...state, relief: { ...relief, exhausted: undefined } }, [
    { kind: 'deferred', fate: 'show' },
    { kind: 'answered', uuids },
  ]);
}

/** Room was made for a turn that had none: the turn resumes. */
export function afterRelief(before: GovernorState, state: GovernorState): Step {
  const { exhausted, unfinished } = state.relief;
  const wasBusy = before.compaction.phase !== 'idle' || before.handoff.phase !== 'idle';
  const isBusy = state.compaction.phase !== 'idle' || state.handoff.phase !== 'idle';
  if (!exhausted?.open || !wasBusy || isBusy || state.process.phase === 'dead') return keep(state);
  const succeeded = state.compaction.phase === 'idle' && state.compaction.landing !== undefined;
  const handedOver = state.relief.handoffs > before.relief.handoffs;
  if (!succeeded && !handedOver) return keep(withExhausted(state, { ...exhausted, tried: 'compaction' }));
  const isExact = state.exact.landing !== undefined;
  const because = `The context was full in the middle of the work, and ${isExact ? 'older steps of it stand above in a line each' : 'it was replaced by what is above'}.`;
  const resumed = withExhausted(state, { ...exhausted, tried: 'compaction', open: false });
  const answers = answersOf(state, exhausted);
  const work = unfinished ?? { because, prompts: isExact ? [] : exhausted.prompts, answers };
  return keep({ ...resumed, relief: { ...resumed.relief, unfinished: work } });
}

/** What the turn was to answer; one that was resumed, also what the turns before it left. */
function answersOf({ relief }: GovernorState, { prompts }: Exhausted): string[] {
  return [...new Set([...prompts.map(({ uuid }) => uuid), ...(relief.resuming?.answers ?? [])])];
}

/** A turn that was stopped goes on in the same context, as the work cannot be handed over now. */
export function goOnStopped(state: GovernorState): GovernorState {
  const { exhausted } = state.relief;
  if (exhausted?.cause !== 'stopped' || !exhausted.open) return state;
  const because = 'The turn was stopped so that the work could be handed over, which is not possible now.';
  const unfinished = { because, prompts: [], answers: answersOf(state, exhausted) };
  return { ...state, relief: { ...state.relief, exhausted: undefined, unfinished } };
}

export function withExhausted(state: GovernorState, exhausted: Exhausted): GovernorState {
  return { ...state, relief: { ...state.relief, exhausted } };
}
