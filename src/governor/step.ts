import type { ControlRequestEvent, Event, ResultEvent } from '../stream/events.ts';
import type { Action, TimerName } from './actions.ts';
import { advance, forgetSkipped, onCallerEnd, onCallerLine } from './caller.ts';
import {
  endOverdue,
  followCompaction,
  forgetFailures,
  giveUpWaiting,
  measureLanding,
  waitLonger,
} from './compaction.ts';
import {
  askContext,
  finishOpening,
  isOwnRequest,
  OWN_PREFIX,
  onOwnResponse,
  openControl,
  placeTrigger,
  sendInterrupt,
} from './control.ts';
import type { Input, OwnEvent } from './input.ts';
import { isReading, judgeArrival, judgeLevel } from './judge.ts';
import { onQuestion } from './questions.ts';
import { readContext, readSession, readSubagent } from './readings.ts';
import { answerCallback } from './restore.ts';
import { decided, type GovernorState } from './state.ts';
import { chain, keep, type Step } from './steps.ts';
import { tasksAfter } from './tasks.ts';
import { begunTurn, endedTurn, heard } from './turns.ts';
import { isInjectedTurn, startsForeignTurn } from './visibility.ts';

/**
 * The judgement: what happened and the state before it give the state after it and what is to be done. Pure: no clock,
 * no files, no processes, no randomness. `run` carries the actions out, `replay` lists them.
 */
export function step(state: GovernorState, input: Input): Step {
  switch (input.from) {
    case 'claude':
      return chain(onClaude(state, input.event), advance);
    case 'caller':
      return chain('line' in input ? onCallerLine(state, input.event, input.line) : onCallerEnd(state), advance);
    case 'timer':
      return chain(onTimeout(state, input.event.timer), advance);
    case 'ctxb':
      return chain(onOwn(state, input.event), advance);
  }
}

function onOwn(state: GovernorState, event: OwnEvent): Step {
  switch (event.kind) {
    case 'begin':
      return begin(state);
    case 'interrupt':
      return interrupt(state);
    case 'state':
      return keep({ ...state, session: { ...state.session, state: event.to } });
    case 'notes':
      return keep({ ...state, notes: event.path });
    default:
      return keep(state);
  }
}

function onTimeout(state: GovernorState, timer: TimerName): Step {
  switch (timer) {
    case 'compaction':
      return giveUpWaiting(state);
    case 'context':
      return finishOpening(state);
    case 'background':
      return keep({ ...state, grace: 'over' });
    case 'turn':
      return forgetSkipped(state);
  }
}

/** A caller who speaks the protocol may want to initialize himself: his first line decides. */
function begin(state: GovernorState): Step {
  return state.run.mode === 'act' && !state.run.callerSpeaksProtocol ? openControl(state) : keep(state);
}

function interrupt(state: GovernorState): Step {
  const interrupted: GovernorState = { ...state, input: state.input === 'closed' ? 'closed' : 'interrupted' };
  const note: Action = { kind: 'interrupt', ...decided(state, 'the user asked to stop') };
  if (state.turn.phase === 'idle' && state.compaction.phase === 'idle') return keep(interrupted, [note]);
  return chain(keep(interrupted, [note]), sendInterrupt);
}

function onClaude(state: GovernorState, event: Event): Step {
  if (event.kind === 'control-response' && isOwnRequest(state, event.requestId)) {
    return chain(onOwnResponse(state, event), judgeLevel, placeTrigger);
  }
  if (event.kind === 'control-request') return onClaudeRequest(state, event);
  const injected = isInjectedTurn(state) && !startsForeignTurn(event);
  const modelBefore = state.session.model;
  return chain(
    judgeArrival(state, event),
    (next) => keep(read(next, event, injected)),
    (next) => (injected ? follow(next, event) : ownTurn(next, event, state)),
    measureLanding,
    (next) => (isReading(next, event) && !injected ? judgeLevel(next) : keep(next)),
    placeTrigger,
    (next) => (switchedModel(modelBefore, next, event) ? askContext(next) : keep(next)),
  );
}

function read(state: GovernorState, event: Event, injected: boolean): GovernorState {
  const turn = injected ? state.turn : heard(begunTurn(state, event), event);
  const grace = turn.phase === 'idle' ? state.grace : 'none';
  const tasks = tasksAfter(state.tasks, event);
  const before: GovernorState = { ...state, turn, grace, tasks, summarising: summarisingAfter(state, event) };
  const after = readSession(readSubagent(readContext(before, event), event), event);
  if (injected || after.gauge.calls === state.gauge.calls) return after;
  return { ...after, turn: { ...after.turn, calls: after.turn.calls + 1 } };
}

/** From the line that says so to the next call or the end of the turn: the last hook comes after the boundary. */
function summarisingAfter({ summarising }: GovernorState, event: Event): boolean {
  if (event.kind === 'compact-status' && event.phase !== 'other') return event.phase !== 'failed';
  if (event.kind === 'result') return false;
  return event.kind === 'assistant' && event.subagent === null ? false : summarising;
}

/** A line of the turn that ctxb injected. */
function follow(state: GovernorState, event: Event): Step {
  const before = state.compaction.phase;
  return chain(followCompaction(state, event), (next) =>
    keep(next, next.compaction.phase === before ? [] : [{ kind: 'withheld', fate: 'drop' }]),
  );
}

/** A line of a turn that the caller, or claude itself, started. */
function ownTurn(state: GovernorState, event: Event, before: GovernorState): Step {
  const withheld: readonly Action[] = isInjectedTurn(before) ? [{ kind: 'withheld', fate: 'show' }] : [];
  const relieved = wasRelieved(before, state, event) ? forgetFailures(state) : state;
  const released = keep(startsForeignTurn(event) ? endOverdue(relieved) : relieved, withheld);
  if (event.kind !== 'result') return released;
  return chain(released, (next) => endTurn(next, event), waitLonger);
}

/** A turn for what was said too late begins at once, if it begins at all. */
const LATE_TURN_MS = 3_000;

function endTurn(state: GovernorState, event: ResultEvent): Step {
  const turn = endedTurn(state, event);
  const watch = { kind: 'set-timer', timer: 'turn', afterMs: LATE_TURN_MS } as const;
  return keep({ ...state, turn }, turn.phase === 'sent' ? [watch] : []);
}

/** The context was replaced or emptied, by whomever. A new session id in mid-stream is a cleared conversation. */
function wasRelieved(before: GovernorState, after: GovernorState, event: Event): boolean {
  const another = before.session.id !== undefined && before.session.id !== after.session.id;
  return event.kind === 'boundary' || event.kind === 'reset' || another;
}

function onClaudeRequest(before: GovernorState, event: ControlRequestEvent): Step {
  const state = readSession(before, event);
  if (event.callbackId?.startsWith(OWN_PREFIX)) {
    const callbacks = [...state.control.callbacks.slice(-REMEMBERED_CALLBACKS), event.requestId];
    return keep({ ...state, control: { ...state.control, callbacks } }, answerCallback(state, event));
  }
  return state.run.mode === 'act' ? onQuestion(state, event.requestId) : keep(state);
}

const REMEMBERED_CALLBACKS = 63;

/** Another model may have another window. */
function switchedModel(before: string | undefined, state: GovernorState, event: Event): boolean {
  if (event.kind !== 'init' || before === undefined || state.session.model === before) return false;
  return state.run.mode === 'act' && state.control.phase === 'open';
}
