import { plainText } from '../stream/blocks.ts';
import type { Event, ResultEvent } from '../stream/events.ts';
import type { Verdict } from './actions.ts';
import { askContext, sendInterrupt } from './control.ts';
import { focusText } from './focus.ts';
import { type Reading, readGauge } from './gauge.ts';
import { isStamp, type Prompt, relievesContext } from './mailbox.ts';
import { inTokens } from './policy.ts';
import {
  type Attempt,
  type Compaction,
  costUsd,
  countsAsFailure,
  decided,
  type GovernorState,
  isCompacting,
} from './state.ts';
import { chain, keep, type Step } from './steps.ts';

/** The prompt that is to go next. `unseen`: a turn began in a recording that does not show its prompts. */
export type NextPrompt = Prompt | 'unseen' | undefined;

/** Whether the context is to be relieved before `next` goes, or now when there is no next. */
export function shouldCompact(state: GovernorState, next: NextPrompt): boolean {
  const { compaction, latch } = state;
  const { enabled, when, maxAttempts } = state.run.policy.compaction;
  if (!enabled || latch !== 'compact' || compaction.phase !== 'idle' || compaction.failures >= maxAttempts)
    return false;
  if (next !== 'unseen' && relievesContext(next)) return false;
  return next !== undefined || (when === 'boundary' && !state.mailbox.ended);
}

/** Notes that a compaction is due where none can be carried out: in a replay, or while observing. */
export function adviseCompaction(state: GovernorState): Step {
  const advised: GovernorState = { ...state, latch: 'spent' };
  return keep(advised, [{ kind: 'compact', ...decided(state, dueReason(state)), focus: focusText(state) }]);
}

/** `/compact` goes alone: the whole message is its argument, and a prompt sent with it would be lost in it. */
export function startCompaction(state: GovernorState): Step {
  if (state.compaction.phase !== 'idle') return keep(state);
  const focus = focusText(state);
  const uuid = ownUuid(state);
  const attempt: Attempt = {
    uuid,
    before: readGauge(state.gauge),
    costBefore: costUsd(state),
    error: undefined,
    apiStatus: undefined,
    boundarySeen: false,
    interrupted: false,
  };
  const started: GovernorState = {
    ...state,
    latch: 'none',
    compaction: { phase: 'asked', failures: state.compaction.failures, attempt },
    control: { ...state.control, sent: state.control.sent + 1 },
  };
  return keep(started, [
    { kind: 'compact', ...decided(state, dueReason(state)), focus },
    { kind: 'send', line: userLine(`/compact ${focus}`.trim(), uuid) },
    timer(state),
  ]);
}

/** A line of the compaction's own turn. */
export function followCompaction(state: GovernorState, event: Event): Step {
  const { compaction } = state;
  if (compaction.phase === 'idle') return keep(state);
  if (compaction.phase === 'overdue') return keep(event.kind === 'result' ? endOverdue(state) : state);
  if (event.kind === 'result') return conclude(state, compaction.attempt, verdictOf(compaction.attempt, event));
  const noted = note(compaction.attempt, event);
  const begun = compaction.phase === 'running' || hasBegun(event);
  return keep({ ...state, compaction: { ...compaction, phase: begun ? 'running' : 'asked', attempt: noted } });
}

/** claude has said nothing for too long. */
export function giveUpWaiting(state: GovernorState): Step {
  if (!isCompacting(state.compaction)) return keep(state);
  // A turn that claude started itself is in the way, and not the compaction.
  if (state.turn.phase === 'running') return waitLonger(state);
  // Stuck, it would hold up every prompt behind it.
  return chain(conclude(state, state.compaction.attempt, 'silent'), sendInterrupt);
}

/** The caller interrupts while a compaction of ours is under way, of which he knows nothing. */
export function noteInterrupt(state: GovernorState): GovernorState {
  const { compaction } = state;
  if (!isCompacting(compaction)) return state;
  return { ...state, compaction: { ...compaction, attempt: { ...compaction.attempt, interrupted: true } } };
}

/** The lines of a compaction that came too late are over. */
export function endOverdue(state: GovernorState): GovernorState {
  const { compaction } = state;
  if (compaction.phase !== 'overdue') return state;
  const triedAt = state.gauge.calls;
  return { ...state, compaction: { phase: 'idle', failures: compaction.failures, landing: undefined, triedAt } };
}

/** A turn that claude started itself came between: the waiting starts anew. */
export function waitLonger(state: GovernorState): Step {
  return keep(state, isCompacting(state.compaction) ? [timer(state)] : []);
}

/** The first call after a compaction shows what it freed. One that freed nothing is a failure. */
export function measureLanding(state: GovernorState): Step {
  const { compaction, gauge, run } = state;
  if (compaction.phase !== 'idle' || compaction.landing === undefined || gauge.basis !== 'measured') return keep(state);
  const freed = compaction.landing.predicted - gauge.used;
  const helped = gauge.used < inTokens(run.policy.thresholds.compact, gauge.window.tokens);
  const failures = helped ? 0 : compaction.failures + 1;
  const landed: GovernorState = {
    ...state,
    compaction: { phase: 'idle', failures, landing: undefined, triedAt: undefined },
  };
  const reason = helped ? 'the compaction made room' : 'the compaction freed too little';
  return chain(keep(landed, [{ kind: 'landed', ...decided(landed, reason), freed }]), (next) =>
    giveUpWhenUseless(next, compaction.failures),
  );
}

/** Any relief, whoever brought it, makes compacting worth trying again. */
export function forgetFailures(state: GovernorState): GovernorState {
  const { compaction } = state;
  if (compaction.phase !== 'idle' || compaction.failures === 0) return state;
  return { ...state, compaction: { ...compaction, failures: 0 } };
}

/** Ids of lines that ctxb writes, out of the run's own id: a replay makes the same ones. */
function ownUuid(state: GovernorState): string {
  const count = (state.control.sent + 1).toString(16).padStart(12, '0');
  return state.run.runId.slice(0, -count.length) + count;
}

export function userLine(content: string, uuid: string): string {
  const message = { role: 'user', content };
  return JSON.stringify({ type: 'user', message, parent_tool_use_id: null, session_id: '', uuid });
}

function timer(state: GovernorState) {
  const afterMs = state.run.policy.compaction.timeoutSeconds * 1000;
  return { kind: 'set-timer', timer: 'compaction', afterMs } as const;
}

function conclude(state: GovernorState, attempt: Attempt, verdict: Verdict): Step {
  const failuresBefore = state.compaction.failures;
  const landing: Reading | undefined = verdict === 'success' ? attempt.before : undefined;
  const failures = countsAsFailure(verdict) && !attempt.interrupted ? failuresBefore + 1 : failuresBefore;
  const triedAt = verdict === 'success' ? undefined : state.gauge.calls;
  const compaction: Compaction =
    verdict === 'silent' ? { phase: 'overdue', failures, attempt } : { phase: 'idle', failures, landing, triedAt };
  // What was crossed stays crossed after a failure, so it is not announced again.
  const latch = verdict === 'success' ? state.latch : 'warn';
  const concluded: GovernorState = { ...state, compaction, latch };
  const reason = attempt.error ?? REASONS[verdict];
  const spent = costUsd(state) - attempt.costBefore;
  return chain(
    keep(concluded, [
      { kind: 'clear-timer', timer: 'compaction' },
      { kind: 'compacted', ...decided(concluded, reason), verdict, costUsd: spent },
    ]),
    (next) => giveUpWhenUseless(next, failuresBefore),
    (next) => (verdict === 'success' ? askContext(next) : keep(next)),
  );
}

const REASONS: Readonly<Record<Verdict, string>> = {
  success: 'the context was replaced by a summary',
  failed: 'claude could not compact',
  empty: 'there was nothing to compact',
  refused: 'slash commands are switched off',
  unavailable: 'the API was not available',
  silent: 'claude said nothing about the compaction in time',
};

function giveUpWhenUseless(state: GovernorState, failuresBefore: number): Step {
  const { failures } = state.compaction;
  const limit = state.run.policy.compaction.maxAttempts;
  if (failures < limit || failuresBefore >= limit) return keep(state);
  return keep(state, [{ kind: 'give-up', ...decided(state, `${failures} compactions in a row did not help`) }]);
}

/** In the order that claude writes them: any of these shows that the turn that follows is the compaction's. */
function hasBegun(event: Event): boolean {
  if (event.kind === 'compact-status') return event.phase !== 'other';
  if (event.kind === 'boundary') return event.trigger === 'manual';
  return event.kind === 'assistant' && event.synthetic;
}

function note(attempt: Attempt, event: Event): Attempt {
  switch (event.kind) {
    case 'boundary':
      return { ...attempt, boundarySeen: true };
    case 'compact-status':
      return { ...attempt, error: event.error ?? attempt.error };
    case 'api-retry':
      return { ...attempt, apiStatus: event.status ?? attempt.apiStatus };
    case 'assistant':
      return event.synthetic ? { ...attempt, error: plainText(event.blocks) || attempt.error } : attempt;
    default:
      return attempt;
  }
}

const NOTHING_TO_COMPACT = /not enough messages|no messages to compact/i;
const COMMANDS_OFF = /isn't available|not available in this|unknown (slash )?command|unknown skill/i;
const API_DOWN = /API Error: (429|5\d\d)\b|overloaded|rate.?limit/i;

function verdictOf(attempt: Attempt, result: ResultEvent): Verdict {
  if (attempt.boundarySeen) return 'success';
  const said = [attempt.error, result.text, ...result.errors].filter((text) => text !== undefined).join('\n');
  if (NOTHING_TO_COMPACT.test(said)) return 'empty';
  if (COMMANDS_OFF.test(said)) return 'refused';
  const down = attempt.apiStatus !== undefined && (attempt.apiStatus === 429 || attempt.apiStatus >= 500);
  return down || API_DOWN.test(said) ? 'unavailable' : 'failed';
}

function dueReason(state: GovernorState): string {
  const { thresholds } = state.run.policy;
  const { window } = state.gauge;
  const level = inTokens(thresholds.compact, window.tokens);
  return `${readGauge(state.gauge).predicted} tokens have crossed ${level} of ${window.tokens}`;
}

/** Whether a line was sent by ctxb, or got its `uuid` from it. */
export function isOwnOrStamped(state: GovernorState, uuid: string | undefined): boolean {
  return uuid !== undefined && hasRunPrefix(state, uuid);
}

function hasRunPrefix(state: GovernorState, uuid: string): boolean {
  return uuid.slice(0, -12) === state.run.runId.slice(0, -12);
}

/** Whether an echo that claude sends back is of a line that ctxb wrote. */
export function isOwnUuid(state: GovernorState, uuid: string | undefined): boolean {
  return uuid !== undefined && hasRunPrefix(state, uuid) && !isStamp(uuid);
}
