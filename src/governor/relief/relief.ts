import type { Event } from '../../stream/events.ts';
import { draftOf } from '../draft.ts';
import { crossedText, predicted } from '../gauge/gauge.ts';
import { handoffLevel, inTokens } from '../policy.ts';
import { relievesContext } from '../prompts/prompt.ts';
import type { GovernorState } from '../state.ts';
import { decided, keep, type Step } from '../steps.ts';
import { dueReason, focusText, type NextPrompt, shouldCompact, startCompaction } from './compaction.ts';
import { dueForExhausted, noteTried } from './exhaustion.ts';
import { endUnrelieved, startHandoff } from './handoff.ts';
import type { Due, Relief } from './relief-state.ts';
import { mayCompact, sumsOf } from './strategy.ts';
import { isThrashing, thrashText, withBoundary } from './thrash.ts';

/** Whether the context is to be relieved before `next` goes, or now when there is no next. */
export function dueRelief(state: GovernorState, next: NextPrompt): Due | undefined {
  const { exhausted, hopeless } = state.relief;
  if (hopeless !== undefined) return { way: 'none', reason: hopeless };
  if (exhausted?.open) return dueForExhausted(state, exhausted);
  if (next !== 'unseen' && relievesContext(next)) return undefined;
  if (state.relief.putOffAt === state.gauge.calls) return undefined;
  const { when } = state.run.policy.compaction;
  if (next === undefined && (when !== 'boundary' || state.mailbox.ended)) return undefined;
  const reason = handoffReason(state);
  if (reason !== undefined) return { way: 'handoff', reason };
  return shouldCompact(state, next) ? { way: 'compact' } : undefined;
}

export function startRelief(state: GovernorState, due: Due): Step {
  switch (due.way) {
    case 'compact':
      return startCompaction(state);
    case 'handoff':
      return startHandoff(noteTried(state), due.reason);
    case 'none':
      return endUnrelieved(state, due.reason);
  }
}

/** Notes what is due where nothing can be carried out: in a replay, or while observing. */
export function adviseRelief(state: GovernorState, due: Due): Step {
  const advised = draftOf(state);
  advised.latch = 'spent';
  advised.relief = { ...state.relief, due: undefined };
  if (due.way === 'none') return keep(advised);
  if (due.way === 'handoff') return keep(advised, [{ kind: 'handoff', ...decided(state, due.reason) }]);
  return keep(advised, [{ kind: 'compact', ...decided(state, dueReason(state)), focus: focusText(state) }]);
}

/** Makes room for a task that is too large, where that is possible. */
export function relieveFor(state: GovernorState): Step {
  if (state.run.mode !== 'act') return keep(state);
  if (mayCompact(state)) return startCompaction(state);
  // One that has just been made is as fresh as it can be.
  const isFresh = state.relief.landing !== undefined;
  return mayHandOver(state) && !isFresh ? startHandoff(state, 'a large task waits') : keep(state);
}

/** It is wanted, the last one helped, and no hook of the user's guards the context. */
function mayHandOver({ relief, run }: GovernorState): boolean {
  return run.policy.handoff.enabled && !relief.useless && !relief.blocked;
}

/** Why the work is to be handed over now; undefined: it is not. */
export function handoffReason(state: GovernorState): string | undefined {
  const { relief, latch, session, run } = state;
  const { strategy } = run.policy;
  if (!mayHandOver(state) || latch === 'spent') return undefined;
  if (relief.due !== undefined) return relief.due;
  const crossed = latch === 'compact' ? dueReason(state) : undefined;
  if (crossed !== undefined && session.commandsOff) return `${crossed}, and slash commands are off`;
  if (isHigh(state) && !mayCompact(state)) return `${highReason(state)}, and nothing else relieves it`;
  if (crossed === undefined) return undefined;
  if (isThrashing(relief.boundaries.map(({ turn: at }) => at))) return `${crossed}; ${thrashText(state)}`;
  if (strategy === 'handoff') return crossed;
  return strategy === 'auto' && isCheaper(state) ? crossed : undefined;
}

function isHigh({ gauge, relief, run }: GovernorState): boolean {
  // Nothing was done in this context yet: another would be as full.
  if (relief.fresh !== undefined) return false;
  // After a break there is only an estimate, which in a resumed session holds all that was there before.
  if (gauge.basis === 'none' || (gauge.basis === 'estimated' && gauge.calls > 0)) return false;
  return predicted(gauge) >= handoffLevel(run.policy, gauge.window.tokens);
}

function highReason({ gauge, run }: GovernorState): string {
  return crossedText(gauge, handoffLevel(run.policy, gauge.window.tokens));
}

function isCheaper(state: GovernorState): boolean {
  const { compact, handoff } = sumsOf(state);
  return handoff < compact;
}

/** A boundary, and the first call after it: what compacting is worth. */
export function readRelief(before: GovernorState, state: GovernorState, event: Event): GovernorState {
  const { relief, gauge, turn, run } = state;
  if (event.kind === 'boundary') {
    const seen = withBoundary(relief, { turn: turn.ended, call: gauge.calls });
    return withRelief(state, { ...relief, ...seen, due: undefined, isLanding: true });
  }
  if (!relief.isLanding || gauge.calls === before.gauge.calls) return state;
  const landings = [...relief.landings, gauge.used].slice(-8);
  const target = inTokens(run.policy.compaction.target, gauge.window.tokens);
  const missed = `a compaction landed at ${gauge.used} tokens, above its target of ${target}`;
  const due = gauge.used > target ? missed : undefined;
  return withRelief(state, { ...relief, landings, due, isLanding: false });
}

/** claude has compacted by itself: only the boundary shows that it was done, and not hindered. */
export function tellNative(before: GovernorState, state: GovernorState, event: Event): Step {
  if (event.kind !== 'boundary' || event.trigger === 'manual' || state.run.mode === 'replay') return keep(state);
  const when = before.turn.phase === 'running' && before.turn.calls > 0 ? 'mid-turn' : 'before-turn';
  const tokens = event.preTokens ?? predicted(before.gauge);
  return keep(state, [
    { kind: 'native-compaction', ...decided(state, 'claude has compacted by itself'), when, tokens },
  ]);
}

function withRelief(state: GovernorState, relief: Relief): GovernorState {
  const next = draftOf(state);
  next.relief = relief;
  return next;
}

/** The first call after a handoff shows what it freed. */
export function measureHandoff(state: GovernorState): Step {
  const { relief, gauge, run } = state;
  if (relief.landing === undefined || gauge.basis !== 'measured') return keep(state);
  const freed = relief.landing.predicted - gauge.used;
  const useless = gauge.used > inTokens(run.policy.compaction.target, gauge.window.tokens);
  const landed: GovernorState = { ...state, relief: { ...relief, landing: undefined, due: undefined, useless } };
  const reason = useless ? 'the handoff freed too little' : 'the handoff made room';
  return keep(landed, [{ kind: 'landed', ...decided(landed, reason), freed }]);
}
