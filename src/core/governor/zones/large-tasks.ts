import { estimateTokens, measureContent } from '../gauge/estimator.ts';
import { isGuess, predicted } from '../gauge/gauge.ts';
import type { Prompt } from '../input.ts';
import { countSent, ownUuid } from '../prompts/own-lines.ts';
import type { GovernorState } from '../state.ts';
import { changed, decided, keep, type Step } from '../steps.ts';
import { isLargeTask, type ZoneName, zoneAt } from './zones.ts';

/** Whether a prompt is too large for the zone, and nothing has been done about it yet. */
export function isTooLarge(state: GovernorState, prompt: Prompt | undefined): prompt is Prompt {
  if (prompt === undefined || prompt.command !== undefined || state.largeTask === prompt.uuid) return false;
  return isLargeTask(sizeOf(state, prompt), zoneNow(state), state.run.policy);
}

/** May differ from the zone that was last announced: the context may just have been replaced. */
function zoneNow({ gauge, run }: GovernorState): ZoneName {
  return isGuess(gauge) ? 'ok' : zoneAt(predicted(gauge), gauge.window.tokens, run.policy);
}

/** Estimated tokens. */
function sizeOf({ gauge }: GovernorState, { event }: Prompt): number {
  return estimateTokens(measureContent(event.blocks), gauge.calibration);
}

export function announceLargeTask(state: GovernorState, prompt: Prompt): Step {
  const { onLargeTask } = state.run.policy.zones;
  const noted = changed(state, { largeTask: prompt.uuid });
  const size = sizeOf(state, prompt);
  const reason = `a prompt of about ${size} tokens in the zone ${zoneNow(state)}`;
  return keep(noted, [{ kind: 'large-task', ...decided(noted, reason), tokens: size, todo: onLargeTask }]);
}

/** The caller is answered by ctxb: the prompt is not sent. */
export function refuse(state: GovernorState, prompt: Prompt): Step {
  const said = `ctxb did not send this prompt: about ${sizeOf(state, prompt)} tokens are too large a task for a context of ${predicted(state.gauge)} tokens (zones.onLargeTask is "reject"). Compact or clear the conversation, or send a smaller task.`;
  const line = JSON.stringify({
    type: 'result',
    subtype: 'error_context_budget',
    is_error: true,
    duration_ms: 0,
    duration_api_ms: 0,
    num_turns: 0,
    result: said,
    errors: [said],
    session_id: state.session.id ?? '',
    user_message_uuid: prompt.uuid,
    total_cost_usd: 0,
    usage: { input_tokens: 0, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 0 },
    uuid: ownUuid(state),
  });
  return keep(countSent(state), [
    { kind: 'reply', line },
    { kind: 'answered', uuids: [prompt.uuid] },
  ]);
}
