import type { Event } from '../../protocol/events.ts';
import { ownTurnTimer } from '../prompts/own-lines.ts';
import type { GovernorState } from '../state.ts';
import { emit } from '../steps.ts';
import { followCompaction, followOverdue, giveUpWaiting } from './compact.ts';
import { followBriefing, followClear, giveUpBriefing, leave } from './fresh-context.ts';
import { followAnswer, giveUpAnswer, leaveUnreachable } from './hand-over.ts';
import type { Operation, OperationIn } from './operation.ts';

interface Rules<O extends Operation> {
  /** Handles a line from claude in an injected turn. */
  readonly on?: (state: GovernorState, operation: O, event: Event) => GovernorState;
  /** Handles the timeout of such a turn. */
  readonly onTimeout?: (state: GovernorState, operation: O) => GovernorState;
}

const OPERATIONS: { readonly [P in Operation['phase']]: Rules<OperationIn<P>> } = {
  idle: { on: followOverdue, onTimeout: leaveUnreachable },
  loading: {},
  deciding: {},
  compacting: { on: followCompaction, onTimeout: giveUpWaiting },
  asking: { on: followAnswer, onTimeout: giveUpAnswer },
  writing: {},
  clearing: { on: followClear, onTimeout: leave },
  leaving: {},
  briefing: { on: followBriefing, onTimeout: giveUpBriefing },
};

function rulesOf({ operation }: GovernorState): Rules<never> {
  return OPERATIONS[operation.phase] as Rules<never>;
}

export function followOperation(state: GovernorState, event: Event): GovernorState {
  return rulesOf(state).on?.(state, state.operation as never, event) ?? state;
}

/** Restarts the timer after a turn that claude started itself, which delays ctxb's own turn. */
export function waitLonger(state: GovernorState): GovernorState {
  const { operation } = state;
  return 'turn' in operation ? emit(state, ownTurnTimer(state, operation.phase)) : state;
}

/** @param timer `compaction` for a compaction, `handoff` for every other operation */
export function onOperationTimeout(timer: 'compaction' | 'handoff') {
  return (state: GovernorState): GovernorState => {
    const { operation, turn } = state;
    if ((timer === 'compaction') !== (operation.phase === 'compacting')) return state;
    if (turn.phase === 'running') return waitLonger(state);
    return rulesOf(state).onTimeout?.(state, operation as never) ?? state;
  };
}
