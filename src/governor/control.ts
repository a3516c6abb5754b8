import type { ControlResponseEvent } from '../stream/events.ts';
import { countOf, type Fields, fieldsOf } from '../stream/fields.ts';
import type { Action, HookName } from './actions.ts';
import { takeReading } from './gauge.ts';
import { NATIVE_RESERVE_TOKENS, nativeTrigger } from './policy.ts';
import { CALLBACKS } from './restore.ts';
import { type ControlPurpose, decided, type GovernorState } from './state.ts';
import { chain, keep, type Step } from './steps.ts';
import { isKnown, learnWindow } from './window.ts';

/** Ids that begin like this are ctxb's own: their traffic is not the caller's business. */
export const OWN_PREFIX = 'ctxb:';

/** How long claude may take over the question how full its context is before prompts go without the answer. */
const CONTEXT_PATIENCE_MS = 5_000;

/** Hooks that only working memory needs. */
const FOR_MEMORY: ReadonlySet<string> = new Set<HookName>(['PostCompact', 'UserPromptSubmit']);

/** Hooks in the shape `initialize` takes them. No `timeout`: claude would refuse the tool when it runs out. */
function hooksFor({ run }: GovernorState): Fields {
  const wanted = Object.entries(CALLBACKS).filter(([name]) => run.policy.memory.enabled || !FOR_MEMORY.has(name));
  return Object.fromEntries(wanted.map(([name, id]) => [name, [{ matcher: null, hookCallbackIds: [id] }]]));
}

/** Opens the control channel in our own name and asks how full the context is. */
export function openControl(state: GovernorState): Step {
  return chain(request(opening(state), 'initialize', { subtype: 'initialize', hooks: hooksFor(state) }), askContext);
}

/**
 * The caller's own `initialize`, with our hooks merged in: claude takes only the first, or lets the last replace it.
 */
export function mergeInitialize(state: GovernorState, request: Fields, requestId: string): Step {
  const hooks = { ...fieldsOf(request.hooks) };
  for (const [name, own] of Object.entries(hooksFor(state))) {
    hooks[name] = [...listOf(hooks[name]), ...listOf(own)];
  }
  const line = controlLine(requestId, { ...request, hooks });
  return chain({ state: opening(state), actions: [{ kind: 'send', line }] }, askContext);
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Asks claude for window and context. `summary` makes no API call. */
export function askContext(state: GovernorState): Step {
  return request(state, 'context', { subtype: 'get_context_usage', detail: 'summary' });
}

/** Ends a background task, as claude itself does when its input is at its end. */
export function stopTask(taskId: string): (state: GovernorState) => Step {
  return (state) => request(state, 'stop-task', { subtype: 'stop_task', task_id: taskId });
}

export function sendInterrupt(state: GovernorState): Step {
  return request(state, 'interrupt', { subtype: 'interrupt' });
}

/** Whether an answer is to a request of ours. */
export function isOwnRequest(state: GovernorState, requestId: string): boolean {
  return Object.hasOwn(state.control.pending, requestId);
}

/** claude's answer to a request of ours. */
export function onOwnResponse(state: GovernorState, event: ControlResponseEvent): Step {
  const purpose = state.control.pending[event.requestId];
  const { [event.requestId]: _, ...pending } = state.control.pending;
  const answered = { ...state, control: { ...state.control, pending } };
  if (purpose === 'context') return onContext(answered, event);
  return purpose === 'trigger' ? onTrigger(answered, event.ok) : keep(answered);
}

/** Only what claude confirms is said to be placed: some versions do not answer at all. */
function onTrigger(state: GovernorState, moved: boolean): Step {
  if (!moved) {
    const refused: GovernorState = { ...state, trigger: 'off' };
    return keep(refused, [{ kind: 'trigger-refused', ...decided(refused, 'this claude cannot move its trigger') }]);
  }
  const { trigger, gauge } = state;
  if (typeof trigger !== 'number') return keep(state);
  const reason = `a window of ${gauge.window.tokens} tokens is known`;
  return keep(state, [{ kind: 'place-trigger', ...decided(state, reason), tokens: trigger }]);
}

/** Prompts may go: the context is known, or claude does not tell. */
export function finishOpening(state: GovernorState): Step {
  if (state.control.phase !== 'opening') return keep(state);
  return keep({ ...state, control: { ...state.control, phase: 'open' } }, [{ kind: 'clear-timer', timer: 'context' }]);
}

/** Places claude's own trigger as soon as the window is known, and again when the window changes. */
export function placeTrigger(state: GovernorState): Step {
  const { gauge, trigger, run, control } = state;
  if (trigger === 'off' || control.phase === 'closed' || !isKnown(gauge.window)) return keep(state);
  const place = nativeTrigger(run.policy, gauge.window.tokens);
  if (place === undefined || place.at === trigger) return keep(state);
  const env = { CLAUDE_CODE_AUTO_COMPACT_WINDOW: String(place.setting) };
  return request({ ...state, trigger: place.at }, 'trigger', { subtype: 'apply_flag_settings', settings: { env } });
}

/** Only a session that goes on has a context to be known before the first prompt. */
function opening(state: GovernorState): GovernorState {
  return { ...state, control: { ...state.control, phase: state.run.resumes ? 'opening' : 'open' } };
}

function onContext(state: GovernorState, event: ControlResponseEvent): Step {
  if (!event.ok) return finishOpening(state);
  // The caller's settings decide about claude's own compaction: then its trigger is left alone.
  const { response } = event;
  const tokens = countOf(response.rawMaxTokens) ?? 0;
  const total = countOf(response.totalTokens) ?? 0;
  // With a trigger of its own, whoever placed it, claude reports that in the window's place.
  const placed = response.autocompactSource !== undefined && response.autocompactSource !== 'auto';
  // Below our own setting it can only be the model's true window, which caps it.
  const isOurs = typeof state.trigger === 'number' && tokens >= state.trigger + NATIVE_RESERVE_TOKENS;
  const hidesWindow = placed && (typeof state.trigger !== 'number' || isOurs);
  const window = hidesWindow ? state.gauge.window : learnWindow(state.gauge.window, tokens, 'asked');
  // Measured figures of this process are better than the answer, which between calls is an estimate of claude's.
  const gauge = state.gauge.basis === 'measured' ? state.gauge : takeReading(state.gauge, total, 'asked');
  const callers = response.isAutoCompactEnabled === false || (placed && state.trigger === 'unplaced');
  const trigger = callers ? 'off' : state.trigger;
  return finishOpening({ ...state, gauge: { ...gauge, window }, trigger });
}

function request(state: GovernorState, purpose: ControlPurpose, body: Fields): Step {
  const id = `${OWN_PREFIX}${state.run.runId.slice(0, 8)}:${state.control.sent + 1}`;
  const control = {
    ...state.control,
    sent: state.control.sent + 1,
    pending: { ...state.control.pending, [id]: purpose },
  };
  const actions: Action[] = [{ kind: 'send', line: controlLine(id, body) }];
  if (purpose === 'context' && control.phase === 'opening') {
    actions.push({ kind: 'set-timer', timer: 'context', afterMs: CONTEXT_PATIENCE_MS });
  }
  return keep({ ...state, control }, actions);
}

function controlLine(requestId: string, request: Fields): string {
  return JSON.stringify({ type: 'control_request', request_id: requestId, request });
}
