import type { ControlRequestEvent, Event } from '../stream/events.ts';
import type { Action, TimerName } from './actions.ts';
import { advance, noteFirstPrompt, onCallerEnd, onCallerLine } from './caller.ts';
import { TOOL_CALL_LIMIT } from './character-estimate.ts';
import {
  adviseCompaction,
  endOverdue,
  followCompaction,
  forgetFailures,
  giveUpWaiting,
  isCompacting,
  measureLanding,
  shouldCompact,
  waitLonger,
} from './compaction.ts';
import {
  askContext,
  finishOpening,
  OWN_PREFIX,
  onOwnResponse,
  openControl,
  placeTrigger,
  sendInterrupt,
} from './control.ts';
import { isCharactersOnly, predicted } from './gauge.ts';
import type { Input } from './input.ts';
import { latchAt } from './latch.ts';
import { toPrompt } from './mailbox.ts';
import { inTokens } from './policy.ts';
import { readContext, readSession, readSubagent } from './readings.ts';
import { answerCallback } from './restore.ts';
import { decided, type GovernorState } from './state.ts';
import { chain, keep, type Step } from './steps.ts';
import { tasksAfter } from './tasks.ts';
import { begunTurn, closedLogTurn, endedTurn, openLogTurn } from './turns.ts';
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
      return chain(input.event.kind === 'begin' ? begin(state) : interrupt(state), advance);
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
  if (event.kind === 'control-response' && event.requestId.startsWith(OWN_PREFIX)) {
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

/** What came in since the last call is a prediction until that call; only where characters are all, they count. */
function isReading(state: GovernorState, event: Event): boolean {
  return event.kind !== 'user' || isCharactersOnly(state.gauge);
}

/** A prompt that shows in a recording: what would have been due before it was sent? */
function judgeArrival(state: GovernorState, event: Event): Step {
  if (state.run.mode !== 'replay') return keep(state);
  const isLogPrompt = event.kind === 'user' && event.role === 'prompt' && event.subagent === null;
  const isNextTurn = event.kind === 'init' && state.turn.phase === 'idle';
  if (!isLogPrompt && !isNextTurn) return keep(state);
  if (!isLogPrompt) return shouldCompact(state, 'unseen') ? adviseCompaction(state) : keep(state);
  const prompt = toPrompt(event, '');
  const before = { ...state, turn: closedLogTurn(state.turn) };
  return chain(shouldCompact(before, prompt) ? adviseCompaction(before) : keep(before), (next) =>
    keep({ ...noteFirstPrompt(next, prompt), turn: openLogTurn(next.turn, prompt) }),
  );
}

function read(state: GovernorState, event: Event, injected: boolean): GovernorState {
  const turn = injected ? state.turn : begunTurn(state, event);
  const grace = turn.phase === 'idle' ? state.grace : 'none';
  const before: GovernorState = { ...state, turn, grace, tasks: tasksAfter(state.tasks, event) };
  const after = readSession(readSubagent(readContext(before, event), event), event);
  if (injected || after.gauge.calls === state.gauge.calls) return after;
  return { ...after, turn: { ...after.turn, calls: after.turn.calls + 1 } };
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
  return chain(released, (next) => keep({ ...next, turn: endedTurn(next, event) }), waitLonger);
}

/** The context was replaced or emptied, by whomever. A new session id in mid-stream is a cleared conversation. */
function wasRelieved(before: GovernorState, after: GovernorState, event: Event): boolean {
  const another = before.session.id !== undefined && before.session.id !== after.session.id;
  return event.kind === 'boundary' || event.kind === 'reset' || another;
}

/** Latches what was crossed; says so once. */
function judgeLevel(state: GovernorState): Step {
  const { gauge, run } = state;
  // After a break there is only an estimate from before it: it proves nothing.
  if (gauge.basis === 'estimated' && gauge.calls > 0) return keep(state);
  // While a compaction is under way the figure is the one it is to bring down.
  if (gauge.basis === 'none' || isCompacting(state.compaction) || state.input === 'interrupted') return keep(state);
  const tired = isCharactersOnly(gauge) && gauge.characters.toolCalls >= TOOL_CALL_LIMIT;
  const level = tired ? gauge.window.tokens : predicted(gauge);
  const latch = latchAt(state.latch, level, gauge.window.tokens, run.policy);
  if (latch === state.latch) return keep(state);
  const latched = latch === 'none' ? forgetFailures({ ...state, latch }) : { ...state, latch };
  if (state.latch !== 'none' || latch === 'none') return keep(latched);
  const crossed = inTokens(run.policy.thresholds.warn, gauge.window.tokens);
  const reason = tired
    ? `${gauge.characters.toolCalls} tool calls without any usage figures`
    : `${predicted(gauge)} tokens have crossed ${crossed} of ${gauge.window.tokens}`;
  return keep(latched, [{ kind: 'warn', ...decided(latched, reason) }]);
}

function onClaudeRequest(state: GovernorState, event: ControlRequestEvent): Step {
  if (event.callbackId?.startsWith(OWN_PREFIX)) {
    const noted = { ...state, control: { ...state.control, lastCallback: event.requestId } };
    return keep(noted, answerCallback(state, event));
  }
  if (state.run.mode === 'replay' || state.run.callerSpeaksProtocol) return keep(state);
  // Nobody is there to answer, and claude waits for as long as it takes.
  const response = { subtype: 'error', request_id: event.requestId, error: 'no one can answer this here' };
  return keep(state, [{ kind: 'send', line: JSON.stringify({ type: 'control_response', response }) }]);
}

/** Another model may have another window. */
function switchedModel(before: string | undefined, state: GovernorState, event: Event): boolean {
  if (event.kind !== 'init' || before === undefined || state.session.model === before) return false;
  return state.run.mode === 'act' && state.control.phase === 'open';
}
