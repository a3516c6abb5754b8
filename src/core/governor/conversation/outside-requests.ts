import { type ExactReceipt, leavesAll, shareLeft } from '../../protocol/exact-plan.ts';
import { placeTrigger } from '../control/trigger.ts';
import type { Action } from '../decisions.ts';
import type { AskAnswer, Effect } from '../effects.ts';
import { prefixOf } from '../gauge/gauge.ts';
import type { OutsideRequest } from '../input.ts';
import { loadMod } from '../operations/load-mod.ts';
import { endWithProcess } from '../process/process.ts';
import { isLastTurn } from '../prompts/mailbox.ts';
import { sendInterrupt, stopWhenTurnBegins, successLine } from '../prompts/own-lines.ts';
import type { ReliefRequest, Requester, UnmeasuredRelief } from '../relief/relief-state.ts';
import type { GovernorState } from '../state.ts';
import { changedIn, decide, emit, isHandingOver, isRelieving, isUnderWay } from '../steps.ts';
import { isWaiting, stopWaiting } from '../waits/wait.ts';
import { onCostAnswer } from './spending.ts';

/** Handles a request from a ctxb command or the caller. Refuses an impossible one at once. */
export function onOutsideRequest(state: GovernorState, ask: OutsideRequest, by: Requester): GovernorState {
  const why = reasonToRefuse(state, ask);
  if (why !== undefined) return emit(state, answerTo(by, { done: false, text: why }));
  if (ask.what === 'stop') return stopRun(state, ask, by);
  // If such a relief is already under way, its result also answers this request.
  const { by: others = [], isMidTurn = false } = state.relief.request ?? {};
  const request = { way: ask.what, by: [...others, by], isMidTurn: isMidTurn || ask.now };
  const requested = changedIn(state, 'relief', { request });
  return ask.now ? placeTrigger(loadMod(requested)) : requested;
}

function reasonToRefuse(state: GovernorState, { what, now }: OutsideRequest): string | undefined {
  const { run, mailbox, relief } = state;
  if (run.mode !== 'act') return 'this run only observes (--observe)';
  if (mailbox.input === 'closed' || mailbox.outcome !== undefined) return 'the run is about to end';
  if (what === 'stop') return undefined;
  const cannot = reasonAgainstRelief(what, state);
  if (cannot !== undefined) return cannot;
  if (relief.request !== undefined && relief.request.way !== what)
    return `a ${relief.request.way === 'compact' ? 'compaction' : 'handoff'} was requested before`;
  return reasonAgainstTiming(state, what === 'compact', now);
}

/** Why a relief is impossible after this turn, or with `now` also within it. */
function reasonAgainstTiming(state: GovernorState, isCompaction: boolean, now: boolean): string | undefined {
  const canBeNow = isCompaction && (state.process.control.trigger !== 'off' || state.turn.phase === 'idle');
  if (now && canBeNow) return undefined;
  const isLast = isLastTurn(state) && !isRelieving(state);
  if (!isLast) return now ? NOT_NOW : undefined;
  return `no prompt follows this turn${canBeNow ? '; --now compacts in the middle of this one' : ''}`;
}

const NOT_NOW =
  "ctxb may not move claude's level (--no-mid-turn, or claude's settings): without --now it compacts after the turn";

function reasonAgainstRelief(way: ReliefRequest['way'], state: GovernorState): string | undefined {
  if (state.gauge.calls === 0) return `there is nothing to ${way === 'compact' ? 'compact' : 'hand over'} yet`;
  if (way === 'handoff')
    return state.run.policy.handoff.enabled || isHandingOver(state)
      ? undefined
      : 'handoffs are switched off (handoff.enabled)';
  if (state.session.commandsOff) return 'slash commands are off in this claude';
  return state.relief.isBlocked ? 'a hook blocks compactions' : undefined;
}

/** Ends the run after the turn. Interrupts a turn with `--now`, and a turn that waits for the API, which can take hours. */
function stopRun(state: GovernorState, { now }: OutsideRequest, by: Requester): GovernorState {
  const ended = changedIn(stopWaiting(state), 'mailbox', { outcome: 'asked' });
  const next = emit(ended, answerTo(by, { done: true, text: 'stopping' }));
  if (state.operation.phase === 'deciding') return onCostAnswer(next, undefined);
  if (!now && !isWaiting(state.limits.wait)) return next;
  return onInterrupt(next, 'ctxb stop asked to end the turn');
}

export function answerAskers(before: GovernorState, state: GovernorState): GovernorState {
  const { request } = state.relief;
  if (request === undefined) return state;
  const answer = findAnswer(before, state, request.way);
  if (answer === undefined) return state;
  return emit(changedIn(state, 'relief', { request: undefined }), ...request.by.map((by) => answerTo(by, answer)));
}

function failureReasons(action: Action): string[] {
  const isFailed = action.kind === 'compacted' && action.verdict !== 'success';
  const isOver = action.kind === 'give-up' && action.of === 'run';
  return isFailed || isOver || action.kind === 'put-off' ? [action.reason] : [];
}

function findAnswer(before: GovernorState, state: GovernorState, way: ReliefRequest['way']): AskAnswer | undefined {
  const [failure] = state.actions.flatMap(failureReasons);
  if (failure !== undefined) return { done: false, text: failure };
  const { unmeasured } = state.relief;
  const measured = unmeasured === undefined && isUnderWay(before, way) ? before.relief.unmeasured : undefined;
  if (measured !== undefined) return doneAnswer(measured, state.gauge.used);
  // Before the next call, the size comes from the receipt, or from claude's own count.
  if (unmeasured !== undefined && state.gauge.basis === 'asked' && state.turn.phase === 'idle') {
    const { receipt } = unmeasured;
    if (receipt === undefined) return doneAnswer(unmeasured, state.gauge.used);
    const answer = doneAnswer(unmeasured, estimateSizeAfter(receipt, unmeasured.before.predicted, before));
    return answer.done ? { ...answer, estimated: true } : answer;
  }
  if (state.mailbox.input !== 'closed') return undefined;
  return { done: false, text: 'the run ended before it could answer' };
}

function doneAnswer(
  { kind, native, receipt, before: { predicted: before } }: UnmeasuredRelief,
  after: number,
): AskAnswer {
  if (receipt && leavesAll(receipt)) return { done: false, text: 'nothing is left to cut' };
  const compacted = native && !receipt ? 'claude compacted, by a summary' : 'compacted';
  const done = kind === 'handoff' ? 'handed over' : compacted;
  const isFreed = after < before;
  return { done: isFreed, text: isFreed ? done : `${done}, but nothing was freed`, before, after };
}

/**
 * Estimates the size after an exact compaction. The receipt only estimates the messages, so its share scales their
 * measured size.
 */
function estimateSizeAfter(receipt: ExactReceipt, size: number, before: GovernorState): number {
  const prefix = Math.min(prefixOf(before.gauge), size);
  return Math.round(prefix + (size - prefix) * shareLeft(receipt));
}

function answerTo(to: Requester, answer: AskAnswer): Effect {
  if (to.from === 'command') return { kind: 'answer-asker', id: to.id, answer };
  return { kind: 'reply', line: successLine(to.id, answer) };
}

/** Ends the turn for the user or `ctxb stop --now`. ctxb then sends claude no further prompt. */
export function onInterrupt(before: GovernorState, reason = 'the user asked to stop'): GovernorState {
  const state = stopWaiting(before);
  const interrupted = changedIn(state, 'mailbox', {
    input: state.mailbox.input === 'closed' ? 'closed' : 'interrupted',
  });
  const next = decide(interrupted, 'interrupt', reason);
  // Between two processes no turn runs, and no new process starts.
  if (state.process.phase === 'dead') return state.mailbox.input === 'closed' ? next : endWithProcess(next);
  if (state.turn.phase === 'idle' && !isRelieving(state)) return next;
  if (state.turn.phase !== 'sent') return sendInterrupt(next);
  // Without a session id claude may still wait for its hooks and hold the prompt, which must not start.
  if (state.session.id === undefined) return emit(next, { kind: 'kill', signal: 'SIGTERM' });
  // claude ignores an interrupt before the turn begins, so ctxb stops the turn later.
  return stopWhenTurnBegins(next);
}
