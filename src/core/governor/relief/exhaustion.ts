import type { Event, ResultEvent } from '../../protocol/events.ts';
import { isExhaustion, refusedSize } from '../../protocol/failures.ts';
import { tellsInterrupt } from '../facts.ts';
import { estimateTokens, measureContent } from '../gauge/estimator.ts';
import { predicted } from '../gauge/gauge.ts';
import { windowIn } from '../gauge/window.ts';
import { handoffLevel, inTokens } from '../policy.ts';
import { leaveOwed, requestsOf, unanswered } from '../prompts/mailbox.ts';
import type { GovernorState } from '../state.ts';
import {
  changedIn,
  decide,
  isCompacting,
  isHandingOver,
  isRelieving,
  isWithinLimit,
  keep,
  type Line,
  type Step,
} from '../steps.ts';
import { exactIsPossible } from './exact.ts';
import { chooseWay, mayCompact, payingMoment } from './ladder.ts';
import { dueReason, extentOf } from './outlook.ts';
import type { Due, Exhausted } from './relief-state.ts';
import { readBreaker, tellsBreaker } from './thrash.ts';

/** Whether the context can be relieved, so that the caller need not see the error. */
export function mayRelieve(state: GovernorState): boolean {
  const { run, relief } = state;
  if (run.mode !== 'act' || relief.blocked || isAlone(state)) return false;
  return mayHandOverAgain(state) || (run.policy.compaction.enabled && triedFor(state) === 'nothing');
}

/** Whether the refused turn is all that the context holds, as a new conversation's first or behind a handoff: no relief makes it shorter. */
function isAlone({ run, turn, relief }: GovernorState): boolean {
  return turn.calls === 0 && (isHandedOver(relief) || (turn.ended === 0 && !run.resumes));
}

/** The turn goes on in a fresh context, which has not answered yet. */
function isHandedOver({ landing, exhausted }: GovernorState['relief']): boolean {
  return landing?.of === 'handoff' && (exhausted?.handoffs ?? 0) > 0;
}

/** A handoff that did not help may be followed by another, a limited number of times. */
function mayHandOverAgain({ run, relief }: GovernorState): boolean {
  const { handoff, recovery } = run.policy;
  return handoff.enabled && (relief.exhausted?.handoffs ?? 0) < Math.max(1, recovery.maxRestarts);
}

/** What was tried for the turn that ends, before another compaction: one that costs nothing may let it go on once more. */
function triedFor(state: GovernorState): Exhausted['tried'] {
  const mayHelp = exactIsPossible(state) && state.turn.calls > 0;
  return mayHelp ? 'nothing' : (state.relief.exhausted?.tried ?? 'nothing');
}

/** The context was too full for the turn: a compaction without a call is also the way out of claude's own brake. */
export function ranOut(state: GovernorState, event: ResultEvent): boolean {
  return isExhaustion(event) || (tellsBreaker(event) && exactIsPossible(state));
}

/** Notes at the end of a turn whether the context was too full for it. */
export function readExhaustion(ended: GovernorState, { before, event }: Line<ResultEvent>): Step {
  const state = readBreaker(ended, event);
  const { exhausted, blocked } = state.relief;
  const { compaction, handoff } = state.run.policy;
  if ((!compaction.enabled && !handoff.enabled) || blocked) return keep(state);
  if (!ranOut(state, event) && exhausted?.open) return readAnother(before, state, exhausted, event);
  if (!ranOut(state, event)) return keep(changedIn(state, 'relief', { exhausted: undefined }));
  const hopeless = isAlone(before) ? tooLongAlone(before, event) : undefined;
  // The caller has got claude's own answer, and another prompt may fit.
  if (hopeless !== undefined && !isHandedOver(before.relief)) return decide(state, 'exhausted', hopeless);
  const tried = triedFor(before);
  const handoffs = exhausted?.handoffs ?? 0;
  const full = changedIn(state, 'relief', {
    exhausted: { cause: 'refused', tried, handoffs, open: true },
    hopeless,
  });
  const reason = tellsBreaker(event) ? 'the window was filled again at once' : TOO_LONG;
  return decide(full, 'exhausted', reason);
}

/** A turn between the one that had no room and its relief: for what claude had not heard in that, or one of its own. */
function readAnother(before: GovernorState, state: GovernorState, exhausted: Exhausted, event: ResultEvent): Step {
  // It does not answer what resumes once there is room.
  if (isRelieving(state)) return keep(state);
  // Who stops it does not want the work before it either.
  if (isStoppedByCaller(before, event)) return leaveExhausted(state);
  if (event.isError || exhausted.cause === 'stopped') return keep(state);
  const isLost = before.relief.boundaries.at(-1)?.turn === before.turn.ended;
  const unfinished = { because: 'The context was full in the middle of earlier work, and has room again.', isLost };
  return keep(changedIn(state, 'relief', { exhausted: undefined, unfinished }));
}

function isStoppedByCaller({ turn }: GovernorState, event: ResultEvent): boolean {
  return tellsInterrupt(event) && (turn.stopped ?? 'asked') === 'asked';
}

export const TOO_LONG = 'the prompt is too long for the context';

function tooLongAlone(state: GovernorState, { text = '' }: ResultEvent): string {
  const { gauge, session } = state;
  const told = refusedSize(text);
  const blocks = requestsOf(state, unanswered(state)).flatMap(({ event }) => event.blocks);
  const estimate = () => `it has about ${estimateTokens(measureContent(blocks), gauge.calibration)} tokens (estimated)`;
  const size = told === undefined ? estimate() : `the request has ${told.tokens} tokens`;
  const window = told?.limit ?? gauge.window.tokens ?? windowIn(session.version, session.model, true);
  const fits = window === undefined ? '' : `, the window ${window}`;
  return `${TOO_LONG}, which holds nothing else: ${size}${fits}; put long content into a file and name it in the prompt`;
}

export function dueForExhausted(state: GovernorState, { tried }: Exhausted): Due | undefined {
  if (state.run.mode !== 'act') return undefined;
  // A compaction that hangs is not followed by another.
  const canCompact = !isCompacting(state) && mayCompact(state);
  if (tried === 'nothing' && canCompact) return { way: 'compact' };
  // A handoff interrupted by a crash is due again.
  const { due } = state.relief;
  if ((due !== undefined && state.run.policy.handoff.enabled) || mayHandOverAgain(state))
    return { way: 'handoff', reason: due ?? TOO_LONG };
  return { way: 'none', reason: 'nothing has relieved the context' };
}

export function noteTried(state: GovernorState): GovernorState {
  const { exhausted } = state.relief;
  if (exhausted === undefined) return state;
  return changedIn(state, 'relief', { exhausted: { ...exhausted, handoffs: exhausted.handoffs + 1 } });
}

/** Gives up for now: the caller gets claude's own answer. */
export function leaveExhausted(state: GovernorState): Step {
  if (!state.relief.exhausted?.open) return keep(state);
  // The turn is over: whoever has interrupted it did not mean the next prompt.
  const left = changedIn(changedIn(state, 'relief', { exhausted: undefined }), 'mailbox', { stopNext: false });
  return leaveOwed(left);
}

/** Room was made for a turn that had none: the turn resumes. */
export function afterRelief(before: GovernorState, state: GovernorState): Step {
  const { exhausted, unfinished } = state.relief;
  const [wasBusy, isBusy] = [before, state].map((one) => isCompacting(one) || isHandingOver(one));
  if (!exhausted?.open || !wasBusy || isBusy || state.process.phase === 'dead') return keep(state);
  const tried = { ...exhausted, tried: 'compaction' } as const;
  const { landing } = state.relief;
  const succeeded = landing?.of === 'compaction';
  if (!succeeded && state.relief.handed === before.relief.handed)
    return keep(changedIn(state, 'relief', { exhausted: tried }));
  const isExact = landing?.receipt !== undefined;
  const because = `The context was full in the middle of the work. ${isExact ? 'Older steps are shown above, one line each' : 'The summary above replaced it'}.`;
  const work = unfinished ?? { because, isLost: !isExact };
  return keep(changedIn(state, 'relief', { exhausted: { ...tried, open: false }, unfinished: work }));
}

/**
 * Ends a turn behind a tool where handing over is the strategy and the context would be full before the turn is over:
 * no call is broken off, all tools that run at once are awaited, and the work goes on in a fresh context.
 */
export function stopTurn(step: Step): Step {
  const { state, actions } = step;
  if (!actions.some(({ kind }) => kind === 'answer-hook') || !isToStop(state)) return step;
  const reason = `${dueReason(state)}, in the middle of a turn`;
  return keep(
    changedIn(state, 'relief', { stop: { call: state.gauge.calls, reason } }),
    actions.map((action) => (action.kind === 'answer-hook' ? { ...action, output: STOP } : action)),
  );
}

/** Fields that any kind of hook takes. */
const STOP = { continue: false, stopReason: 'ctxb hands the work over to a fresh context' };

function isToStop(state: GovernorState): boolean {
  const { run, turn, relief, gauge, input, tasks } = state;
  const isOurs = run.mode === 'act' && run.policy.midTurn.enabled && input === 'open' && isWithinLimit(state);
  if (!isOurs || turn.phase !== 'running' || turn.startedBy !== 'prompt' || isRelieving(state)) return false;
  if (relief.stop !== undefined || relief.putOffAt === gauge.calls) return false;
  if (Object.values(tasks).some(({ phase }) => phase === 'foreground')) return false;
  const extent = extentOf(state);
  const chosen = chooseWay(state, extent);
  if (chosen?.way !== 'handoff' || chosen.cause !== 'strategy') return false;
  const { thresholds, compaction } = run.policy;
  const window = gauge.window.tokens;
  const latest =
    compaction.moment === 'economic' ? handoffLevel(run.policy, window) : inTokens(thresholds.compact, window);
  return predicted(gauge) >= (payingMoment(state, extent)?.at ?? latest);
}

/** The end of a turn that ctxb has stopped. It tells the caller of a success without a word, which is no answer. */
export function tellsTurnStop({ relief, gauge }: GovernorState, event: Event): boolean {
  return event.kind === 'result' && event.terminalReason === 'hook_stopped' && relief.stop?.call === gauge.calls;
}

/** At the end of a turn: where it was stopped, the work is handed over. */
export function readTurnStop(state: GovernorState, { before, event }: Line<ResultEvent>): Step {
  const { stop } = state.relief;
  if (stop?.call !== state.gauge.calls) return keep(state);
  if (!tellsTurnStop(before, event)) return keep(changedIn(state, 'relief', { stop: undefined }));
  const exhausted = { cause: 'stopped', tried: 'compaction', handoffs: 0, open: true } as const;
  return keep(changedIn(state, 'relief', { stop: undefined, due: stop.reason, exhausted }));
}

/** A turn that was stopped goes on in the same context, as the work cannot be handed over now. */
export function goOnStopped(state: GovernorState): GovernorState {
  const { exhausted } = state.relief;
  if (exhausted?.cause !== 'stopped' || !exhausted.open) return state;
  const because = 'The turn was stopped so that the work could be handed over, which is not possible now.';
  return changedIn(state, 'relief', { exhausted: undefined, unfinished: { because, isLost: false } });
}
