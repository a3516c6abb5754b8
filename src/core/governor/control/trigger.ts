import { predicted } from '../gauge/gauge.ts';
import { isKnown } from '../gauge/window.ts';
import { inTokens, restingTrigger, type TriggerSetting, triggerSetting } from '../policy.ts';
import { askContext, request } from '../prompts/own-lines.ts';
import { forecast } from '../prompts/turns.ts';
import { reliefNow } from '../relief/relief.ts';
import type { ControlPurpose, GovernorState } from '../state.ts';
import { chain, decided, isRelieving, keep, type Step } from '../steps.ts';

/** Where claude's own trigger belongs now, and why. */
export interface TriggerPlace extends TriggerSetting {
  readonly reason: string;
}

/**
 * Claude's own trigger rests where the policy puts it. When the next turn would probably cross it, it is lowered by a
 * turn's growth: then claude compacts before the turn begins, with the prompt whole, and not in the middle of it.
 *
 * @returns undefined when the window is not known, or claude would not accept the place
 */
export function triggerPlace(state: GovernorState): TriggerPlace | undefined {
  const { gauge, run, turn } = state;
  const window = gauge.window.tokens;
  if (window === undefined) return undefined;
  const rest = restingTrigger(run.policy, window);
  if (rest === undefined) return undefined;
  const atRest = { ...rest, reason: `a window of ${window} tokens is known` };
  // In the middle of a turn it stays where it is: lowered there it would cut the turn's own prompt out.
  const isRelieved = state.relief.isLanding || typeof state.trigger !== 'number';
  if (turn.phase !== 'idle' || isRelieving(state)) return isRelieved ? atRest : undefined;
  const growth = isNeedless(state) ? undefined : forecast(turn);
  const full = predicted(gauge);
  if (growth === undefined || full + growth.p90 <= rest.at) return atRest;
  // What is not even in the zone of warnings is not compacted because of one large turn.
  const floor = inTokens(run.policy.thresholds.warn, window);
  const lowered = triggerSetting(window, Math.max(rest.at - growth.median, floor));
  // Above the current context it would only compact earlier in the turn.
  if (lowered === undefined || lowered.at > full) return atRest;
  const reason = `${full} tokens and a turn's growth of ${growth.median} to ${growth.p90} would cross ${rest.at}`;
  return { ...lowered, reason };
}

/** No turn follows, or the context is relieved before it anyway, or compaction is off. */
function isNeedless(state: GovernorState): boolean {
  const { mailbox, run } = state;
  if (!run.policy.compaction.enabled) return true;
  if (mailbox.ended && mailbox.waiting.length === 0) return true;
  return reliefNow(state) !== undefined;
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
