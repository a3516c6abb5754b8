import type { Event, ResultEvent } from '../../protocol/events.ts';
import { isExhaustion, refusedSize } from '../../protocol/failures.ts';
import { estimateTokens, measureContent } from '../gauge/estimator.ts';
import { predicted } from '../gauge/gauge.ts';
import { windowIn } from '../gauge/window.ts';
import { handoffLevel } from '../policy.ts';
import { isOwnUuid } from '../prompts/own-lines.ts';
import type { GovernorState } from '../state.ts';
import { changedIn, decided, isRelieving, keep, type Step } from '../steps.ts';
import { exactIsPossible } from './exact.ts';
import { chooseWay, mayCompact, payingMoment } from './ladder.ts';
import { dueReason, extentOf } from './outlook.ts';
import type { Due, Exhausted } from './relief-state.ts';
import { tellsBreaker } from './thrash.ts';

/** Whether the context can be relieved, so that the caller need not see the error. */
export function mayRelieve(state: GovernorState): boolean {
  const { run, relief } = state;
  if (run.mode !== 'act' || relief.blocked || isAlone(state)) return false;
  return mayHandOverAgain(state) || (run.policy.compaction.enabled && relief.exhausted === undefined);
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

/** The context was too full for the turn: a compaction without a call is also the way out of claude's own brake. */
export function ranOut(state: GovernorState, event: ResultEvent): boolean {
  return isExhaustion(event) || (tellsBreaker(event) && exactIsPossible(state));
}

/** Notes at the end of a turn whether the context was too full for it. */
export function readExhaustion(before: GovernorState, state: GovernorState, event: ResultEvent): Step {
  const { exhausted, blocked } = state.relief;
  const { compaction, handoff } = state.run.policy;
  if ((!compaction.enabled && !handoff.enabled) || blocked) return keep(state);
  if (!ranOut(state, event)) return keep(changedIn(state, 'relief', { exhausted: undefined }));
  const hopeless = isAlone(before) ? tooLongAlone(before, event) : undefined;
  // The caller has got claude's own answer, and another prompt may fit.
  if (hopeless !== undefined && !isHandedOver(before.relief))
    return keep(state, [{ kind: 'exhausted', ...decided(state, hopeless) }]);
  // One that costs nothing and let the turn go on may do so again.
  const helped = exactIsPossible(state) && before.turn.calls > 0;
  const full = changedIn(state, 'relief', {
    exhausted: {
      cause: 'refused',
      prompts: exhausted?.prompts ?? before.turn.prompts,
      tried: helped ? 'nothing' : (exhausted?.tried ?? 'nothing'),
      handoffs: exhausted?.handoffs ?? 0,
      open: true,
    },
    hopeless,
  });
  const reason = tellsBreaker(event) ? 'the window was filled again at once' : TOO_LONG;
  return keep(full, [{ kind: 'exhausted', ...decided(full, reason) }]);
}

export const TOO_LONG = 'the prompt is too long for the context';

function tooLongAlone({ gauge, session, turn, relief }: GovernorState, { text = '' }: ResultEvent): string {
  const told = refusedSize(text);
  const blocks = (relief.exhausted ?? turn).prompts.flatMap(({ event }) => event.blocks);
  const estimate = () => `it has about ${estimateTokens(measureContent(blocks), gauge.calibration)} tokens (estimated)`;
  const size = told === undefined ? estimate() : `the request has ${told.tokens} tokens`;
  const window = told?.limit ?? gauge.window.tokens ?? windowIn(session.version, session.model, true);
  const fits = window === undefined ? '' : `, the window ${window}`;
  return `${TOO_LONG}, which holds nothing else: ${size}${fits}; put long content into a file and name it in the prompt`;
}

export function dueForExhausted(state: GovernorState, { tried }: Exhausted): Due | undefined {
  if (state.run.mode !== 'act') return undefined;
  // A compaction that hangs is not followed by another.
  const canCompact = state.compaction.phase === 'idle' && mayCompact(state);
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
  const { exhausted } = state.relief;
  if (!exhausted?.open) return keep(state);
  return keep(changedIn(state, 'relief', { exhausted: undefined }), [
    { kind: 'deferred', fate: 'show' },
    { kind: 'answered', uuids: answersOf(state, exhausted) },
  ]);
}

/** Room was made for a turn that had none: the turn resumes. */
export function afterRelief(before: GovernorState, state: GovernorState): Step {
  const { exhausted, unfinished } = state.relief;
  const wasBusy = before.compaction.phase !== 'idle' || before.handoff.phase !== 'idle';
  const isBusy = state.compaction.phase !== 'idle' || state.handoff.phase !== 'idle';
  if (!exhausted?.open || !wasBusy || isBusy || state.process.phase === 'dead') return keep(state);
  const tried = { ...exhausted, tried: 'compaction' } as const;
  const { landing } = state.relief;
  const succeeded = landing?.of === 'compaction';
  const handedOver = state.relief.handoffs > before.relief.handoffs;
  if (!succeeded && !handedOver) return keep(changedIn(state, 'relief', { exhausted: tried }));
  const isExact = landing?.receipt !== undefined;
  const because = `The context was full in the middle of the work, and ${isExact ? 'older steps of it stand above in a line each' : 'it was replaced by what is above'}.`;
  const answers = answersOf(state, exhausted);
  const work = unfinished ?? { because, prompts: isExact ? [] : exhausted.prompts, answers };
  return keep(changedIn(state, 'relief', { exhausted: { ...tried, open: false }, unfinished: work }));
}

/** What the turn was to answer; one that was resumed, also what the turns before it left. */
function answersOf({ relief }: GovernorState, { prompts }: Exhausted): string[] {
  return [...new Set([...prompts.map(({ uuid }) => uuid), ...(relief.resuming?.answers ?? [])])];
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
  const { run, turn, relief, gauge, input, spending, tasks } = state;
  const isOurs = run.mode === 'act' && run.policy.midTurn.enabled && input === 'open' && spending.phase === 'within';
  if (!isOurs || turn.phase !== 'running' || turn.startedBy !== 'prompt' || isRelieving(state)) return false;
  if (relief.stop !== undefined || relief.putOffAt === gauge.calls) return false;
  if (Object.values(tasks).some(({ phase }) => phase === 'foreground')) return false;
  const extent = extentOf(state);
  const chosen = chooseWay(state, extent);
  if (chosen?.way !== 'handoff' || chosen.cause !== 'strategy') return false;
  return predicted(gauge) >= (payingMoment(state, extent)?.at ?? handoffLevel(run.policy, gauge.window.tokens));
}

/** The end of a turn that was stopped: the caller sees it only if the work cannot go on. */
export function tellsTurnStop({ relief, gauge }: GovernorState, event: Event): boolean {
  return event.kind === 'result' && event.terminalReason === 'hook_stopped' && relief.stop?.call === gauge.calls;
}

/** At the end of a turn: where it was stopped, the work is handed over. */
export function readTurnStop(before: GovernorState, state: GovernorState, event: ResultEvent): GovernorState {
  const { stop } = state.relief;
  if (stop === undefined || stop.call !== state.gauge.calls) return state;
  if (!tellsTurnStop(before, event)) return changedIn(state, 'relief', { stop: undefined });
  const earlier = before.relief.exhausted?.prompts ?? [];
  const said = before.turn.prompts.filter(({ uuid }) => earlier.length === 0 || !isOwnUuid(state, uuid));
  return changedIn(state, 'relief', {
    stop: undefined,
    due: stop.reason,
    exhausted: { cause: 'stopped', prompts: [...earlier, ...said], tried: 'compaction', handoffs: 0, open: true },
  });
}

/** A turn that was stopped goes on in the same context, as the work cannot be handed over now. */
export function goOnStopped(state: GovernorState): GovernorState {
  const { exhausted } = state.relief;
  if (exhausted?.cause !== 'stopped' || !exhausted.open) return state;
  const because = 'The turn was stopped so that the work could be handed over, which is not possible now.';
  const unfinished = { because, prompts: [], answers: answersOf(state, exhausted) };
  return changedIn(state, 'relief', { exhausted: undefined, unfinished });
}
