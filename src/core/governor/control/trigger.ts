import { predictedTokens } from '../gauge/gauge.ts';
import { isKnown } from '../gauge/window.ts';
import { planExact } from '../operations/load-mod.ts';
import { leavesTriggerUnplaced, needsPercent, restingTrigger, type TriggerSetting, triggerAt } from '../policy.ts';
import { askContext, isAsking, request } from '../prompts/own-lines.ts';
import { reliefMoment } from '../relief/relief-moment.ts';
import type { ControlPurpose, GovernorState } from '../state.ts';
import { changedIn, decide, isUnderWay } from '../steps.ts';

type TriggerLevel = TriggerSetting & { readonly reason: string };

/**
 * The level for claude's own trigger. By default the level of the policy, so that a turn that would probably cross it
 * starts with a relieved context. Lower if an exact compaction pays earlier: such a compaction keeps the turn's own
 * prompt, so it can happen within a turn. Undefined if claude would not accept the level, or claude's own one is
 * better.
 */
export function triggerLevel(state: GovernorState, window: number): TriggerLevel | undefined {
  const { gauge, run } = state;
  const rest = restingTrigger(run.policy, window);
  if (rest === undefined) return undefined;
  const early = requestedLevel(state) ?? economicLevel(state, rest.at);
  if (early !== undefined || leavesTriggerUnplaced(run.policy, gauge.call?.model)) return early;
  return { ...rest, reason: `a window of ${window} tokens is known` };
}

/**
 * The level for a requested compaction: below the context, so that claude's next call crosses it. Not before the mod is
 * loaded, because claude would write a summary.
 */
function requestedLevel(state: GovernorState): TriggerLevel | undefined {
  const { request, exact } = state.relief;
  if (!request?.isMidTurn || exact.phase === 'arming' || isUnderWay(state, 'compact')) return undefined;
  return {
    ...triggerAt(predictedTokens(state.gauge) / 2),
    reason: 'a compaction was requested with ctxb compact --now',
  };
}

/** Minimum change of the trigger, as a share of its level. A smaller one is not worth a message. */
const MIN_MOVE = 0.1;

/** The level at which an exact compaction pays, if it is below `latest`. */
function economicLevel(state: GovernorState, latest: number): TriggerLevel | undefined {
  const { trigger } = state.process.control;
  const moment = reliefMoment(state);
  if (moment?.way !== 'compact' || moment.at >= latest) return undefined;
  const place = triggerAt(moment.at);
  const isNearEnough = typeof trigger === 'number' && Math.abs(trigger - place.at) < place.at * MIN_MOVE;
  return { ...place, at: isNearEnough ? trigger : place.at, reason: `from ${moment.at} tokens on compacting pays` };
}

/** Places claude's trigger as soon as the window is known, and moves it when its level changes. */
export function placeTrigger(state: GovernorState): GovernorState {
  const { gauge, process, relief } = state;
  const { trigger } = process.control;
  // If a hook blocks compactions, claude refuses prompts above its trigger, so ctxb resets the trigger.
  if (relief.isBlocked) return typeof trigger === 'number' ? setTrigger(state, 'release-trigger') : state;
  if (trigger === 'off' || !process.control.hasAskedWindow || !isKnown(gauge.window)) return state;
  // The pending answer may show that the caller has placed the trigger.
  if (isAsking(state, 'context') && gauge.window.source === 'result') return state;
  const place = triggerLevel(state, gauge.window.tokens);
  if (place === undefined && typeof trigger === 'number') return setTrigger(state, 'release-trigger');
  if (place === undefined || place.at === trigger) return state;
  return setTrigger(changedIn(state, 'control', { triggerReason: place.reason }), 'trigger', place);
}

/**
 * Asks for the window of a new model. Resets ctxb's trigger first, because claude would report the trigger's setting as
 * the window.
 */
export function askNewWindow(state: GovernorState): GovernorState {
  if (typeof state.process.control.trigger !== 'number') return askContext(state);
  return askContext(setTrigger(state, 'release-trigger'));
}

/**
 * Places claude's trigger.
 * @param place undefined resets it to claude's own level
 */
function setTrigger(state: GovernorState, purpose: ControlPurpose, place?: TriggerSetting): GovernorState {
  const { trigger } = state.process.control;
  const window = { CLAUDE_CODE_AUTO_COMPACT_WINDOW: String(place?.setting ?? '') };
  // A setting applies until it is reset.
  const isLow = place?.percent !== undefined || (typeof trigger === 'number' && needsPercent(trigger));
  const env = isLow ? { ...window, CLAUDE_AUTOCOMPACT_PCT_OVERRIDE: String(place?.percent ?? '') } : window;
  const placed = changedIn(state, 'control', { trigger: place?.at ?? 'unplaced' });
  // claude may compact as soon as it gets the new level, so it gets the plan first.
  return request(planExact(placed), purpose, { subtype: 'apply_flag_settings', settings: { env } });
}

/** Reports the trigger after claude has confirmed it. Some versions do not answer. */
export function onTrigger(state: GovernorState, moved: boolean): GovernorState {
  if (!moved) {
    const off = changedIn(state, 'control', { trigger: 'off' });
    return decide(off, 'unavailable:trigger', 'this claude does not let ctxb move the level of its compactions');
  }
  const { trigger, triggerReason } = state.process.control;
  if (typeof trigger !== 'number') return state;
  return decide(planExact(state), 'mid-turn:trigger', triggerReason, { tokens: trigger });
}
