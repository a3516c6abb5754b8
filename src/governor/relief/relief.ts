import type { Event, ResultEvent } from '../../stream/events.ts';
import { draftOf } from '../draft.ts';
import { predicted } from '../gauge/gauge.ts';
import { inTokens } from '../policy.ts';
import { relievesContext } from '../prompts/mailbox.ts';
import { decided, type GovernorState } from '../state.ts';
import { keep, type Step } from '../steps.ts';
import { dueReason, mayCompact, type NextPrompt, shouldCompact, startCompaction } from './compaction.ts';
import { focusText } from './focus.ts';
import { startHandoff } from './handoff.ts';
import { refillText } from './refill.ts';
import type { Exhausted, Relief } from './relief-state.ts';
import { sumsOf } from './strategy.ts';

/** How the context is to be relieved, and why. */
export type Due =
  | { readonly way: 'compact' }
  | { readonly way: 'handoff'; readonly reason: string }
  /** Everything was tried. */
  | { readonly way: 'none' };

/** Whether the context is to be relieved before `next` goes, or now when there is no next. */
export function dueRelief(state: GovernorState, next: NextPrompt): Due | undefined {
  if (state.relief.exhausted?.open) return forExhausted(state);
  if (next !== 'unseen' && relievesContext(next)) return undefined;
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
      return giveUp(state);
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
  const { handoff } = state.run.policy;
  // One that has just been made is as fresh as it can be.
  const isFresh = state.relief.landing !== undefined;
  return handoff.enabled && !state.relief.useless && !isFresh ? startHandoff(state, 'a large task waits') : keep(state);
}

function handoffReason(state: GovernorState): string | undefined {
  const { relief, latch, session, run } = state;
  const { handoff, strategy } = run.policy;
  if (!handoff.enabled || relief.useless || latch === 'spent') return undefined;
  if (relief.due !== undefined) return relief.due;
  const crossed = latch === 'compact' ? dueReason(state) : undefined;
  if (crossed !== undefined && session.commandsOff) return `${crossed}, and slash commands are off`;
  if (isHigh(state) && !mayCompact(state)) return `${crossed ?? 'the context is full'}, and nothing else relieves it`;
  if (crossed === undefined) return undefined;
  if (isThrashing(relief)) return `${crossed}; ${thrashText(state)}`;
  if (strategy === 'handoff') return crossed;
  return strategy === 'auto' && isCheaper(state) ? crossed : undefined;
}

function isHigh({ gauge, run }: GovernorState): boolean {
  // After a break there is only an estimate, which in a resumed session holds all that was there before.
  if (gauge.basis === 'none' || (gauge.basis === 'estimated' && gauge.calls > 0)) return false;
  return predicted(gauge) >= inTokens(run.policy.thresholds.handoff, gauge.window.tokens);
}

function isCheaper(state: GovernorState): boolean {
  const { compact, handoff } = sumsOf(state);
  return handoff < compact;
}

/** Compactions whose room was soon filled again. */
const THRASH = { compactions: 3, turns: 5 };

export function isThrashing({ boundaries }: Pick<Relief, 'boundaries'>): boolean {
  const [first] = boundaries.slice(-THRASH.compactions);
  const last = boundaries.at(-1);
  if (boundaries.length < THRASH.compactions || first === undefined || last === undefined) return false;
  return last - first < THRASH.turns;
}

function thrashText(state: GovernorState): string {
  const refill = refillText(state.refill);
  return `${THRASH.compactions} compactions within ${THRASH.turns} turns${refill === '' ? '' : `, filled again by ${refill}`}`;
}

/** A boundary, and the first call after it: what compacting is worth. */
export function readRelief(before: GovernorState, state: GovernorState, event: Event): GovernorState {
  const { relief, gauge, turn, run } = state;
  if (event.kind === 'boundary') {
    const boundaries = [...relief.boundaries, turn.ended].slice(-THRASH.compactions);
    return withRelief(state, { ...relief, boundaries, due: undefined, isLanding: true });
  }
  if (!relief.isLanding || gauge.calls === before.gauge.calls) return state;
  const landings = [...relief.landings, gauge.used].slice(-8);
  const target = inTokens(run.policy.compaction.target, gauge.window.tokens);
  const missed = `a compaction landed at ${gauge.used} tokens, above its target of ${target}`;
  const due = gauge.used > target ? missed : undefined;
  return withRelief(state, { ...relief, landings, due, isLanding: false });
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

/** Whether the API refused the prompt because the context was full. */
export function isExhaustion(event: ResultEvent): boolean {
  const { isError, terminalReason, text } = event;
  if (!isError) return false;
  return terminalReason === 'blocking_limit' || terminalReason === 'prompt_too_long' || TOO_LONG.test(text ?? '');
}

const TOO_LONG = /^(?:API Error: 400 .*)?prompt is too long/i;

/** Whether something can be done about it, so that the caller need not see it. */
export function mayRelieve({ run, relief }: GovernorState): boolean {
  const { compaction, handoff } = run.policy;
  return run.mode === 'act' && (compaction.enabled || handoff.enabled) && relief.exhausted?.tried !== 'handoff';
}

/** The end of a turn: was the context too full for it? */
export function readExhaustion(before: GovernorState, state: GovernorState, event: ResultEvent): Step {
  const { relief } = state;
  const { compaction, handoff } = state.run.policy;
  if (!compaction.enabled && !handoff.enabled) return keep(state);
  if (!isExhaustion(event)) return keep({ ...state, relief: { ...relief, exhausted: undefined } });
  const { exhausted } = relief;
  const prompts = exhausted?.prompts ?? before.turn.prompts;
  const full: GovernorState = {
    ...state,
    relief: { ...relief, exhausted: { prompts, tried: exhausted?.tried ?? 'nothing', open: true } },
  };
  return keep(full, [{ kind: 'exhausted', ...decided(full, 'the API refused the prompt for its length') }]);
}

function forExhausted(state: GovernorState): Due | undefined {
  const { policy, mode } = state.run;
  // One that claude does not come back from is not followed by another.
  const canCompact = state.compaction.phase === 'idle' && mayCompact(state);
  const tried = state.relief.exhausted?.tried;
  if (mode !== 'act') return undefined;
  if (tried === 'nothing' && canCompact) return { way: 'compact' };
  // One that a crash broke off is due again.
  const { due } = state.relief;
  if ((tried !== 'handoff' || due !== undefined) && policy.handoff.enabled)
    return { way: 'handoff', reason: due ?? 'the prompt is too long for the context' };
  return { way: 'none' };
}

function noteTried(state: GovernorState): GovernorState {
  const { relief } = state;
  if (relief.exhausted === undefined) return state;
  return { ...state, relief: { ...relief, exhausted: { ...relief.exhausted, tried: 'handoff' } } };
}

function giveUp(state: GovernorState): Step {
  const { relief } = state;
  const ended: GovernorState = { ...state, outcome: 'unrelieved', relief: { ...relief, exhausted: undefined } };
  return keep(ended, [
    { kind: 'unrelieved', ...decided(state, 'nothing has relieved the context'), path: relief.document },
    { kind: 'postponed', fate: 'show' },
  ]);
}

/** Room was made for a turn that had none: it is gone on with. */
export function afterRelief(before: GovernorState, state: GovernorState): Step {
  const { exhausted, unfinished } = state.relief;
  const wasBusy = before.compaction.phase !== 'idle' || before.handoff.phase !== 'idle';
  const isBusy = state.compaction.phase !== 'idle' || state.handoff.phase !== 'idle';
  if (!exhausted?.open || !wasBusy || isBusy || state.process.phase === 'dead') return keep(state);
  const succeeded = state.compaction.phase === 'idle' && state.compaction.landing !== undefined;
  const handedOver = state.relief.handoffs > before.relief.handoffs;
  const tried = exhausted.tried === 'handoff' ? 'handoff' : 'compaction';
  if (!succeeded && !handedOver) return keep(withExhausted(state, { ...exhausted, tried }));
  const because = 'The context was full in the middle of the work, and it was replaced by what is above.';
  const resumed = withExhausted(state, { ...exhausted, tried, open: false });
  return keep({
    ...resumed,
    relief: {
      ...resumed.relief,
      unfinished: unfinished ?? {
        because,
        prompts: exhausted.prompts,
        answers: exhausted.prompts.map(({ uuid }) => uuid),
      },
    },
  });
}

function withExhausted(state: GovernorState, exhausted: Exhausted): GovernorState {
  return { ...state, relief: { ...state.relief, exhausted } };
}
