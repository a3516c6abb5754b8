import type { Event } from '../../protocol/events.ts';
import { type OwnTurn, ownTurnTimer } from '../prompts/own-lines.ts';
import type { GovernorState } from '../state.ts';
import { emit } from '../steps.ts';
import { giveUpCompaction, onAbandonedLine, onCompactionLine } from './compact.ts';
import { giveUpBriefing, onBriefingLine, onClearLine, startLeaving } from './fresh-context.ts';
import { giveUpAnswer, leaveUnreachable, onAnswerLine } from './hand-over.ts';
import type { Operation, OperationIn } from './operation.ts';

/** Handlers of a line in the operation's turn, and of a timeout without one. */
interface Rules<P extends Operation['phase']> {
  readonly onLine: (state: GovernorState, operation: OperationIn<P>, event: Event) => GovernorState;
  readonly onTimeout: (state: GovernorState, operation: OperationIn<P>) => GovernorState;
}

/** Each operation with a turn of its own has rules. */
const RULES: { readonly [P in OwnTurn['phase']]: Rules<P> } & { readonly [P in Operation['phase']]?: Rules<P> } = {
  // The rest of a stopped compaction.
  idle: { onLine: onAbandonedLine, onTimeout: leaveUnreachable },
  compacting: { onLine: onCompactionLine, onTimeout: giveUpCompaction },
  asking: { onLine: onAnswerLine, onTimeout: giveUpAnswer },
  clearing: { onLine: onClearLine, onTimeout: startLeaving },
  briefing: { onLine: onBriefingLine, onTimeout: giveUpBriefing },
};

/** Handles a line from claude in an injected turn. */
export function onOperationLine(state: GovernorState, event: Event): GovernorState {
  const { operation } = state;
  return RULES[operation.phase]?.onLine(state, operation as never, event) ?? state;
}

/** Restarts the timer of ctxb's own turn, because a turn of claude's delayed it. */
export function restartOwnTurnTimer(state: GovernorState): GovernorState {
  const { operation } = state;
  return 'turn' in operation ? emit(state, ownTurnTimer(state, operation.phase)) : state;
}

export function onOperationTimeout(state: GovernorState): GovernorState {
  const { operation, turn } = state;
  if (turn.phase === 'running') return restartOwnTurnTimer(state);
  return RULES[operation.phase]?.onTimeout(state, operation as never) ?? state;
}
