import type { Event } from '../../protocol/events.ts';
import { withoutRunning } from '../agents/agents.ts';
import { openFirstControl, reopenControl } from '../control/callers-requests.ts';
import { withdrawQuestions } from '../control/questions.ts';
import { addLoggedCost, costAfterRestart } from '../cost/cost.ts';
import { latestCallsMicroUsd } from '../cost/priced-call.ts';
import { TIMERS } from '../effects.ts';
import type { ExitEvent } from '../input.ts';
import { finishAfterExit, startFresh } from '../operations/fresh-context.ts';
import { startHandoff } from '../operations/hand-over.ts';
import { IDLE } from '../operations/operation.ts';
import {
  afterTurn,
  isLastTurn,
  openPrompts,
  owedPrompts,
  promptsInTurn,
  requeueUndelivered,
  unansweredPrompts,
} from '../prompts/mailbox.ts';
import { isOwnUuid } from '../prompts/own-lines.ts';
import { newExact } from '../relief/exact.ts';
import { NOT_EXACT } from '../relief/relief-state.ts';
import { type GovernorState, NEW_CONTROL, NEW_PROCESS } from '../state.ts';
import {
  changed,
  changedIn,
  clearTimer,
  DROP_BUFFERED,
  DROP_DEFERRED,
  decide,
  emit,
  isAnsweringUs,
  isCompacting,
  SHOW_DEFERRED,
} from '../steps.ts';
import { reliefAfter, undeliveredOf, workAfter } from './after-crash.ts';

/** Requested exits: a normal exit, Ctrl-C, `kill`, a closed terminal, a file larger than `ulimit -f` allows. */
const REQUESTED_EXIT_CODES: readonly number[] = [0, 129, 130, 143];
const REQUESTED_EXIT_SIGNALS: readonly string[] = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGXFSZ'];

export function onExit(before: GovernorState, event: ExitEvent): GovernorState {
  const cost = addLoggedCost(before.limits.cost, event.openMicroUsd);
  // The API may bill a call that was cut off, and nothing reports its cost.
  const guessed = cost.guessed || before.turn.phase === 'running' || isCompacting(before) || isAnsweringUs(before);
  const state = changedIn(before, 'limits', { cost: { ...cost, guessed } });
  const { restarts, hasFatalLine } = state.process;
  if (hasFatalLine && event.code === 1)
    return endWithProcess(changedIn(state, 'mailbox', { outcome: 'refused' }), event);
  const { enabled, maxRestarts } = state.run.policy.recovery;
  // The user stopped the run between two processes.
  const isStopped = state.process.phase === 'dead' && event.signal !== undefined;
  const leaving = isStopped ? undefined : replacementInProgress(state);
  // A process with a fresh context needs no log of the old one, so only the number of restarts limits it.
  if (leaving !== undefined)
    return restarts < Math.max(1, maxRestarts) ? startFresh(withoutProcess(leaving)) : endWithProcess(leaving, event);
  const mayRestart = enabled && state.run.persistent && restarts < maxRestarts && state.mailbox.outcome !== 'stalled';
  return mayRestart && isDeath(state, event) ? startReplacement(state, event) : endWithProcess(state, event);
}

/**
 * The state if the next process begins with a handoff document: ctxb was replacing this one, or it died during
 * `/clear`. undefined otherwise.
 */
function replacementInProgress(state: GovernorState): GovernorState | undefined {
  if (state.mailbox.input !== 'open' || !('document' in state.operation)) return undefined;
  return changed(state, {
    operation: { phase: 'leaving', plan: state.operation.plan, document: state.operation.document },
  });
}

function isDeath(state: GovernorState, { code, signal }: ExitEvent): boolean {
  if (state.run.mode !== 'act' || state.mailbox.input !== 'open') return false;
  // An exit before the session id means a failed start, which would fail again.
  const hasFailedToStart = signal === undefined && state.session.id === undefined;
  if (!state.process.isHung && (hasFailedToStart || wasEndedByUser({ code, signal }))) return false;
  const isIdle = state.turn.phase === 'idle' && state.operation.phase === 'idle';
  const isDone = isIdle && isLastTurn(state);
  return !isDone || state.mailbox.resumeReason !== undefined;
}

/** Whether the exit was requested, also by claude itself. */
export function wasEndedByUser({ code, signal }: Pick<ExitEvent, 'code' | 'signal'>): boolean {
  return signal === undefined ? REQUESTED_EXIT_CODES.includes(code ?? 0) : REQUESTED_EXIT_SIGNALS.includes(signal);
}

/** Ends the run with its process. @param exit undefined if the process was already gone */
export function endWithProcess(state: GovernorState, exit?: ExitEvent): GovernorState {
  const isUnrelieved = state.operation.phase === 'leaving' && state.mailbox.input === 'open';
  const outcome = isUnrelieved ? 'unrelieved' : state.mailbox.outcome;
  return emit(changedIn(reportUnanswered(state, exit), 'mailbox', { input: 'closed', outcome }), SHOW_DEFERRED);
}

/** Reports the prompts without an answer. */
function reportUnanswered(state: GovernorState, exit: ExitEvent | undefined): GovernorState {
  const { input, outcome } = state.mailbox;
  const prompts = openPrompts(state).map(({ uuid }) => uuid);
  // claude has printed why it exits before its session starts. After a bad line it does not name the prompts.
  const hasExited = exit !== undefined && exit.signal === undefined && !wasEndedByUser(exit);
  const hasRefused = outcome === 'refused' || (input === 'open' && hasExited);
  const hasNamedProblem = hasRefused && state.session.id === undefined && !state.process.hasFatalLine;
  if (state.run.mode !== 'act' || hasNamedProblem || prompts.length === 0) return state;
  const atReset = outcome === 'usage-limit' && { atReset: true as const };
  const atLimit = outcome === 'limit' && { atLimit: true as const };
  const wasEnded = exit !== undefined && exit.code !== 0 && wasEndedByUser(exit);
  const reason = END_REASONS[outcome ?? (input !== 'open' ? 'stopped' : wasEnded ? 'ended' : 'dead')];
  return decide(state, 'left-undone', reason, { prompts, ...atReset, ...atLimit });
}

const END_REASONS = {
  dead: 'claude has ended and is not started again',
  ended: 'claude was ended',
  stopped: 'the run was stopped',
  asked: 'the run was stopped with ctxb stop',
  limit: 'the run has ended at its limit',
  'usage-limit': 'the run has ended at a usage limit',
  outage: 'the run has ended because the API gave no answer',
  stalled: 'the run has ended because claude hung',
  refused: 'claude refused to continue',
  unrelieved: 'the run has ended because nothing made room in its context',
} as const;

export function onProcessStart(state: GovernorState): GovernorState {
  const { run, process, limits, facts } = state;
  if (run.mode !== 'act') return state;
  // A prompt from the command line has already opened the channel.
  const isOpened = run.callerSpeaksProtocol || process.control.phase !== 'closed';
  if (process.phase !== 'dead') return isOpened ? state : openFirstControl(state);
  const started = changedIn(changedIn(state, 'process', { phase: 'starting', lastLineAt: facts.now }), 'limits', {
    cost: costAfterRestart(limits.cost, process.resumes ? 'resumed' : 'fresh'),
  });
  // The document comes first, because it decides which hooks ctxb registers.
  return reopenControl(finishAfterExit(started));
}

/** Lines that prove a session. A compaction is reported before its turn begins. */
const SIGNS_OF_LIFE: readonly Event['kind'][] = ['init', 'assistant', 'compact-status'];

export function recordSignOfLife(state: GovernorState, event: Event): GovernorState {
  if (state.process.phase !== 'starting' || !SIGNS_OF_LIFE.includes(event.kind)) return state;
  return changedIn(state, 'process', { phase: 'running' });
}

/**
 * Whether claude refuses to resume a session. It reports this error before it exits, and another attempt may follow.
 */
export function isFailedResume({ process, mailbox: { input } }: GovernorState, event: Event): boolean {
  return process.phase === 'starting' && input === 'open' && event.kind === 'result' && event.isError;
}

/** Delay before the first restart; it doubles with each further restart. */
const FIRST_DELAY_MS = 1_000;

/** Starts a new process that resumes the session, or begins with a document if the session has no log. */
function startReplacement(state: GovernorState, event: ExitEvent): GovernorState {
  const { process, session, mailbox } = state;
  const attempt = process.restarts + 1;
  const isStalled = process.isHung;
  const end = isStalled ? 'claude was ended' : `claude ended: ${event.signal ?? `exit code ${event.code}`}`;
  // The new process never ran, so the known session id is of the abandoned or lost session.
  const isAbandoned = process.phase !== 'running' && !process.resumes;
  // If claude refused to resume the session, the session does not exist.
  const isFailedResumption =
    !isStalled && process.resumes && process.phase === 'starting' && event.signal === undefined;
  const logged = event.logged && !isAbandoned && !isFailedResumption;
  const undelivered = logged ? undeliveredOf(promptsInTurn(state), event) : unansweredPrompts(state);
  // A prompt sent into the turn is repeated as a prompt of its own.
  const undeliveredTexts = new Set(undelivered.map(({ text }) => text));
  const exit = { ...event, logged };
  const exactState = logged ? state.relief.exact : NOT_EXACT;
  const alone = withoutProcess(state);
  const afterExit = changed(alone, {
    session: { ...session, cache: { ...session.cache, restarted: true } },
    process: {
      ...alone.process,
      ...NEW_PROCESS,
      phase: 'dead',
      resumes: logged || session.id === undefined,
      restarts: attempt,
      stalls: process.stalls,
    },
    mailbox: {
      ...requeueUndelivered(alone, undelivered, undeliveredOf(owedPrompts(state), event)),
      resumeReason: workAfter(state, exit),
      stopNext: mailbox.stopNext || isInterrupted(state),
    },
    relief: {
      ...reliefAfter(state, exit),
      exact: {
        ...alone.relief.exact,
        midTurn: exactState.midTurn.filter(({ text }) => !undeliveredTexts.has(text)),
        prompts: exactState.prompts.filter((text) => !undeliveredTexts.has(text)),
      },
    },
    limits: { ...state.limits, lost: state.limits.lost + latestCallsMicroUsd(state.limits.cost) },
  });
  const uuids = undelivered.map(({ uuid }) => uuid);
  const reported = emit(
    afterExit,
    DROP_BUFFERED,
    ...(logged ? [] : [DROP_DEFERRED]),
    ...CLEARED_TIMERS,
    ...undelivered.flatMap(({ uuid, line }) => (isOwnUuid(state, uuid) ? [] : [{ kind: 'hold', uuid, line } as const])),
  );
  const afterDeath = decide(reported, 'restart', end, { attempt, undelivered: uuids });
  // Only ctxb's notes have the conversation so far.
  const isForgotten = !logged && state.gauge.calls > 0 && afterExit.relief.undelivered === undefined;
  if (isForgotten && state.run.policy.handoff.enabled) return startHandoff(afterDeath, end);
  const resume = logged ? session.id : undefined;
  const isFirst = session.id === undefined;
  const { folder } = session;
  const afterMs = FIRST_DELAY_MS * 2 ** (attempt - 1);
  return emit(afterDeath, { kind: 'start-claude', resume, isFirst, folder, afterMs });
}

/**
 * Whether the user interrupted the turn that died. Then ctxb stops it when it resumes. A turn of claude's own does not
 * resume.
 */
function isInterrupted(state: GovernorState): boolean {
  return promptsInTurn(state).length > 0 && state.turn.stopped === 'asked';
}

/** Timers that end with the process. A wait for the API and the time limit of the run continue. */
const CLEARED_TIMERS = TIMERS.filter((timer) => timer !== 'wait' && timer !== 'time').map(clearTimer);

/** The state without all data of the dead process. */
function withoutProcess(state: GovernorState): GovernorState {
  const { process, relief, work, operation } = state;
  const isWithoutProcess = operation.phase === 'deciding' || operation.phase === 'leaving';
  const { sent, initialize, requests, settings, credentials, permissions, trigger } = process.control;
  return changed(withdrawQuestions(state), {
    process: {
      ...process,
      control: {
        ...NEW_CONTROL,
        ...{ sent, initialize, requests, settings, credentials, permissions },
        trigger: typeof trigger === 'number' ? 'unplaced' : trigger,
      },
    },
    turn: { ...state.turn, phase: 'idle', stopped: undefined, grace: 'none' },
    operation: isWithoutProcess ? operation : IDLE,
    relief: { ...relief, exact: newExact(relief.exact.phase !== 'off') },
    mailbox: afterTurn(state, [], 'owed'),
    work: { ...work, tools: { ...work.tools, open: [] }, agents: withoutRunning(state), tasks: [] },
  });
}
