import { plainText } from '../../protocol/blocks.ts';
import type { Event } from '../../protocol/events.ts';
import { replyForCaller } from '../control/questions.ts';
import { isAnswer, isMainMessage } from '../facts.ts';
import { isFailedResume } from '../process/process.ts';
import { hasCtxbUuid, isOwnRequest, isOwnUuid, OWN_PREFIX } from '../prompts/own-lines.ts';
import { withoutWakeup } from '../prompts/tasks.ts';
import { isRepeat, mayComeFromMod } from '../relief/exact.ts';
import { canRelieveExhausted, isContextExhausted, isStoppedTurn } from '../relief/exhaustion.ts';
import type { GovernorState } from '../state.ts';
import { isAnsweringUs } from '../steps.ts';
import { planFor } from '../waits/wait.ts';
import { isResumedInterrupt } from './spending.ts';

/**
 * How the caller gets a line from claude.
 * - `buffer`: a later line shows whether ctxb or claude started the turn.
 * - `defer`: the caller gets it only if ctxb cannot recover from the error in it.
 */
export type Visibility = 'show' | 'hide' | 'buffer' | 'defer';

export function visibilityOf(state: GovernorState, event: Event): Visibility {
  if (isOwnTraffic(state, event)) return 'hide';
  if (state.run.showInjected) return 'show';
  if (isStoppedTurn(state, event)) return 'hide';
  if (isRepeat(state, event) || (mayComeFromMod(state) && isKnown(event, MOD_EVENTS))) return 'hide';
  if (isInjectedTurn(state)) return visibilityInInjectedTurn(state, event);
  return isRecoverable(state, event) ? 'defer' : 'show';
}

/** Whether a line reports an error from which ctxb recovers. The caller does not get it as an answer. */
export function isRecoverable(state: GovernorState, event: Event): boolean {
  return (
    isFailedResume(state, event) ||
    isStoppedTurn(state, event) ||
    isResumedInterrupt(state, event) ||
    reportsRepeatedFailure(state, event) ||
    (reportsFullContext(state, event) && canRelieveExhausted(state))
  );
}

function visibilityInInjectedTurn(state: GovernorState, event: Event): Visibility {
  // Hides the empty list of background tasks that claude writes for a fresh context.
  if (isKnown(event, TASKS_CHANGED)) return withoutWakeup(state.work.tasks).length === 0 ? 'hide' : 'show';
  // Only the result shows whether ctxb or claude started the turn.
  if (isAnsweringUs(state)) return belongsToTurn(event) || isAmbiguous(event) ? 'buffer' : 'show';
  if ('turn' in state.operation && state.operation.turn === 'running') return belongsToTurn(event) ? 'hide' : 'show';
  if (startsForeignTurn(state, event) || !belongsToTurn(event)) return 'show';
  return isAmbiguous(event) ? 'buffer' : 'hide';
}

/** Whether a line reports a full context. The caller gets it only if no relief helps. */
function reportsFullContext(state: GovernorState, event: Event): boolean {
  if (event.kind === 'result') return isContextExhausted(state, event);
  return (
    event.kind === 'assistant' &&
    event.subagent === null &&
    event.isSynthetic &&
    /^prompt is too long/i.test(plainText(event.blocks))
  );
}

function reportsRepeatedFailure(state: GovernorState, event: Event): boolean {
  const isAnswered = event.kind === 'result' || (event.kind === 'assistant' && event.subagent === null);
  return isAnswered && planFor(state, event) !== undefined;
}

/**
 * Whether a line can belong to a turn that ctxb injected: ctxb has sent the command, and claude runs no turn of its
 * own.
 */
export function isInjectedTurn({ operation, process, turn }: GovernorState): boolean {
  if ('turn' in operation) return operation.turn === 'running' || turn.phase === 'idle';
  return process.isStillCompacting && turn.phase !== 'running';
}

/** Whether claude has started a turn itself: the model answers before ctxb's command has an effect. */
export function startsForeignTurn(state: GovernorState, event: Event): boolean {
  if (event.kind === 'result') return event.fromBackgroundTask;
  if (isAnsweringUs(state)) return false;
  if (event.kind === 'partial') return event.subagent === null;
  return isAnswer(event) || isMainMessage(event, 'tool-result') || isMainMessage(event, 'prompt');
}

function isOwnTraffic(state: GovernorState, event: Event): boolean {
  const { callbacks } = state.process.control;
  if (event.kind === 'control-request')
    return event.callbackId?.startsWith(OWN_PREFIX) || replyForCaller(state, event) !== undefined;
  if (event.kind === 'control-response')
    return isOwnRequest(state, event.requestId) || callbacks.includes(event.requestId);
  if (event.kind === 'control-cancel') return callbacks.includes(event.requestId);
  if (event.kind === 'lifecycle') return hasCtxbUuid(state, event.lineUuid);
  return event.kind === 'user' && event.isReplay && isOwnUuid(state, event.uuid);
}

/** Whether a line belongs to the main conversation, not to background tasks or the control channel. */
function belongsToTurn(event: Event): boolean {
  if (event.kind === 'result') return !event.fromBackgroundTask;
  if (event.kind === 'known') return event.name.startsWith('system/hook_');
  return 'subagent' in event ? event.subagent === null : TURN_EVENTS.includes(event.kind);
}

const TURN_EVENTS: readonly Event['kind'][] = ['init', 'compact-status', 'boundary', 'reset', 'api-retry'];

/** Lines that claude writes when it loads the mod. */
const MOD_EVENTS = ['system/ui_invalidate', 'system/commands_changed'];
const TASKS_CHANGED = ['system/background_tasks_changed'];

function isKnown(event: Event, names: readonly string[]): boolean {
  return event.kind === 'known' && names.includes(event.name);
}

function isAmbiguous(event: Event): boolean {
  return event.kind === 'init' || event.kind === 'known' || event.kind === 'api-retry';
}
