import type { Event, ResultEvent } from '../../protocol/events.ts';
import { predicted } from '../gauge/gauge.ts';
import { handoffLevel } from '../policy.ts';
import { isOwnUuid } from '../prompts/own-lines.ts';
import type { GovernorState } from '../state.ts';
import { isRelieving, keep, type Step } from '../steps.ts';
import { dueReason } from './compaction.ts';
import { withExhausted } from './exhaustion.ts';
import { chooseWay, payingMoment } from './ladder.ts';
import { extentOf } from './outlook.ts';

/**
 * Ends a turn behind a tool where handing over is the strategy and the context would be full before the turn is over:
 * no call is broken off, all tools that run at once are awaited, and the work goes on in a fresh context.
 */
export function stopTurn(step: Step): Step {
  const { state, actions } = step;
  if (!actions.some(({ kind }) => kind === 'answer-hook') || !isToStop(state)) return step;
  const reason = `${dueReason(state)}, in the middle of a turn`;
  return keep(
    { ...state, relief: { ...state.relief, stop: { call: state.gauge.calls, reason } } },
    actions.map((action) => (action.kind === 'answer-hook' ? { ...action, output: STOP } : action)),
  );
}

/** Fields that any kind of hook takes. */
const STOP = { continue: false, stopReason: 'ctxb hands the work over to a fresh context' };

function isToStop(state: GovernorState): boolean {
  const { run, turn, relief, gauge, input, spending, tasks } = state;
  const isOurs = run.mode === 'act' && run.policy.midTurn.enabled && input === 'open' && spending.phase === 'within';
  if (!isOurs || turn.phase !== 'running' || turn.startedBy !== 'prompt' || isRelieving(state)) return false;
  if (relief.stop !== undefined || relief.putOffAt === gauge.calls) return false;
  if (Object.values(tasks).some(({ phase }) => phase === 'foreground')) return false;
  const extent = extentOf(state);
  const chosen = chooseWay(state, extent);
  const isChosen = chosen?.way === 'handoff' && chosen.cause === 'strategy';
  if (!isChosen) return false;
  const level = payingMoment(state, extent)?.at ?? handoffLevel(run.policy, gauge.window.tokens);
  return predicted(gauge) >= level;
}

/** The end of a turn that was stopped: the caller sees it only if the work cannot go on. */
export function tellsTurnStop({ relief, gauge }: GovernorState, event: Event): boolean {
  return event.kind === 'result' && event.terminalReason === 'hook_stopped' && relief.stop?.call === gauge.calls;
}

/** At the end of a turn: where it was stopped, the work is handed over. */
export function readTurnStop(before: GovernorState, state: GovernorState, event: ResultEvent): GovernorState {
  const { stop } = state.relief;
  if (stop === undefined || stop.call !== state.gauge.calls) return state;
  const over: GovernorState = { ...state, relief: { ...state.relief, stop: undefined } };
  if (!tellsTurnStop(before, event)) return over;
  const earlier = before.relief.exhausted?.prompts ?? [];
  const said = before.turn.prompts.filter(({ uuid }) => earlier.length === 0 || !isOwnUuid(state, uuid));
  const stopped = withExhausted(over, {
    cause: 'stopped',
    prompts: [...earlier, ...said],
    tried: 'compaction',
    handoffs: 0,
    open: true,
  });
  return { ...stopped, relief: { ...stopped.relief, due: stop.reason } };
}
