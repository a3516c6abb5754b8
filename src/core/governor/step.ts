import { enforceAgentLimits } from './agents/agent-limits.ts';
import { onAgentFigures } from './agents/agents.ts';
import { answerDelayedHooks, giveUpAsking } from './control/control.ts';
import { onFileMeasured, onResultStored } from './control/hook-callbacks.ts';
import { placeTrigger } from './control/trigger.ts';
import { advance } from './conversation/advance.ts';
import { onCallerEnd, onCallerLine } from './conversation/caller-line.ts';
import { onClaude } from './conversation/claude-line.ts';
import { answerAskers, onInterrupt, onOutsideRequest } from './conversation/outside-requests.ts';
import { closePromptsWithoutTurn, closeSkippedPrompts } from './conversation/send-prompt.ts';
import { checkSpending, onCostAnswer, onTimeUp, startTimeLimit } from './conversation/spending.ts';
import type { TimerName } from './effects.ts';
import { NO_FACTS } from './facts.ts';
import type { Input, OwnEvent, OwnEventOf } from './input.ts';
import { onHandoffWritten } from './operations/hand-over.ts';
import { onExactFolder, onExactProved, stopWaitingForMod } from './operations/load-mod.ts';
import { onOperationTimeout } from './operations/rules.ts';
import { onRecovered } from './process/after-crash.ts';
import { onExit, onProcessStart } from './process/process.ts';
import { onStallTimer, resetSilence, watchSilence } from './process/stall.ts';
import { sendInterrupt } from './prompts/own-lines.ts';
import { resumeAfterRelief } from './relief/exhaustion.ts';
import type { GovernorState } from './state.ts';
import { changed, changedIn, emit } from './steps.ts';
import { undoChange } from './tool-budget/tool-state.ts';
import { onWaitTimer } from './waits/wait.ts';

/**
 * Takes the state and an input, returns the next state with its actions. Pure: no clock, no files, no processes, no
 * randomness. `run` carries the actions out, `replay` lists them.
 */
export function step(before: GovernorState, input: Input): GovernorState {
  const arrived = changed(before, { facts: { ...NO_FACTS, now: input.t }, actions: [] });
  const state = input.from === 'claude' ? resetSilence(arrived, input.event) : arrived;
  const judged = advance(resumeAfterRelief(state, handleInput(state, input)));
  return watchSilence(before, answerAskers(before, judged));
}

function handleInput(state: GovernorState, input: Input): GovernorState {
  switch (input.from) {
    case 'claude':
      return onClaude(state, input.event);
    case 'caller':
      return 'line' in input ? onCallerLine(state, input.event, input.line) : onCallerEnd(state);
    case 'timer':
      return ON_TIMEOUT[input.event.timer](state);
    case 'ctxb':
      return ON_OWN_EVENT[input.event.kind]?.(state, input.event as never) ?? state;
  }
}

const ON_OWN_EVENT: {
  readonly [K in OwnEvent['kind']]?: (state: GovernorState, event: OwnEventOf<K>) => GovernorState;
} = {
  begin: (state) => onProcessStart(startTimeLimit(state)),
  interrupt: (state) => onInterrupt(state),
  ask: (state, { ask, by }) => onOutsideRequest(state, ask, by),
  exit: onExit,
  recovered: onRecovered,
  state: (state, { to }) => changedIn(state, 'session', { state: to }),
  notes: (state, { path }) => changedIn(state, 'session', { notes: path }),
  'handoff-written': onHandoffWritten,
  'project-cost': (state, { others, earlier }) =>
    checkSpending(state, changedIn(state, 'limits', { others: others - earlier })),
  'cost-answer': (state, { limitUsd }) => onCostAnswer(state, limitUsd),
  'agent-read': (state, event) => enforceAgentLimits(onAgentFigures(state, event), { before: state }),
  'file-measured': (state, { requestId, file }) => answerDelayedHooks(onFileMeasured(state, requestId, file)),
  'exact-folder': (state, { path, guarded }) => placeTrigger(onExactFolder(state, path, guarded)),
  'exact-proved': (state) => placeTrigger(onExactProved(state)),
  'exact-receipt': (state, { receipt }) => changedIn(state, 'exact', { receipt }),
  'hook-failed': (state, { requestId }) => answerDelayedHooks(undoChange(state, requestId)),
  'result-stored': (state, { requestId, path }) => answerDelayedHooks(onResultStored(state, requestId, path)),
};

const ON_TIMEOUT: { readonly [T in TimerName]: (state: GovernorState) => GovernorState } = {
  operation: onOperationTimeout,
  context: giveUpAsking,
  exact: (state) => placeTrigger(stopWaitingForMod(state)),
  background: (state) => changedIn(state, 'turn', { grace: 'over' }),
  turn: closePromptsWithoutTurn,
  skip: closeSkippedPrompts,
  interrupt: sendInterrupt,
  exit: (state) => emit(state, { kind: 'kill' }),
  wait: onWaitTimer,
  stall: onStallTimer,
  time: onTimeUp,
};
