import type { ApiFailure } from '../../protocol/api-failure.ts';
import type { ApiRetryEvent, AssistantEvent, RateLimitEvent, ResultEvent } from '../../protocol/events.ts';
import { isMainMessage, reportsInterrupt } from '../facts.ts';
import { startCompaction } from '../operations/compact.ts';
import { waiting } from '../prompts/mailbox.ts';
import { sendInterrupt } from '../prompts/own-lines.ts';
import { paysAfterPause } from '../relief/relief-moment.ts';
import type { GovernorState } from '../state.ts';
import { changedIn, decide, emit, isWithinLimit, type Line, SHOW_DEFERRED, setTimer } from '../steps.ts';
import { NO_WAIT, resetOf, type Wait } from './waits-state.ts';

/** When to repeat a turn without an answer from the API, in milliseconds since the epoch. `end` ends the run. */
type Plan = number | 'end';

interface Failure extends ApiFailure {
  /** Whether claude stopped retrying because the limit resets after claude's maximum wait. */
  readonly isBeyond?: boolean;
}

/** The reaction to a failed answer; undefined if the caller gets claude's error and the run continues. */
export function planFor(state: GovernorState, event: ResultEvent | AssistantEvent): Plan | undefined {
  const { run, mailbox } = state;
  const failure = failureIn(state, event);
  if (failure === undefined || run.mode !== 'act' || mailbox.input !== 'open' || !isWithinLimit(state))
    return undefined;
  // A caller with the stream protocol handles the error itself.
  const isOurs = !run.callerSpeaksProtocol || mailbox.hasInputEnded;
  const hasMore = waiting(state).length > 0 || (run.policy.limits.outageWait ?? 0) > 0;
  return retryAt(state, failure) ?? (isOurs && (failure.cause === 'limit' || hasMore) ? 'end' : undefined);
}

/** The failure of the API, also after ctxb has interrupted claude's own wait. */
function failureIn(
  { limits: { wait }, run, turn, gauge }: GovernorState,
  event: ResultEvent | AssistantEvent,
): Failure | undefined {
  if (wait.phase !== 'none' && turn.stopped === 'wait' && event.kind === 'result' && reportsInterrupt(event))
    return { cause: wait.cause, resetsAt: wait.until };
  const { failure } = event;
  if (failure?.cause !== 'outage') return failure;
  if (failure.onlyAfterAnswer && gauge.calls === 0) return undefined;
  // With an API key, only claude knows when a limit resets. It does not retry if that is after its maximum wait, by
  // default one minute.
  const isBeyond = !run.withoutRetries && failure.status === 429 && !isWaiting(wait);
  return isBeyond ? { ...failure, cause: 'limit', isBeyond } : failure;
}

function retryAt(
  state: GovernorState,
  { cause, resetsAt = resetOf(state.limits), isBeyond = false, isAccountFault }: Failure,
): number | undefined {
  const { now } = state.facts;
  const { wait: limitSeconds, outageWait = 0 } = state.run.policy.limits;
  const { since, tries } = waitOf(state);
  if (cause === 'limit' && resetsAt !== undefined && resetsAt > now) {
    const until = resetsAt + jitteredMs(state, MAX_RESET_JITTER_MS);
    return until - now > limitSeconds * 1000 ? undefined : until;
  }
  if (isBeyond || isAccountFault) return undefined;
  const seconds = cause === 'limit' ? Math.max(limitSeconds, outageWait) : outageWait;
  const end = since + seconds * 1000;
  // The pause doubles with each turn that ends without an answer.
  const pause = Math.min(FIRST_PAUSE_MS * 2 ** tries, LONGEST_PAUSE_MS);
  return end > now ? Math.min(now + jitteredMs(state, pause), end) : undefined;
}

/** The current wait, or a new one. */
function waitOf({ limits: { wait }, facts: { now } }: GovernorState): Wait {
  return wait.phase === 'none' ? { ...wait, phase: 'claude', since: now, until: now } : wait;
}

export function isWaiting({ phase }: Wait): boolean {
  return phase !== 'none' && phase !== 'over';
}

/** claude rounds the reset to seconds, and many runs wait for the same reset. */
const MAX_RESET_JITTER_MS = 2_000;

const FIRST_PAUSE_MS = 5_000;

const LONGEST_PAUSE_MS = 120_000;

/**
 * A time between half of `ms` and all of it, so that the runs of a machine do not retry together. A replay gets the
 * same time.
 */
function jitteredMs(state: GovernorState, ms: number): number {
  const seed = Number.parseInt(state.run.runId.slice(0, 8), 16) || 0;
  const random = ((seed + waitOf(state).tries * 0x9e3779b1) % 1000) / 1000;
  return Math.round(ms * (0.5 + random / 2));
}

/** Shortest wait by claude in an outage that ctxb announces, in milliseconds. */
const MIN_ANNOUNCED_MS = 30_000;

export function updateWait(state: GovernorState, { event }: Line): GovernorState {
  const { wait } = state.limits;
  if (event.kind === 'api-retry') {
    const noted = recordRetry(state, event);
    return state.facts.isInjected ? noted : takeOverWait(noted, event);
  }
  if (wait.phase === 'none' || wait.phase === 'paused') return state;
  const isReplay = state.run.mode === 'replay';
  // A new prompt in a recording shows that the wait is over.
  if (isReplay && isMainMessage(event, 'prompt')) return changedIn(state, 'wait', NO_WAIT);
  if (event.kind !== 'assistant' || event.subagent !== null) return state;
  if (!event.isSynthetic) return endWait(state, true);
  // A session log has no results.
  return isReplay && event.failure !== undefined ? endWait(state, false) : state;
}

export function updateUsageLimits(state: GovernorState, { event }: Line<RateLimitEvent>): GovernorState {
  const used = { ...state.limits.used, ...event.limits };
  return changedIn(state, 'limits', { used, hit: event.rejectedLimit });
}

/** A wait of at least this length after a 429 counts as a usage limit, even if claude does not report one. */
const MIN_LIMIT_MS = 120_000;

function recordRetry(state: GovernorState, { status, delayMs }: ApiRetryEvent): GovernorState {
  const wait = waitOf(state);
  if (wait.phase === 'paused' || state.turn.stopped === 'wait') return state;
  const isLimit = status === 429 && (resetOf(state.limits) !== undefined || delayMs >= MIN_LIMIT_MS);
  const cause = isLimit ? 'limit' : wait.cause;
  // claude waits at most six hours at a time, so the reset can be later.
  const until = Math.max(state.facts.now + delayMs, isLimit ? (resetOf(state.limits) ?? 0) : 0);
  const isNews = !wait.said && (isLimit || delayMs >= MIN_ANNOUNCED_MS);
  const next = changedIn(state, 'wait', { ...wait, cause, until, said: wait.said || isNews });
  return isNews ? announceWait(next, 'claude', status) : next;
}

/**
 * Maximum delay of claude's retry after a reset. After a longer delay, claude's timer has slept, and ctxb takes over
 * the wait.
 */
const MAX_RESET_DELAY_MS = 60_000;

/**
 * Interrupts claude's wait, so that ctxb waits instead. It pays if a relief after the wait saves costs, or if claude's
 * timer missed the reset while the machine slept.
 */
function takeOverWait(state: GovernorState, { delayMs }: ApiRetryEvent): GovernorState {
  const { limits, facts, run, turn, work } = state;
  const { now } = facts;
  const { wait } = limits;
  const isOurs = run.mode === 'act' && state.mailbox.input === 'open' && turn.phase === 'running';
  if (!isOurs || turn.stopped === 'wait' || wait.phase !== 'claude' || wait.cause !== 'limit') return state;
  const resetAt = resetOf(limits) ?? wait.until;
  const hasSlept = now > resetAt + MAX_RESET_DELAY_MS && delayMs > MAX_RESET_DELAY_MS;
  const pays = work.tasks.length === 0 && paysAfterPause(changedIn(state, 'facts', { now: wait.until }));
  if (!hasSlept && !pays) return state;
  return sendInterrupt(hasSlept ? changedIn(state, 'wait', { until: now }) : state, 'wait');
}

/** Handles a turn without an answer of the API: plans its repetition, or ends the run. */
export function onFailedTurn(state: GovernorState, { before, event }: Line<ResultEvent>): GovernorState {
  const plan = planFor(before, event);
  const failure = failureIn(before, event);
  if (failure === undefined || plan === undefined) {
    // An interrupted turn shows nothing about the API. Any other error shows that the API answered.
    const isCertain = event.isError && !reportsInterrupt(event);
    return isCertain ? endWait(state, failure === undefined) : state;
  }
  const resumeReason = 'The API did not answer for a while, and the turn was interrupted.';
  const interrupted = changedIn(state, 'mailbox', { resumeReason });
  if (plan !== 'end') return pauseRun(interrupted, failure, plan);
  if (failure.cause === 'limit') return endAtLimit(interrupted, failure);
  // The next prompts would not get an answer either.
  return emit(endWait(changedIn(interrupted, 'mailbox', { outcome: 'outage' }), false), SHOW_DEFERRED);
}

function pauseRun(state: GovernorState, failure: ApiFailure, until: number): GovernorState {
  const wait = waitOf(state);
  // A limit without a known reset is handled like an outage.
  const cause = (failure.resetsAt ?? resetOf(state.limits)) === undefined ? 'outage' : failure.cause;
  const next = changedIn(state, 'wait', { ...wait, cause, phase: 'paused', until, tries: wait.tries + 1, said: true });
  const wasAnnounced = wait.said && wait.cause === cause;
  return emit(wasAnnounced ? next : announceWait(next, 'ctxb'), scheduleWaitCheck(next));
}

const LIMIT_REACHED = 'a usage limit is reached';

function announceWait(state: GovernorState, by: 'claude' | 'ctxb', status?: number): GovernorState {
  const { cause, until } = waitOf(state);
  const limit = cause === 'limit' ? state.limits.hit : undefined;
  const isRefused = status === 401 || status === 403;
  const problem = isRefused ? 'the API refuses the credentials' : 'the API does not answer';
  const reason = cause === 'limit' ? LIMIT_REACHED : problem;
  return decide(state, 'wait:begun', reason, { cause, limit, by, until, ...(isRefused && { status }) });
}

function endAtLimit(state: GovernorState, failure: Failure): GovernorState {
  const { resetsAt = resetOf(state.limits) } = failure;
  const { wait: seconds } = state.run.policy.limits;
  const isBeyond = seconds > 0 && (resetsAt === undefined ? failure.isBeyond === true : resetsAt > state.facts.now);
  const over = changedIn(state, 'wait', { ...waitOf(state), phase: 'over' });
  const ended = changedIn(over, 'mailbox', { outcome: 'usage-limit' });
  const limitDetails = isBeyond && { maxWaitSeconds: seconds };
  const reported = decide(ended, 'limit:usage', LIMIT_REACHED, { limit: state.limits.hit, resetsAt, ...limitDetails });
  return emit(reported, SHOW_DEFERRED);
}

/** Interval between checks of the clock. Timers stop while a machine sleeps, and cannot exceed 24 days. */
const TICK_MS = 30_000;

function scheduleWaitCheck(state: GovernorState) {
  const remainingMs = Math.max(0, waitOf(state).until - state.facts.now);
  return setTimer('wait', Math.min(remainingMs, TICK_MS));
}

/** Repeats the turn after the wait. Compacts first if the prompt cache has expired and that costs less. */
export function onWaitTimer(state: GovernorState): GovernorState {
  const { wait } = state.limits;
  if (wait.phase !== 'paused') return state;
  if (state.facts.now < wait.until) return emit(state, scheduleWaitCheck(state));
  const next = changedIn(state, 'wait', { phase: 'trying' });
  return next.mailbox.resumeReason !== undefined && paysAfterPause(next) ? startCompaction(next) : next;
}

function endWait(state: GovernorState, answered: boolean): GovernorState {
  const { wait } = state.limits;
  if (wait.phase === 'none') return state;
  const next = changedIn(state, 'wait', answered ? NO_WAIT : { phase: 'over' });
  if (!wait.said || wait.phase === 'over') return next;
  // A recording may have no times.
  const ms = wait.since > 0 ? state.facts.now - wait.since : 0;
  const reason = answered ? 'the API answers again' : 'the API still does not answer';
  return decide(next, 'wait:over', reason, { cause: wait.cause, ms, answered });
}

export function stopWaiting(state: GovernorState): GovernorState {
  return state.limits.wait.phase === 'paused' ? changedIn(state, 'wait', NO_WAIT) : state;
}
