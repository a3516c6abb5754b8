import { isKnown } from '../gauge/window.ts';
import { restingTrigger, type TriggerSetting } from '../policy.ts';
import { askContext, request } from '../prompts/own-lines.ts';
import type { ControlPurpose, GovernorState } from '../state.ts';
import { chain, decided, keep, type Step } from '../steps.ts';

/** Where claude's own trigger belongs now, and why. */
export interface TriggerPlace extends TriggerSetting {
  readonly reason: string;
}

/**
 * Claude's own trigger rests where the policy puts it: a turn that would probably cross it finds the context relieved
 * before it begins.
 *
 * @returns undefined when the window is not known, or claude would not accept the place
 */
export function triggerPlace({ gauge, run }: GovernorState): TriggerPlace | undefined {
  const window = gauge.window.tokens;
  const rest = window === undefined ? undefined : restingTrigger(run.policy, window);
  return rest && { ...rest, reason: `a window of ${window} tokens is known` };
}

/** Places claude's own trigger as soon as the window is known, and again when it belongs elsewhere. */
export function placeTrigger(state: GovernorState): Step {
  const { gauge, trigger, control } = state;
  if (trigger === 'off' || control.phase === 'closed' || !isKnown(gauge.window)) return keep(state);
  const place = triggerPlace(state);
  if (place === undefined || place.at === trigger) return keep(state);
  const placed: GovernorState = { ...state, trigger: place.at, triggerReason: place.reason };
  return setTrigger(placed, 'trigger', String(place.setting));
}

/** Asks for the window of a new model, after releasing our trigger, which claude would report instead. */
export function askNewWindow(state: GovernorState): Step {
  if (typeof state.trigger !== 'number') return askContext(state);
  return chain(setTrigger({ ...state, trigger: 'unplaced' }, 'release-trigger', ''), askContext);
}

/** @param setting tokens as `CLAUDE_CODE_AUTO_COMPACT_WINDOW` takes them; empty: claude's own again */
function setTrigger(state: GovernorState, purpose: ControlPurpose, setting: string): Step {
  const env = { CLAUDE_CODE_AUTO_COMPACT_WINDOW: setting };
  return request(state, purpose, { subtype: 'apply_flag_settings', settings: { env } });
}

/** The trigger counts as placed once claude confirms it: some versions do not answer at all. */
export function onTrigger(state: GovernorState, moved: boolean): Step {
  if (!moved) {
    const refused: GovernorState = { ...state, trigger: 'off' };
    return keep(refused, [{ kind: 'trigger-refused', ...decided(refused, 'this claude cannot move its trigger') }]);
  }
  const { trigger, triggerReason } = state;
  if (typeof trigger !== 'number') return keep(state);
  return keep(state, [{ kind: 'place-trigger', ...decided(state, triggerReason), tokens: trigger }]);
}
