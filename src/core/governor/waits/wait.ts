import type {
  ApiFailure,
  ApiRetryEvent,
  AssistantEvent,
  LimitUse,
  RateLimitEvent,
  ResultEvent,
} from '../../protocol/events.ts';
import { isSaid, tellsInterrupt } from '../facts.ts';
import { startCompaction } from '../operations/compact.ts';
import { waiting } from '../prompts/mailbox.ts';
import { sendInterrupt } from '../prompts/own-lines.ts';
import { announceExpiry } from '../relief/outlook.ts';
import type { GovernorState } from '../state.ts';
import {
  chain,
  changed,
  changedIn,
  decide,
  decided,
  isWithinLimit,
  keep,
  type Line,
  SHOW_DEFERRED,
  type Step,
  setTimer,
} from '../steps.ts';
import type { Limits, Wait } from './waits-state.ts';

/** When a turn that the API has not answered is repeated, in milliseconds since the epoch; or the run ends. */
type Plan = number | 'end';

interface Failure extends ApiFailure {
  /** The limit resets later than claude waits for it. */
  readonly isBeyond?: boolean;
}

/** Undefined: the caller gets claude's own answer, and the run goes on. */
export function planFor(state: GovernorState, event: ResultEvent | AssistantEvent): Plan | undefined {
  const { run, input, mailbox } = state;
  const failure = failureIn(state, event);
  if (failure === undefined || run.mode !== 'act' || input !== 'open' || !isWithinLimit(state)) return undefined;
  // Who speaks the protocol decides himself what to do about an answer.
  const isOurs = !run.callerSpeaksProtocol || mailbox.ended;
  const hasMore = waiting(state).length > 0 || (run.policy.limits.outageWait ?? 0) > 0;
  return retryAt(state, failure) ?? (isOurs && (failure.cause === 'limit' || hasMore) ? 'end' : undefined);
}

/** What kept the API from answering, also where claude's own wait was broken off. */
function failureIn(
  { wait, run, turn, gauge }: GovernorState,
  event: ResultEvent | AssistantEvent,
): Failure | undefined {
  if (wait !== undefined && turn.stopped === 'wait' && event.kind === 'result' && tellsInterrupt(event))
    return { cause: wait.cause, resetsAt: wait.until };
  const { failure } = event;
  if (failure?.cause !== 'outage') return failure;
  if (failure.isLater && gauge.calls === 0) return undefined;
  // With an API key claude alone knows when the limit resets: where that is later than it waits, a minute unless it was told
  // more, it does not try again.
  const hasWaited = wait !== undefined && wait.phase !== 'over';
  const isBeyond = !run.withoutRetries && failure.status === 429 && !hasWaited;
  return isBeyond ? { ...failure, cause: 'limit', isBeyond } : failure;
}

/** When the turn is repeated; undefined: it is not. */
function retryAt(
  state: GovernorState,
  { cause, resetsAt = resetOf(state.limits), isBeyond = false }: Failure,
): number | undefined {
  const { now, run } = state;
  const { wait: limitSeconds, outageWait = 0 } = run.policy.limits;
  const { since, tries } = waitOf(state);
  if (cause === 'limit' && resetsAt !== undefined && resetsAt > now) {
    const until = resetsAt + jitter(state, RESET_SLACK_MS);
    return until - now > limitSeconds * 1000 ? undefined : until;
  }
  if (isBeyond) return undefined;
  const seconds = cause === 'limit' ? Math.max(limitSeconds, outageWait) : outageWait;
  const end = since + seconds * 1000;
  // The pause grows with each turn that has ended without an answer.
  const pause = Math.min(FIRST_PAUSE_MS * 2 ** tries, LONGEST_PAUSE_MS);
  return end > now ? Math.min(now + jitter(state, pause), end) : undefined;
}

/** The wait under way, or one that begins now. */
function waitOf({ wait, now }: GovernorState): Wait {
  return wait ?? { cause: 'outage', phase: 'claude', since: now, until: now, tries: 0, said: false };
}

/** A reset is told in whole seconds, and many wait for the same one. */
const RESET_SLACK_MS = 2_000;

const FIRST_PAUSE_MS = 5_000;
const LONGEST_PAUSE_MS = 120_000;

/** Between half of it and all: the runs of a machine do not come back at once. The same in a replay. */
function jitter(state: GovernorState, ms: number): number {
  const seed = Number.parseInt(state.run.runId.slice(0, 8), 16) || 0;
  const random = ((seed + waitOf(state).tries * 0x9e3779b1) % 1000) / 1000;
  return Math.round(ms * (0.5 + random / 2));
}

/** Waits of claude's own in an outage are told from this length on, in milliseconds. */
const LEAST_TOLD_MS = 30_000;

/** claude waits by itself, or the API answers again. */
export function followWait(state: GovernorState, { event }: Line): Step {
  const { wait } = state;
  if (event.kind === 'api-retry') {
    const noted = noteRetry(state, event);
    return state.facts.isInjected ? noted : chain(noted, (next) => breakWait(next, event));
  }
  if (wait === undefined || wait.phase === 'paused') return keep(state);
  const isReplay = state.run.mode === 'replay';
  // A recording goes on with another prompt: nobody waits any more.
  if (isReplay && isSaid(event, 'prompt')) return keep(changed(state, { wait: undefined }));
  if (event.kind !== 'assistant' || event.subagent !== null) return keep(state);
  if (!event.synthetic) return endWait(state, true);
  // A session log has no results.
  return isReplay && event.failure !== undefined ? endWait(state, false) : keep(state);
}

/** From this length on a wait for a 429 is one for a usage limit, also where claude does not say so. */
const LEAST_LIMIT_MS = 120_000;

function noteRetry(state: GovernorState, { status, delayMs }: ApiRetryEvent): Step {
  const { now, limits, turn } = state;
  const wait = waitOf(state);
  if (wait.phase === 'paused' || turn.stopped === 'wait') return keep(state);
  const isLimit = status === 429 && (resetOf(limits) !== undefined || delayMs >= LEAST_LIMIT_MS);
  const cause = isLimit ? 'limit' : wait.cause;
  // claude waits six hours at a time.
  const until = Math.max(now + delayMs, isLimit ? (resetOf(limits) ?? 0) : 0);
  const isTold = wait.said || (!isLimit && delayMs < LEAST_TOLD_MS);
  const next = changed(state, { wait: { ...wait, cause, until, said: wait.said || !isTold } });
  return keep(next, isTold ? [] : [announcement(next, 'claude', status)]);
}

/** How late a reset may be noticed, in milliseconds. */
const SLEPT_MS = 60_000;

/**
 * Ends a long wait of claude's own, for ctxb to wait instead: where it pays to relieve the context after it, and where
 * the machine has slept through the reset, which claude's timer has not noticed.
 */
function breakWait(state: GovernorState, { delayMs }: ApiRetryEvent): Step {
  const { wait, now, run, turn, tasks, limits } = state;
  const isOurs = run.mode === 'act' && state.input === 'open' && turn.phase === 'running';
  if (!isOurs || turn.stopped === 'wait' || wait?.phase !== 'claude' || wait.cause !== 'limit') return keep(state);
  const reset = resetOf(limits) ?? wait.until;
  const slept = now > reset + SLEPT_MS && delayMs > SLEPT_MS;
  const pays = Object.keys(tasks).length === 0 && savingAt({ ...state, now: wait.until }) !== undefined;
  // 2.1.197 has no bound for its wait.
  const { wait: seconds } = run.policy.limits;
  const isTooLong = seconds > 0 && wait.until - wait.since > seconds * 1000;
  if (!slept && !pays && !isTooLong) return keep(state);
  return sendInterrupt(changed(state, { wait: { ...wait, until: slept ? now : wait.until } }), 'wait');
}

/** The turn has ended without an answer of the API: it is repeated later, or the run ends. */
export function readFailure(state: GovernorState, { before, event }: Line<ResultEvent>): Step {
  const plan = planFor(before, event);
  const failure = failureIn(before, event);
  if (failure === undefined || plan === undefined) {
    // A turn that was interrupted says nothing about the API, any other error that it has answered.
    const isCertain = event.isError && !tellsInterrupt(event);
    return isCertain ? endWait(state, failure === undefined) : keep(state);
  }
  const because = 'The API did not answer for a while, and the turn was broken off.';
  const broken = changedIn(state, 'relief', { unfinished: { because, isLost: false } });
  if (plan !== 'end') return pause(broken, failure, plan);
  return failure.cause === 'limit' ? endAtLimit(broken, failure) : endInOutage(broken);
}

function pause(state: GovernorState, failure: ApiFailure, until: number): Step {
  const wait = waitOf(state);
  // A limit of which nothing is known is waited for as an outage is.
  const cause = (failure.resetsAt ?? resetOf(state.limits)) === undefined ? 'outage' : failure.cause;
  const next = changed(state, { wait: { ...wait, cause, phase: 'paused', until, tries: wait.tries + 1, said: true } });
  const isTold = wait.said && wait.cause === cause;
  return keep(next, [...(isTold ? [] : [announcement(next, 'ctxb')]), tick(next)]);
}

const LIMIT_REACHED = 'a usage limit is reached';

function announcement(state: GovernorState, by: 'claude' | 'ctxb', status?: number) {
  const { cause, until } = waitOf(state);
  const limit = cause === 'limit' ? state.limits.hit : undefined;
  const isRefused = status === 401 || status === 403;
  const fault = isRefused ? 'the API refuses the credentials' : 'the API does not answer';
  const reason = cause === 'limit' ? LIMIT_REACHED : fault;
  return decided(state, 'wait', reason, { cause, limit, by, until, ...(isRefused && { status }) });
}

function endAtLimit(state: GovernorState, failure: Failure): Step {
  const { limits, wait, run, now } = state;
  const { resetsAt = resetOf(limits) } = failure;
  const { wait: seconds } = run.policy.limits;
  const isBeyond = seconds > 0 && (resetsAt === undefined ? failure.isBeyond === true : resetsAt > now);
  const ended = changed(state, { outcome: 'usage-limit', wait: wait && { ...wait, phase: 'over' } });
  const beyond = isBeyond && { beyond: seconds };
  return keep(ended, [
    decided(ended, 'usage-limit', LIMIT_REACHED, {
      ...{ level: 'limit', limit: limits.hit, share: hitOf(limits)?.share, resetsAt },
      ...beyond,
    }),
    SHOW_DEFERRED,
  ]);
}

/** What would be asked next would have no answer either: all prompts without one are left. */
function endInOutage(state: GovernorState): Step {
  return chain(endWait(changed(state, { outcome: 'outage' }), false), (next) => keep(next, [SHOW_DEFERRED]));
}

/** Timers stop while a machine sleeps, and take no more than 24 days: the clock is looked at again and again. */
const TICK_MS = 30_000;

function tick(state: GovernorState) {
  const left = Math.max(0, waitOf(state).until - state.now);
  return setTimer('wait', Math.min(left, TICK_MS));
}

/** It may be time to repeat the turn: relieved first where the cache is gone and that is cheaper. */
export function onWaitTimer(state: GovernorState): Step {
  const { wait, now } = state;
  if (wait?.phase !== 'paused') return keep(state);
  if (now < wait.until) return keep(state, [tick(state)]);
  const trying = changed(state, { wait: { ...wait, phase: 'trying' } });
  const expiry = savingAt(trying);
  if (expiry === undefined || trying.relief.unfinished === undefined) return keep(trying);
  // What is compacted does not hold the words of the request.
  const unfinished = { ...trying.relief.unfinished, isLost: true };
  return chain(keep(changedIn(trying, 'relief', { unfinished }), expiry), startCompaction);
}

/** What is announced of an expired cache, where compacting first is cheaper. */
function savingAt(state: GovernorState): Step['actions'] | undefined {
  const { actions } = announceExpiry(state, 'unseen');
  return actions.some((action) => action.kind === 'cache-expired' && action.saving !== undefined) ? actions : undefined;
}

function endWait(state: GovernorState, answered: boolean): Step {
  const { wait, now } = state;
  if (wait === undefined) return keep(state);
  const next = changed(state, { wait: answered ? undefined : { ...wait, phase: 'over' } });
  if (!wait.said || wait.phase === 'over') return keep(next);
  // A recording may have no times.
  const ms = wait.since > 0 ? now - wait.since : 0;
  const reason = answered ? 'the API answers again' : 'the API still does not answer';
  return decide(next, 'waited', reason, { cause: wait.cause, ms, answered });
}

export function stopWaiting(state: GovernorState): GovernorState {
  return state.wait?.phase === 'paused' ? changed(state, { wait: undefined }) : state;
}

/** Notes how much of the account's limits is used, and announces what has come near. */
export function followLimits(state: GovernorState, { event }: Line<RateLimitEvent>): Step {
  const used = { ...state.limits.used, ...event.limits };
  const { warnAt } = state.run.policy.limits;
  const isNear = ([name, { share }]: NamedLimit) => share !== undefined && share >= warnAt && name !== event.rejected;
  const news = Object.entries(event.limits).filter(
    (limit) => isNear(limit) && !state.limits.said.includes(mark(limit)),
  );
  const said = [...state.limits.said, ...news.map(mark)].slice(-REMEMBERED_NOTICES);
  const told = { ...state.told, warnings: [...state.told.warnings, ...news.map(warning)] };
  const next = changed(state, { limits: { used, hit: event.rejected, said }, told });
  return keep(
    next,
    news.map(([limit, { share, resetsAt }]) =>
      decided(next, 'usage-limit', 'a usage limit comes near', { level: 'warn', limit, share, resetsAt }),
    ),
  );

  function warning([name, { share = 0, resetsAt }]: NamedLimit): string {
    const when =
      resetsAt === undefined ? '' : `, which resets in ${Math.ceil((resetsAt - state.now) / 60_000)} minutes`;
    return `${Math.round(share * 100)} % of the ${limitName(name)} usage limit of this account is used${when}: bring the work into a state from which it can be taken up again.`;
  }
}

type NamedLimit = readonly [name: string, use: LimitUse];

const REMEMBERED_NOTICES = 16;

/** The same limit after its reset is another. */
function mark([name, { resetsAt }]: NamedLimit): string {
  return `${name} ${resetsAt ?? ''}`;
}

/** `five_hour` as a person says it: `five-hour`. */
export function limitName(name: string): string {
  return name.replaceAll('_', '-');
}

/** When the limit that was hit resets, in milliseconds since the epoch; undefined: it is not known. */
function resetOf(limits: Limits): number | undefined {
  return hitOf(limits)?.resetsAt;
}

function hitOf({ hit, used }: Limits): LimitUse | undefined {
  return hit === undefined ? undefined : used[hit];
}
