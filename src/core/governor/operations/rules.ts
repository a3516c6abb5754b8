import type { Event } from '../../protocol/events.ts';
import { ownTurnTimer } from '../prompts/own-lines.ts';
import type { GovernorState } from '../state.ts';
import { emit } from '../steps.ts';
import { followCompaction, followOverdue, giveUpWaiting } from './compact.ts';
import { followBriefing, followClear, giveUpBriefing, leave } from './fresh-context.ts';
import { followAnswer, giveUpAnswer, leaveUnreachable } from './hand-over.ts';

/** Handles a line from claude in an injected turn. */
export function followOperation(state: GovernorState, event: Event): GovernorState {
  const { operation } = state;
  switch (operation.phase) {
    case 'idle':
      return followOverdue(state, event);
    case 'compacting':
      return followCompaction(state, operation, event);
    case 'asking':
      return followAnswer(state, operation, event);
    case 'clearing':
      return followClear(state, operation, event);
    case 'briefing':
      return followBriefing(state, event);
    default:
      return state;
  }
}

function onTimeout(state: GovernorState): GovernorState {
  const { operation } = state;
  switch (operation.phase) {
    case 'idle':
      return leaveUnreachable(state);
    case 'compacting':
      return giveUpWaiting(state, operation);
    case 'asking':
      return giveUpAnswer(state, operation);
    case 'clearing':
      return leave(state, operation);
    case 'briefing':
      return giveUpBriefing(state, operation);
    default:
      return state;
  }
}

/** Restarts the timer after a turn that claude started itself, which delays ctxb's own turn. */
export function waitLonger(state: GovernorState): GovernorState {
  const { operation } = state;
  return 'turn' in operation ? emit(state, ownTurnTimer(state, operation.phase)) : state;
}

/** @param timer `compaction` for a compaction, `handoff` for every other operation */
export function onOperationTimeout(timer: 'compaction' | 'handoff') {
  return (state: GovernorState): GovernorState => {
    if ((timer === 'compaction') !== (state.operation.phase === 'compacting')) return state;
    return state.turn.phase === 'running' ? waitLonger(state) : onTimeout(state);
  };
}
