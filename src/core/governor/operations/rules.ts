import type { Event } from '../../protocol/events.ts';
import { ownTurnTimer } from '../prompts/own-lines.ts';
import type { GovernorState } from '../state.ts';
import { emit } from '../steps.ts';
import { giveUpCompaction, onAbandonedLine, onCompactionLine } from './compact.ts';
import { giveUpBriefing, onBriefingLine, onClearLine, startLeaving } from './fresh-context.ts';
import { giveUpAnswer, leaveUnreachable, onAnswerLine } from './hand-over.ts';

/** Handles a line from claude in an injected turn. */
export function onOperationLine(state: GovernorState, event: Event): GovernorState {
  const { operation } = state;
  switch (operation.phase) {
    case 'idle':
      return onAbandonedLine(state, event);
    case 'compacting':
      return onCompactionLine(state, operation, event);
    case 'asking':
      return onAnswerLine(state, operation, event);
    case 'clearing':
      return onClearLine(state, operation, event);
    case 'briefing':
      return onBriefingLine(state, event);
    default:
      return state;
  }
}

/** Ends or replaces an operation that takes too long. A stopped compaction that does not end has no operation left. */
export function onOperationTimeout(state: GovernorState): GovernorState {
  if (state.turn.phase === 'running') return waitLonger(state);
  const { operation } = state;
  switch (operation.phase) {
    case 'idle':
      return leaveUnreachable(state);
    case 'compacting':
      return giveUpCompaction(state, operation);
    case 'asking':
      return giveUpAnswer(state, operation);
    case 'clearing':
      return startLeaving(state, operation);
    case 'briefing':
      return giveUpBriefing(state, operation);
    default:
      return state;
  }
}

/** Restarts the timer of ctxb's own turn, because a turn of claude's delayed it. */
export function waitLonger(state: GovernorState): GovernorState {
  const { operation } = state;
  return 'turn' in operation ? emit(state, ownTurnTimer(state, operation.phase)) : state;
}
