import type { Event } from '../../protocol/events.ts';
import { openControl } from '../control/control.ts';
import { restarted } from '../cost/cost.ts';
import type { Action } from '../decisions.ts';
import type { ExitEvent } from '../input.ts';
import { finishLeaving, startFresh } from '../relief/fresh-context.ts';
import type { GovernorState } from '../state.ts';
import { chain, changed, changedIn, decided, isCompacting, keep, type Step } from '../steps.ts';
import { restart, withoutProcess } from './restart.ts';

/** Exits that somebody asked for: a normal exit, Ctrl-C, `kill`, a closed terminal. */
const ASKED_CODES: ReadonlySet<number> = new Set([0, 129, 130, 143]);
const ASKED_SIGNALS: ReadonlySet<string> = new Set(['SIGINT', 'SIGTERM', 'SIGHUP']);

export function onExit(state: GovernorState, event: ExitEvent): Step {
  const { restarts } = state.process;
  const { enabled, maxRestarts } = state.run.policy.recovery;
  const left = leavingOf(state);
  // A fresh process needs nothing of the old one; only the number of starts is limited.
  if (left !== undefined) return restarts < Math.max(1, maxRestarts) ? startFresh(left) : endWithIt(left);
  const mayRestart = enabled && state.run.persistent && restarts < maxRestarts && state.outcome !== 'stalled';
  return mayRestart && isDeath(state, event) ? restart(state, event) : endWithIt(state);
}

/** A process that is being replaced, or that died during `/clear`: the document for the next one exists. */
function leavingOf(state: GovernorState): GovernorState | undefined {
  const { handoff } = state;
  if (handoff.phase === 'leaving') return state;
  if (state.input !== 'open' || (handoff.phase !== 'clearing' && handoff.phase !== 'proving')) return undefined;
  const { plan, document } = handoff;
  return changed(state, { handoff: { phase: 'leaving', plan, document } });
}

function isDeath(state: GovernorState, { code, signal }: ExitEvent): boolean {
  if (state.run.mode !== 'act' || state.input !== 'open') return false;
  const isStalled = state.stall.phase === 'ending';
  // A process that exits before it has a session was started wrongly, and would exit again.
  if (!isStalled && signal === undefined && state.session.id === undefined) return false;
  if (!isStalled && (signal === undefined ? ASKED_CODES.has(code ?? 0) : ASKED_SIGNALS.has(signal))) return false;
  const { turn, mailbox, relief } = state;
  const isUnderWay = isCompacting(state.compaction) || state.handoff.phase !== 'idle';
  const isDone = turn.phase === 'idle' && mailbox.ended && mailbox.waiting.length === 0 && !isUnderWay;
  return !isDone || relief.unfinished !== undefined;
}

/** No process takes its place: deferred lines are shown. */
export function endWithIt(state: GovernorState): Step {
  const outcome = state.handoff.phase === 'leaving' ? 'unrelieved' : state.outcome;
  return keep(changed(state, { input: 'closed', outcome }), [...leftUndone(state), { kind: 'deferred', fate: 'show' }]);
}

function leftUndone(state: GovernorState): readonly Action[] {
  const { mailbox, turn, run, input, session, relief } = state;
  const said = [...turn.prompts, ...mailbox.waiting].map(({ uuid }) => uuid);
  const prompts = [...(relief.unfinished?.answers ?? []), ...said];
  // Without a session claude has not begun, and has said why.
  const isVain = input === 'open' && session.id === undefined;
  if (run.mode !== 'act' || isVain || prompts.length === 0) return [];
  const atReset = state.outcome === 'usage-limit' && { atReset: true as const };
  const reason = END_REASONS[state.outcome ?? (input === 'open' ? 'dead' : 'stopped')];
  return [{ kind: 'left-undone', ...decided(state, reason), prompts, ...atReset }];
}

const END_REASONS = {
  dead: 'claude has ended and is not started again',
  stopped: 'the run was stopped',
  limit: 'the run has ended at its limit',
  'usage-limit': 'the run has ended at a usage limit',
  stalled: 'the run has ended, as claude said nothing any more',
  unrelieved: 'the run has ended, as its context could not be relieved',
} as const;

/** A process has started: the first, or a replacement. */
export function onBegin(state: GovernorState): Step {
  const { run, process, control, handoff, cost, exact } = state;
  if (run.mode !== 'act') return keep(state);
  // A prompt given at the start has opened the channel already.
  const isOpened = run.callerSpeaksProtocol || control.phase !== 'closed';
  if (process.phase !== 'dead') return isOpened ? keep(state) : openControl(state);
  const alive = changed(withoutProcess(state), {
    handoff,
    process: { ...process, phase: 'starting' },
    cost: restarted(cost, process.resumes ? 'resumed' : 'fresh'),
  });
  const midTurn = process.resumes ? exact.midTurn : [];
  return chain(openControl(changedIn(alive, 'exact', { midTurn })), finishLeaving);
}

/** A turn went well: earlier restarts no longer count. */
export function forgetRestarts(state: GovernorState): GovernorState {
  const { process, stall } = state;
  if (process.restarts === 0 && stall.tries === 0) return state;
  return changed(state, { process: { ...process, restarts: 0 }, stall: { ...stall, tries: 0 } });
}

/** Lines that prove a session; a compaction is reported before its turn begins. */
const SIGNS_OF_LIFE: ReadonlySet<Event['kind']> = new Set(['init', 'assistant', 'compact-status']);

/** Lines of a session prove that claude runs. */
export function noteAlive(state: GovernorState, event: Event): GovernorState {
  const { process } = state;
  if (process.phase !== 'starting' || !SIGNS_OF_LIFE.has(event.kind)) return state;
  return changed(state, { process: { ...process, phase: 'running' } });
}

/** The error with which claude refuses to resume a session, before it exits: another attempt may still follow. */
export function isFailedResume({ process, input }: GovernorState, event: Event): boolean {
  return process.phase === 'starting' && input === 'open' && event.kind === 'result' && event.isError;
}

/** The step from one session id of claude's to the next; undefined while the id stays the same. */
export function lineageStep(before: GovernorState, { session, handoff, relief, process }: GovernorState) {
  const from = before.session.id;
  const to = session.id;
  if (from === undefined || to === undefined || from === to) return undefined;
  if (handoff.phase !== 'idle' || relief.left === from) return { from, to, reason: 'handed over' };
  return { from, to, reason: process.resumes ? 'resumed' : 'a new conversation' };
}

/** A recording shows what happened, and nothing was done about it. */
export function noteLineage(before: GovernorState, state: GovernorState): Step {
  const next = state.run.mode === 'replay' ? undefined : lineageStep(before, state);
  return keep(state, next === undefined ? [] : [{ kind: 'lineage', ...decided(before, next.reason), ...next }]);
}
