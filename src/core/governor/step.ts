import { answerHeld, giveUpAsking } from './control/control.ts';
import { onFileMeasured, onResultStored } from './control/hook-callbacks.ts';
import { advance, onStopAnswer } from './conversation/advance.ts';
import { onCallerEnd, onCallerLine } from './conversation/caller-line.ts';
import { onClaude } from './conversation/claude-line.ts';
import { forgetSkipped } from './conversation/send-prompt.ts';
import { onCostAnswer, onProjectCost } from './conversation/spending.ts';
import { draftOf } from './draft.ts';
import type { TimerName } from './effects.ts';
import type { Input, OwnEvent } from './input.ts';
import { endWithIt, onBegin, onExit } from './process/process.ts';
import { onRecovered } from './process/restart.ts';
import { lifeAfter, onStallTimer, watchLife } from './process/stall.ts';
import { sendInterrupt } from './prompts/own-lines.ts';
import { giveUpWaiting } from './relief/compaction.ts';
import { giveUpArming, onExactFolder, onExactProved, onExactReceipt } from './relief/exact.ts';
import { afterRelief } from './relief/exhaustion.ts';
import { onHandoffProblems, onHandoffTimeout, onHandoffWritten } from './relief/handoff.ts';
import { leaveSlot, onSlot } from './relief/slot.ts';
import type { GovernorState } from './state.ts';
import { chain, decided, isRelieving, keep, type Step } from './steps.ts';
import { forgetChange } from './tool-budget/tool-state.ts';
import { onWaitTimer, stopWaiting } from './waits/wait.ts';

/**
 * The governor's step: an input and the state before it give the next state and its actions. Pure: no clock,
 * no files, no processes, no randomness. `run` carries the actions out, `replay` lists them.
 */
export function step(before: GovernorState, input: Input): Step {
  const state = draftOf(before);
  state.now = input.t;
  if (input.from === 'claude') state.life = lifeAfter(before.life, input.event, input.t);
  return chain(
    take(state, input),
    (taken) => afterRelief(state, taken),
    advance,
    leaveSlot,
    (judged) => watchLife(before, judged),
  );
}

function take(state: GovernorState, input: Input): Step {
  switch (input.from) {
    case 'claude':
      return onClaude(state, input.event);
    case 'caller':
      return 'line' in input ? onCallerLine(state, input.event, input.line) : onCallerEnd(state);
    case 'timer':
      return onTimeout(state, input.event.timer);
    case 'ctxb':
      return onOwn(state, input.event);
  }
}

function onOwn(state: GovernorState, event: OwnEvent): Step {
  switch (event.kind) {
    case 'begin':
      return onBegin(state);
    case 'interrupt':
      return interrupt(state);
    case 'exit':
      return onExit(state, event);
    case 'recovered':
      return onRecovered(state, event);
    case 'state':
      return keep({ ...state, session: { ...state.session, state: event.to } });
    case 'notes':
      return keep({ ...state, notes: event.path });
    case 'handoff-problems':
      return onHandoffProblems(state, event.problems);
    case 'project-cost':
      return onProjectCost(state, event.others, event.earlier);
    case 'cost-answer':
      return onCostAnswer(state, event.limitUsd);
    case 'stop-answer':
      return onStopAnswer(state, event.goesOn);
    case 'handoff-written':
      return onHandoffWritten(state, event);
    case 'file-measured':
      return chain(onFileMeasured(state, event.requestId, event.file), answerHeld);
    case 'relief-slot':
      return onSlot(state, event.granted);
    case 'exact-folder':
      return onExactFolder(state, event.path, event.guarded);
    case 'exact-proved':
      return onExactProved(state);
    case 'exact-receipt':
      return onExactReceipt(state, event.receipt);
    case 'hook-failed':
      return chain(keep(forgetChange(state, event.requestId)), answerHeld);
    case 'result-stored':
      return chain(onResultStored(state, event.requestId, event.path), answerHeld);
    default:
      return keep(state);
  }
}

function onTimeout(state: GovernorState, timer: TimerName): Step {
  switch (timer) {
    case 'compaction':
      return giveUpWaiting(state);
    case 'context':
      return giveUpAsking(state);
    case 'exact':
      return giveUpArming(state);
    case 'background':
      return keep({ ...state, grace: 'over' });
    case 'turn':
      return forgetSkipped(state);
    case 'handoff':
      return onHandoffTimeout(state);
    case 'exit':
      return keep(state, [{ kind: 'kill' }]);
    case 'wait':
      return onWaitTimer(state);
    case 'stall':
      return onStallTimer(state);
  }
}

function interrupt(before: GovernorState): Step {
  const state = stopWaiting(before);
  const interrupted: GovernorState = { ...state, input: state.input === 'closed' ? 'closed' : 'interrupted' };
  const note = { kind: 'interrupt', ...decided(state, 'the user asked to stop') } as const;
  // Between two processes there is nothing to stop, and none takes the place of the last.
  if (state.process.phase === 'dead') return chain(keep(interrupted, [note]), endWithIt);
  if (state.turn.phase === 'idle' && !isRelieving(state)) return keep(interrupted, [note]);
  // Before its turn has begun claude would not heed it.
  if (state.turn.phase === 'sent') return keep(stoppingNext(interrupted), [note]);
  return chain(keep(interrupted, [note]), sendInterrupt);
}

function stoppingNext(state: GovernorState): GovernorState {
  return { ...state, mailbox: { ...state.mailbox, stopNext: true } };
}
