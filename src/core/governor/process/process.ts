import type { Event } from '../../protocol/events.ts';
import { withoutRunning } from '../agents/agents.ts';
import { reopenControl } from '../control/callers-requests.ts';
import { openControl } from '../control/control.ts';
import { latestCallsMicroUsd, restarted } from '../cost/cost.ts';
import type { Action } from '../decisions.ts';
import { TIMERS } from '../effects.ts';
import type { ExitEvent, Prompt } from '../input.ts';
import { finishLeaving, startFresh } from '../operations/fresh-context.ts';
import { startHandoff } from '../operations/hand-over.ts';
import { IDLE } from '../operations/operation.ts';
import { afterTurn, inTurn, openPrompts, takeBack, unanswered, waiting } from '../prompts/mailbox.ts';
import { isOwnUuid } from '../prompts/own-lines.ts';
import { newExact } from '../relief/exact.ts';
import { NOT_EXACT } from '../relief/relief-state.ts';
import { type GovernorState, NEW_CONTROL, NEW_PROCESS } from '../state.ts';
import {
  chain,
  changed,
  changedIn,
  clearTimer,
  DROP_BUFFERED,
  decided,
  isHandingOver,
  keep,
  type Line,
  SHOW_DEFERRED,
  type Step,
} from '../steps.ts';
import { reliefAfter } from './broken-off.ts';

/** Exits that somebody asked for: a normal exit, Ctrl-C, `kill`, a closed terminal, a file larger than `ulimit -f` allows. */
const ASKED_CODES: readonly number[] = [0, 129, 130, 143];
const ASKED_SIGNALS: readonly string[] = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGXFSZ'];

export function onExit(state: GovernorState, event: ExitEvent): Step {
  const { restarts, balks } = state.process;
  if (balks && event.code === 1) return endWithIt(changed(state, { outcome: 'refused' }), event);
  const { enabled, maxRestarts } = state.run.policy.recovery;
  // The run was stopped between two processes.
  const isStopped = state.process.phase === 'dead' && event.signal !== undefined;
  const left = isStopped ? undefined : leavingOf(state);
  // A fresh process needs nothing of the old one; only the number of starts is limited.
  if (left !== undefined) return restarts < Math.max(1, maxRestarts) ? startFresh(left) : endWithIt(left, event);
  const mayRestart = enabled && state.run.persistent && restarts < maxRestarts && state.outcome !== 'stalled';
  return mayRestart && isDeath(state, event) ? restart(state, event) : endWithIt(state, event);
}

/** A process that is being replaced, or that died during `/clear`: the document for the next one exists. */
function leavingOf(state: GovernorState): GovernorState | undefined {
  const { operation, input } = state;
  if (input !== 'open' || !('document' in operation)) return undefined;
  const { plan, document } = operation;
  return changed(state, { operation: { phase: 'leaving', plan, document } });
}

function isDeath(state: GovernorState, { code, signal }: ExitEvent): boolean {
  if (state.run.mode !== 'act' || state.input !== 'open') return false;
  // A process that exits before it has a session was started wrongly, and would exit again.
  const isUnfit = signal === undefined && state.session.id === undefined;
  if (!state.process.hangs && (isUnfit || wasAsked({ code, signal }))) return false;
  const { turn, mailbox, relief, operation } = state;
  const isIdle = turn.phase === 'idle' && operation.phase === 'idle';
  const isDone = isIdle && mailbox.ended && waiting(state).length === 0;
  return !isDone || relief.unfinished !== undefined;
}

/** Whether somebody wanted it to end, be it itself. */
export function wasAsked({ code, signal }: Pick<ExitEvent, 'code' | 'signal'>): boolean {
  return signal === undefined ? ASKED_CODES.includes(code ?? 0) : ASKED_SIGNALS.includes(signal);
}

/**
 * No process takes its place: deferred lines are shown.
 *
 * @param exit its end; undefined: it was not there any more
 */
export function endWithIt(state: GovernorState, exit?: ExitEvent): Step {
  const isUnrelieved = state.operation.phase === 'leaving' && state.input === 'open';
  const outcome = isUnrelieved ? 'unrelieved' : state.outcome;
  return keep(changed(state, { input: 'closed', outcome }), [...leftUndone(state, exit), SHOW_DEFERRED]);
}

function leftUndone(state: GovernorState, exit: ExitEvent | undefined): readonly Action[] {
  const { run, input, session, outcome, process } = state;
  const prompts = openPrompts(state);
  // A claude that exits without a session, and was not asked to, has said why. At a broken line it does not name the prompts.
  const hasExited = exit !== undefined && exit.signal === undefined && !wasAsked(exit);
  const hasRefused = outcome === 'refused' || (input === 'open' && hasExited);
  const isVain = hasRefused && session.id === undefined && !process.balks;
  if (run.mode !== 'act' || isVain || prompts.length === 0) return [];
  const atReset = outcome === 'usage-limit' && { atReset: true as const };
  const atLimit = outcome === 'limit' && { atLimit: true as const };
  const wasEnded = exit !== undefined && exit.code !== 0 && wasAsked(exit);
  const reason = END_REASONS[outcome ?? (input !== 'open' ? 'stopped' : wasEnded ? 'ended' : 'dead')];
  return [decided(state, 'left-undone', reason, { prompts, ...atReset, ...atLimit })];
}

const END_REASONS = {
  dead: 'claude has ended and is not started again',
  ended: 'claude was ended',
  stopped: 'the run was stopped',
  asked: 'the run was stopped with ctxb stop',
  limit: 'the run has ended at its limit',
  'usage-limit': 'the run has ended at a usage limit',
  outage: 'the run has ended, as the API does not answer',
  stalled: 'the run has ended, as claude said nothing any more',
  refused: 'claude refused to continue',
  unrelieved: 'the run has ended, as its context could not be relieved',
} as const;

/** A process has started: the first, or a replacement. */
export function onBegin(state: GovernorState): Step {
  const { run, process, control, operation, cost, exact } = state;
  if (run.mode !== 'act') return keep(state);
  // A prompt given at the start has opened the channel already.
  const isOpened = run.callerSpeaksProtocol || control.phase !== 'closed';
  if (process.phase !== 'dead') return isOpened ? keep(state) : openControl(state);
  const alive = changed(withoutProcess(state), {
    operation,
    process: { ...process, phase: 'starting' },
    cost: restarted(cost, process.resumes ? 'resumed' : 'fresh'),
  });
  const said = process.resumes ? exact : NOT_EXACT;
  // The document comes first: which hooks are wanted hangs on it.
  return chain(
    finishLeaving(changedIn(alive, 'exact', { midTurn: said.midTurn, prompts: said.prompts })),
    reopenControl,
  );
}

/** A turn went well: earlier restarts no longer count. */
export function forgetRestarts(state: GovernorState): GovernorState {
  return changedIn(state, 'process', { restarts: 0, stalls: 0 });
}

/** Lines that prove a session; a compaction is reported before its turn begins. */
const SIGNS_OF_LIFE: readonly Event['kind'][] = ['init', 'assistant', 'compact-status'];

/** Lines of a session prove that claude runs. */
export function noteAlive(state: GovernorState, event: Event): GovernorState {
  const { process } = state;
  if (process.phase !== 'starting' || !SIGNS_OF_LIFE.includes(event.kind)) return state;
  return changedIn(state, 'process', { phase: 'running' });
}

/** The error with which claude refuses to resume a session, before it exits: another attempt may still follow. */
export function isFailedResume({ process, input }: GovernorState, event: Event): boolean {
  return process.phase === 'starting' && input === 'open' && event.kind === 'result' && event.isError;
}

/** The step from one session id of claude's to the next; undefined while the id stays the same. */
export function lineageStep(state: GovernorState) {
  const { facts, session, relief, process } = state;
  const { left: from } = facts;
  const to = session.id;
  if (from === undefined || to === undefined) return undefined;
  if (isHandingOver(state) || relief.left === from) return { from, to, reason: 'handed over' };
  return { from, to, reason: process.resumes ? 'resumed' : 'a new conversation' };
}

/** A recording shows what happened, and nothing was done about it. */
export function noteLineage(state: GovernorState, { before }: Line): Step {
  const next = state.run.mode === 'replay' ? undefined : lineageStep(state);
  return keep(state, next === undefined ? [] : [decided(before, 'lineage', next.reason, { ...next })]);
}

/** The wait before the first new start; it doubles with each further one. */
const FIRST_DELAY_MS = 1_000;

/** Work resumes in a new process: in the same session, or with a document where the session left no log. */
function restart(state: GovernorState, event: ExitEvent): Step {
  const { process, session, mailbox } = state;
  const { stalls } = process;
  const attempt = process.restarts + 1;
  const isStalled = process.hangs;
  const end = isStalled ? 'claude was ended' : `claude ended: ${event.signal ?? `exit code ${event.code}`}`;
  // A process that was to begin anew has not: the session known is the one that was left, or lost.
  const isLeft = process.phase !== 'running' && !process.resumes;
  // A process that refused to resume the session shows that there is no session.
  const isVain = !isStalled && process.resumes && process.phase === 'starting' && event.signal === undefined;
  const logged = event.logged && !isLeft && !isVain;
  const undelivered = logged ? undeliveredOf(inTurn(state), event.delivered) : unanswered(state);
  const alone = withoutProcess(state);
  const dead = changed(alone, {
    process: { ...NEW_PROCESS, phase: 'dead', resumes: logged || session.id === undefined, restarts: attempt, stalls },
    mailbox: { ...takeBack(alone, undelivered), stopNext: mailbox.stopNext || isInterrupted(state) },
    relief: reliefAfter(state, { ...event, logged }),
    cache: { ...state.cache, restarted: true },
    spending: { ...state.spending, lost: state.spending.lost + latestCallsMicroUsd(state.cost) },
  });
  const uuids = undelivered.map(({ uuid }) => uuid);
  // A prompt from mid-turn that is repeated comes as a prompt of its own.
  const again = new Set(undelivered.map(({ text }) => text));
  const said = logged ? state.exact : NOT_EXACT;
  const midTurn = said.midTurn.filter(({ text }) => !again.has(text));
  const prompts = said.prompts.filter((text) => !again.has(text));
  const told = keep(changedIn(dead, 'exact', { midTurn, prompts }), [
    DROP_BUFFERED,
    ...(logged ? [] : [{ kind: 'deferred', fate: 'drop' } as const]),
    ...FORGOTTEN_TIMERS,
    ...undelivered.flatMap(({ uuid, line }) => (isOwnUuid(state, uuid) ? [] : [{ kind: 'hold', uuid, line } as const])),
    decided(state, 'restart', end, { attempt, undelivered: uuids }),
  ]);
  // Only the notes know what was said until now.
  if (isForgotten(state, dead, logged)) return chain(told, (next) => startHandoff(next, end));
  const resume = logged ? session.id : undefined;
  const isFirst = session.id === undefined;
  const start = { kind: 'start-claude', resume, isFirst, afterMs: FIRST_DELAY_MS * 2 ** (attempt - 1) } as const;
  return chain(told, (next) => keep(next, [start]));
}

/**
 * The caller has asked for a stop of the turn, which died with claude instead: it is stopped when it resumes. One that
 * claude itself had started does not.
 */
function isInterrupted(state: GovernorState): boolean {
  return inTurn(state).length > 0 && state.control.requests.some(({ request }) => request.subtype === 'interrupt');
}

/** A wait for the API, and the time of the run, outlive the process. */
const FORGOTTEN_TIMERS = TIMERS.filter((timer) => timer !== 'wait' && timer !== 'time').map(clearTimer);

/** Neither a log nor a document holds what was said. */
function isForgotten(before: GovernorState, { relief, run }: GovernorState, logged: boolean): boolean {
  return !logged && before.gauge.calls > 0 && relief.pending === undefined && run.policy.handoff.enabled;
}

/** claude joins prompts that arrive together and logs only the last id: the earlier ones have arrived too. */
function undeliveredOf(prompts: readonly Prompt[], delivered: readonly string[]): readonly Prompt[] {
  const last = prompts.findLastIndex(({ uuid }) => delivered.includes(uuid));
  return prompts.slice(last + 1);
}

/** The state without everything that belonged to the process. */
function withoutProcess(state: GovernorState): GovernorState {
  const { sent, initialize, requests, ...control } = state.control;
  const trigger = typeof control.trigger === 'number' ? 'unplaced' : control.trigger;
  return changed(state, {
    turn: { ...state.turn, phase: 'idle', stopped: undefined, grace: 'none' },
    mailbox: afterTurn(state, [], 'owed'),
    operation: state.operation.phase === 'deciding' ? state.operation : IDLE,
    exact: newExact(state.exact.phase !== 'off'),
    control: { ...NEW_CONTROL, sent, initialize, requests, trigger },
    tasks: {},
    subagents: withoutRunning(state),
    fanOut: { ...state.fanOut, asked: [] },
    tools: { ...state.tools, open: [] },
    life: { ...state.life, at: state.now },
  });
}
