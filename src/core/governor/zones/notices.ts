import type { ResultEvent } from '../../protocol/events.ts';
import { isExhaustion } from '../../protocol/failures.ts';
import { runCostUsd } from '../cost/cost.ts';
import { estimateTokens, measureContent } from '../gauge/estimator.ts';
import { isGuess, predictedTokens, readGauge } from '../gauge/gauge.ts';
import { shareOf } from '../gauge/window.ts';
import type { Prompt } from '../input.ts';
import { countSent, ownUuid } from '../prompts/own-lines.ts';
import type { GovernorState } from '../state.ts';
import { type AgentText, changedIn, decide, emit, type Line, withoutText } from '../steps.ts';
import { type HealthRecord, isLargeTask, type Occurrence, statusOf, type ZoneName, zoneAt } from './zones.ts';

export function updateZone(state: GovernorState): GovernorState {
  const { gauge, run } = state;
  const { told } = state.mailbox;
  if (gauge.basis === 'none') return state;
  const zone = zoneAt(predictedTokens(gauge), gauge.window.tokens, run.policy);
  if (zone === told.zone) return state;
  const askedAt = isCritical(zone) ? told.askedAt : undefined;
  const moved = changedIn(state, 'told', { zone, askedAt });
  return emit(moved, healthEffect(moved, { event: 'zone', from: told.zone }));
}

function isCritical(zone: ZoneName): boolean {
  return statusOf(zone) === 'critical';
}

export function healthEffect(state: GovernorState, occurrence: Occurrence, tokens = readGauge(state.gauge).predicted) {
  const window = state.gauge.window.tokens;
  const zone = zoneAt(tokens, window, state.run.policy);
  const status = occurrence.event === 'exhausted' ? 'critical' : statusOf(zone);
  const fraction = shareOf(tokens, window);
  const record: HealthRecord = {
    project: state.run.project,
    session: state.session.id ?? null,
    run: state.run.runId,
    check_type: 'context',
    status,
    details: { ...occurrence, tokens, window: window ?? null, fraction, zone },
  };
  return { kind: 'health', record } as const;
}

/** Time between two requests for a stopping point. The agent needs minutes to reach one. */
const REMINDER_INTERVAL_MS = 10 * 60_000;

/**
 * Text for the agent at the end of the conversation, where it does not invalidate the prompt cache. With a prompt: the
 * context budget, from the zone `warning` on. During a turn: only urgent text.
 */
export function tellAgent(state: GovernorState, where: 'prompt' | 'mid-turn'): AgentText {
  const { told } = state.mailbox;
  if (!state.run.policy.zones.tellAgent || state.gauge.basis === 'none') return withoutText(state);
  const { predicted: tokens, window, fraction, basis } = readGauge(state.gauge);
  const isDue = told.askedAt === undefined || state.facts.now - told.askedAt >= REMINDER_INTERVAL_MS;
  const asksToStop = isCritical(told.zone) && isDue;
  const tellsBudget = asksToStop || (where === 'prompt' && statusOf(told.zone) !== 'ok');
  const share = `${Math.round((fraction ?? 0) * 100)} % used (${tokens} of ${window} tokens, ${basis})`;
  const budget = `Context budget: ${fraction === undefined ? `${tokens} tokens used (${basis})` : share}.`;
  const text = [tellsBudget && budget, asksToStop && STOPPING_POINT, ...told.warnings].filter(Boolean).join(' ');
  if (text === '') return withoutText(state);
  const next = changedIn(state, 'told', { warnings: [], askedAt: asksToStop ? state.facts.now : told.askedAt });
  return { state: next, text };
}

const STOPPING_POINT = 'It is nearly full: bring the current step to a resumable state, and start nothing large.';

/** Records the end of a turn in the health ledger. Zones, compactions and handoffs are recorded when they happen. */
export function recordTurnHealth(state: GovernorState, { event }: Line<ResultEvent>): GovernorState {
  const turn = healthEffect(state, { event: 'turn', turn: state.turn.ended });
  return isExhaustion(event) ? emit(state, turn, healthEffect(state, { event: 'exhausted' })) : emit(state, turn);
}

/** Whether a prompt is too large for the zone and has not been announced yet. */
export function isTooLarge(state: GovernorState, prompt: Prompt | undefined): prompt is Prompt {
  if (prompt === undefined || prompt.command !== undefined || state.mailbox.told.largeTask === prompt.uuid)
    return false;
  return isLargeTask(sizeOf(state, prompt), zoneNow(state));
}

/**
 * The zone of the current context. It may differ from the last announced zone, because the context may just have been
 * replaced.
 */
function zoneNow({ gauge, run }: GovernorState): ZoneName {
  return isGuess(gauge) ? 'ok' : zoneAt(predictedTokens(gauge), gauge.window.tokens, run.policy);
}

/** Estimated tokens of a prompt. */
function sizeOf({ gauge }: GovernorState, { event }: Prompt): number {
  return estimateTokens(measureContent(event.blocks), gauge.calibration);
}

/** Announces a prompt that is too large, once per prompt. */
export function announceLargeTask(state: GovernorState, prompt: Prompt): GovernorState {
  const next = changedIn(state, 'told', { largeTask: prompt.uuid });
  const size = sizeOf(state, prompt);
  const reason = `a prompt of about ${size} tokens in the zone ${zoneNow(state)}`;
  return decide(next, 'large-task', reason, { tokens: size, todo: state.run.policy.zones.onLargeTask });
}

export function refusePrompt(state: GovernorState, prompt: Prompt): GovernorState {
  const refusal = `ctxb did not send this prompt: about ${sizeOf(state, prompt)} tokens are too much for a context of ${predictedTokens(state.gauge)} tokens (zones.onLargeTask is "reject"). Compact or clear the conversation, or send a smaller task.`;
  const line = JSON.stringify({
    type: 'result',
    subtype: 'error_context_budget',
    is_error: true,
    duration_ms: 0,
    duration_api_ms: 0,
    num_turns: 0,
    result: refusal,
    errors: [refusal],
    session_id: state.session.id ?? '',
    user_message_uuid: prompt.uuid,
    total_cost_usd: runCostUsd(state),
    usage: { input_tokens: 0, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 0 },
    uuid: ownUuid(state),
  });
  return emit(countSent(state), { kind: 'reply', line }, { kind: 'answered', uuids: [prompt.uuid] });
}
