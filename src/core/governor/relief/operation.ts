import type { Event } from '../../protocol/events.ts';
import type { GovernorState } from '../state.ts';
import { keep, type Step, setTimer } from '../steps.ts';
import { followCompaction, followOverdue, timer } from './compaction.ts';
import { followBriefing, followClear, leave } from './fresh-context.ts';
import { followAnswer, giveUpAnswer, leaveDeaf, patienceMs, stopLate } from './handoff.ts';

/** A line of claude's in a turn of ctxb's own. */
export function followOperation(state: GovernorState, event: Event): Step {
  const { operation } = state;
  switch (operation.phase) {
    case 'compacting':
      return followCompaction(state, operation, event);
    case 'asking':
      return followAnswer(state, operation, event);
    case 'clearing':
      return followClear(state, operation, event);
    case 'briefing':
      return followBriefing(state, operation, event);
    case 'idle':
      return followOverdue(state, event);
    default:
      return keep(state);
  }
}

/** A turn that claude started itself came between: waiting for the one of ctxb's starts over. */
export function waitLonger(state: GovernorState): Step {
  const { operation } = state;
  if (!('turn' in operation)) return keep(state);
  const { phase } = operation;
  return keep(state, [phase === 'compacting' ? timer(state) : setTimer('handoff', patienceMs(state, phase))]);
}

export function onHandoffTimeout(state: GovernorState): Step {
  const { operation } = state;
  // A turn that claude started itself is in the way.
  if (state.turn.phase === 'running') return waitLonger(state);
  switch (operation.phase) {
    case 'asking':
      return giveUpAnswer(state, operation);
    case 'clearing':
      return leave(state, operation);
    case 'briefing':
      return operation.isLate ? keep(state, [{ kind: 'kill' }]) : stopLate(state, { ...operation, isLate: true });
    case 'idle':
      return leaveDeaf(state);
    default:
      return keep(state);
  }
}
