import { plainText } from '../../protocol/blocks.ts';
import type { ApiRetryEvent, CompactStatusEvent, Event, ResultEvent } from '../../protocol/events.ts';
import {
  BLOCKED,
  COMMANDS_OFF,
  isTemporary,
  NOTHING_TO_COMPACT,
  REJECTION,
  saysUnavailable,
  UNWRITABLE,
} from '../../protocol/failures.ts';
import { totalMicroUsd, toUsd } from '../cost/cost.ts';
import type { Verdict } from '../decisions.ts';
import type { Prompt } from '../input.ts';
import { askContext, beginOwnTurn, ownTurnTimer, sendInterrupt } from '../prompts/own-lines.ts';
import { withCost } from '../relief/baseline.ts';
import { announceNotExact, isExactPossible } from '../relief/exact.ts';
import { giveUpRelief, TOO_LONG } from '../relief/exhaustion.ts';
import { focusText } from '../relief/focus.ts';
import { UNTRIED } from '../relief/ladder.ts';
import { reliefReason } from '../relief/relief-moment.ts';
import type { GovernorState } from '../state.ts';
import {
  changed,
  changedIn,
  clearTimer,
  DROP_BUFFERED,
  decide,
  emit,
  isCompacting,
  isRelieving,
  type Line,
  setTimer,
} from '../steps.ts';
import { planExact } from './load-mod.ts';
import { type Attempt, IDLE, type Operation, type OperationIn } from './operation.ts';

/** Time for claude to report the end of a stopped compaction. Then ctxb kills it. */
const STOP_TIMEOUT_MS = 10_000;

/** The prompt that is sent next. `unseen`: in a recording, a turn has begun whose prompts are not in it. */
export type NextPrompt = Prompt | 'unseen' | undefined;

/**
 * Sends `/compact` in a message of its own. claude takes the whole message as the argument, so a prompt in it would be
 * lost.
 */
export function startCompaction(state: GovernorState): GovernorState {
  if (isRelieving(state) || isCompacting(state)) return state;
  const how = isExactPossible(state) ? 'exact' : 'summary';
  const focus = focusText(state);
  // In an exact compaction the messages stay, and the focus would stay among them as an instruction.
  const command = how === 'exact' ? '/compact' : `/compact ${focus}`.trim();
  const attempt: Attempt = { how, costBefore: totalMicroUsd(state.limits.cost) };
  const operation = { phase: 'compacting', turn: 'asked', attempt } as const;
  const planned = planExact(announceNotExact(state), true);
  return beginOwnTurn(decide(planned, 'compact', reasonFor(state), { how, focus }), operation, command);
}

function reasonFor(state: GovernorState): string {
  if (state.relief.exhausted?.isUnrelieved) return TOO_LONG;
  return state.relief.request?.way === 'compact' ? 'it was requested with ctxb compact' : reliefReason(state);
}

export function onCompactionLine(
  state: GovernorState,
  operation: OperationIn<'compacting'>,
  event: Event,
): GovernorState {
  if (event.kind === 'result')
    return emit(concludeAttempt(state, operation.attempt, verdictOf(operation.attempt, event)), DROP_BUFFERED);
  const attempt = attemptAfter(operation.attempt, event);
  const turn = operation.turn === 'running' || hasBegun(event) ? 'running' : 'asked';
  // A retry shows that claude waits for the API and is not stuck.
  const watch = event.kind === 'api-retry' ? [ownTurnTimer(state, 'compacting', event.delayMs)] : [];
  const followed = emit(changedIn(state, 'operation', { turn, attempt }), ...watch);
  return turn === operation.turn ? followed : emit(followed, DROP_BUFFERED);
}

export function giveUpCompaction(state: GovernorState, { attempt }: OperationIn<'compacting'>): GovernorState {
  const verdict = isApiUnavailable(attempt.retry) ? 'unavailable' : 'silent';
  // A stuck compaction would block all later prompts. If claude has reported a boundary, the compaction made room.
  const concluded = concludeAttempt(state, attempt, attempt.boundarySeen ? 'success' : verdict);
  const stopped = sendInterrupt(changedIn(concluded, 'process', { isStillCompacting: true }));
  return emit(stopped, setTimer('operation', STOP_TIMEOUT_MS));
}

export function recordInterrupt(state: GovernorState): GovernorState {
  const { operation } = state;
  if (operation.phase !== 'compacting') return state;
  return changedIn(state, 'operation', { attempt: { ...operation.attempt, interrupted: true } });
}

/** Marks an abandoned compaction as ended, so that later lines are shown again. */
export function endAbandoned(state: GovernorState): GovernorState {
  return changedIn(state, 'process', { isStillCompacting: false });
}

export function onAbandonedLine(state: GovernorState, _idle: Operation, event: Event): GovernorState {
  return event.kind === 'result' ? emit(endAbandoned(state), DROP_BUFFERED) : state;
}

/**
 * Allows every kind of relief again after any of them. The first call after a compaction shows whether compacting
 * helps.
 */
export function forgetFailures(state: GovernorState): GovernorState {
  const failures = state.facts.replaced === 'boundary' ? state.relief.failures : 0;
  return isCompacting(state) ? state : changedIn(state, 'relief', { ...UNTRIED, failures });
}

function concludeAttempt(state: GovernorState, attempt: Attempt, verdict: Verdict): GovernorState {
  const { session, relief } = state;
  const microUsd = totalMicroUsd(state.limits.cost) - attempt.costBefore;
  const concluded = changed(state, {
    operation: IDLE,
    relief: {
      ...relief,
      ...failuresAfter(state, attempt, verdict),
      baseline: withCost(relief.baseline, microUsd),
      // After a failure the latch stays set, so that ctxb does not repeat the warning.
      latch: verdict === 'success' ? relief.latch : 'warn',
      due: verdict === 'refused' && state.run.policy.handoff.enabled ? REASONS.refused : relief.due,
      isBlocked: relief.isBlocked || verdict === 'blocked',
    },
    session: { ...session, commandsOff: verdict === 'refused' },
  });
  const how = relief.unmeasured?.receipt === undefined ? 'summary' : 'exact';
  const reason = attempt.error ?? REASONS[verdict === 'success' && how === 'exact' ? 'exact' : verdict];
  const timed = emit(concluded, clearTimer('operation'));
  const reported = decide(timed, 'compacted', reason, { how, verdict, costUsd: toUsd(microUsd) });
  const because = verdict === 'failed' && isRejected(attempt) ? REFUSED : undefined;
  const judged = giveUpAfterFailures(reported, relief.failures, because);
  if (verdict === 'success') return askContext(judged);
  return verdict === 'unavailable' || verdict === 'blocked' ? giveUpRelief(judged) : judged;
}

function failuresAfter({ relief, gauge, run }: GovernorState, attempt: Attempt, verdict: Verdict) {
  if (verdict === 'success') return { triedAt: undefined };
  const ended = { triedAt: gauge.calls };
  if (verdict === 'unavailable' || verdict === 'blocked' || attempt.interrupted) return ended;
  // The API would refuse again, and each attempt costs several summary calls.
  const minFailures = isRejected(attempt) ? run.policy.compaction.maxAttempts : 0;
  return { ...ended, failures: Math.max(relief.failures + 1, minFailures) };
}

const REASONS: Readonly<Record<Verdict | 'exact', string>> = {
  exact: 'the mod has said what stays',
  success: 'the context was replaced by a summary',
  failed: 'claude could not compact',
  empty: 'there was nothing to compact',
  blocked: 'a hook blocks compactions',
  refused: 'slash commands are switched off',
  unavailable: 'the API was not available',
  silent: 'claude did not report the end of the compaction in time',
};

const REFUSED = 'the API refuses to summarise the context';

/**
 * Gives up compacting after claude's own compaction failed because of a hook or the disk. Otherwise each further call
 * would pay for another failed summary.
 */
export function giveUpAfterNativeFailure(state: GovernorState, { event }: Line<CompactStatusEvent>): GovernorState {
  const failed = !isCompacting(state) && event.error;
  if (!failed) return state;
  if (BLOCKED.test(failed)) return changedIn(state, 'relief', { isBlocked: true });
  if (!UNWRITABLE.test(failed)) return state;
  const failures = state.run.policy.compaction.maxAttempts;
  const marked = changedIn(state, 'relief', { failures, isUnwritable: true });
  return giveUpAfterFailures(marked, state.relief.failures, `claude cannot compact: ${failed}`);
}

/**
 * Gives up compacting after the allowed number of failures, and requests a handoff.
 * @param because the reason; by default the number of failures
 */
export function giveUpAfterFailures(state: GovernorState, failuresBefore: number, because?: string): GovernorState {
  const { failures } = state.relief;
  const limit = state.run.policy.compaction.maxAttempts;
  if (failures < limit || failuresBefore >= limit) return state;
  const failureText = failures === 1 ? 'a compaction did not help' : `${failures} compactions in a row did not help`;
  const reason = because ?? failureText;
  const due = state.run.policy.handoff.enabled ? reason : undefined;
  return decide(changedIn(state, 'relief', { due }), 'give-up:compaction', reason);
}

/** Whether claude has begun to compact. The checks are in the order in which claude writes these lines. */
function hasBegun(event: Event): boolean {
  if (event.kind === 'compact-status') return event.phase !== 'other';
  if (event.kind === 'boundary') return event.trigger === 'manual';
  return event.kind === 'assistant' && event.isSynthetic;
}

function attemptAfter(attempt: Attempt, event: Event): Attempt {
  switch (event.kind) {
    case 'boundary':
      return { ...attempt, boundarySeen: true };
    case 'compact-status':
      return { ...attempt, error: event.error ?? attempt.error };
    case 'api-retry':
      return { ...attempt, retry: event };
    case 'assistant':
      return event.isSynthetic ? { ...attempt, error: plainText(event.blocks) || attempt.error } : attempt;
    default:
      return attempt;
  }
}

/** The verdict on an attempt, from its lines and its result. */
function verdictOf(attempt: Attempt, result: ResultEvent): Verdict {
  if (attempt.boundarySeen) return 'success';
  const errorText = [attempt.error, result.text, ...result.errors].join('\n');
  if (BLOCKED.test(errorText)) return 'blocked';
  if (NOTHING_TO_COMPACT.test(errorText)) return 'empty';
  if (COMMANDS_OFF.test(errorText)) return 'refused';
  if (isRejected({ ...attempt, error: errorText })) return 'failed';
  return isApiUnavailable(attempt.retry) || saysUnavailable(errorText) ? 'unavailable' : 'failed';
}

/** Whether the API is down, by claude's last retry. */
export function isApiUnavailable(retry: ApiRetryEvent | undefined): boolean {
  return retry !== undefined && (retry.status === undefined || isTemporary(retry.status));
}

function isRejected({ error = '', retry }: Attempt): boolean {
  const status = retry?.status ?? 0;
  const byStatus = status >= 400 && !isTemporary(status);
  return byStatus || REJECTION.test(error);
}
