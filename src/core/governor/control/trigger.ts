import { predicted } from '../gauge/gauge.ts';
import { isKnown } from '../gauge/window.ts';
import { leavesTrigger, lowTriggerSetting, needsPercent, restingTrigger, type TriggerSetting } from '../policy.ts';
import { askContext, isAsking, request } from '../prompts/own-lines.ts';
import { momentOf } from '../relief/outlook.ts';
import type { ControlPurpose, GovernorState } from '../state.ts';
import { chain, changedIn, decide, keep, type Step } from '../steps.ts';

/** The right place of claude's own trigger, and why. */
interface TriggerPlace extends TriggerSetting {
  readonly reason: string;
}

/**
 * Claude's own trigger rests where the policy puts it: a turn that would probably cross it finds the context relieved
 * before it begins. An exact compaction, which leaves the turn's own prompt where it is, may come in its middle.
 *
 * @returns undefined when the window is not known, claude would not accept the place, or its own is better
 */
export function triggerPlace(state: GovernorState): TriggerPlace | undefined {
  const { gauge, run } = state;
  const window = gauge.window.tokens;
  const rest = window === undefined ? undefined : restingTrigger(run.policy, window);
  if (rest === undefined) return undefined;
  const early = askedPlace(state) ?? economicPlace(state, rest.at);
  if (early !== undefined || leavesTrigger(run.policy, gauge.call?.model)) return early;
  return { ...rest, reason: `a window of ${window} tokens is known` };
}

/** Somebody asks for a compaction in mid-turn: claude's next call crosses a trigger that lies below the context. */
function askedPlace({ relief, gauge }: GovernorState): TriggerPlace | undefined {
  const { asked } = relief;
  if (asked?.way !== 'compact' || !asked.now || asked.phase !== 'waiting') return undefined;
  return { ...lowTriggerSetting(predicted(gauge) / 2), reason: 'a compaction was asked for with ctxb compact --now' };
}

/** As a share of the place: the moment moves a little with each call, which is not worth a message to claude. */
const NEAR = 0.1;

/** The place where an exact compaction pays, if it is before `latest`. */
function economicPlace(state: GovernorState, latest: number): TriggerPlace | undefined {
  const { trigger } = state.control;
  const moment = momentOf(state);
  if (moment?.way !== 'compact' || moment.at >= latest) return undefined;
  const place = lowTriggerSetting(moment.at);
  const stays = typeof trigger === 'number' && Math.abs(trigger - place.at) < place.at * NEAR;
  return { ...place, at: stays ? trigger : place.at, reason: `from ${moment.at} tokens on compacting pays` };
}

/** Places claude's own trigger as soon as the window is known, and again when it belongs elsewhere. */
export function placeTrigger(state: GovernorState): Step {
  const { gauge, control, relief } = state;
  const { trigger } = control;
  // With a hook that blocks compactions claude refuses prompts from its trigger on: the trigger stays at claude's own
  // place.
  if (relief.blocked) return typeof trigger === 'number' ? setTrigger(state, 'release-trigger') : keep(state);
  if (trigger === 'off' || !control.asked || !isKnown(gauge.window)) return keep(state);
  // The answer may be that the caller has placed it.
  if (isAsking(state, 'context') && gauge.window.source === 'result') return keep(state);
  const place = triggerPlace(state);
  if (place === undefined && typeof trigger === 'number') return setTrigger(state, 'release-trigger');
  if (place === undefined || place.at === trigger) return keep(state);
  return setTrigger(changedIn(state, 'control', { triggerReason: place.reason }), 'trigger', place);
}

/** Asks for the window of a new model, after releasing our trigger, which claude would report instead. */
export function askNewWindow(state: GovernorState): Step {
  if (typeof state.control.trigger !== 'number') return askContext(state);
  return chain(setTrigger(state, 'release-trigger'), askContext);
}

/** @param place undefined: where claude itself has it */
function setTrigger(state: GovernorState, purpose: ControlPurpose, place?: TriggerSetting): Step {
  const { trigger } = state.control;
  const window = { CLAUDE_CODE_AUTO_COMPACT_WINDOW: String(place?.setting ?? '') };
  // A setting applies until it is taken back.
  const isLow = place?.percent !== undefined || (typeof trigger === 'number' && needsPercent(trigger));
  const env = isLow ? { ...window, CLAUDE_AUTOCOMPACT_PCT_OVERRIDE: String(place?.percent ?? '') } : window;
  const placed = changedIn(state, 'control', { trigger: place?.at ?? 'unplaced' });
  return request(placed, purpose, { subtype: 'apply_flag_settings', settings: { env } });
}

/** The trigger counts as placed once claude confirms it: some versions do not answer at all. */
export function onTrigger(state: GovernorState, moved: boolean): Step {
  if (!moved) {
    return decide(
      changedIn(state, 'control', { trigger: 'off' }),
      'trigger-refused',
      'this claude cannot move its trigger',
    );
  }
  const { trigger, triggerReason } = state.control;
  if (typeof trigger !== 'number') return keep(state);
  return decide(state, 'place-trigger', triggerReason, { tokens: trigger });
}
