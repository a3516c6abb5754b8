import type { Event } from '../stream/events.ts';
import { isOwnOrStamped, isOwnUuid } from './compaction.ts';
import { isOwnRequest, OWN_PREFIX } from './control.ts';
import type { GovernorState } from './state.ts';

/**
 * What becomes of a line of claude's on its way to the caller. `withhold`: it may belong to the injected turn or to
 * one that claude started itself; the next line will tell.
 */
export type Fate = 'show' | 'hide' | 'withhold';

/** Decided before the line changes the state. */
export function fateOf(state: GovernorState, event: Event): Fate {
  if (isOwnTraffic(state, event)) return 'hide';
  if (state.run.showInjected || !isInjectedTurn(state)) return 'show';
  if (state.compaction.phase === 'running') return speaksOfTurn(event) ? 'hide' : 'show';
  if (startsForeignTurn(event) || !speaksOfTurn(event)) return 'show';
  return isAmbiguous(event) ? 'withhold' : 'hide';
}

/**
 * Whether the lines that come now can be those of a turn that ctxb injected: the command is out and no turn that
 * claude started by itself is under way.
 */
export function isInjectedTurn(state: GovernorState): boolean {
  const { compaction, turn } = state;
  if (compaction.phase === 'overdue') return turn.phase !== 'running';
  return compaction.phase === 'running' || (compaction.phase === 'asked' && turn.phase === 'idle');
}

/** An answer of the model between the command and its begin is a turn that claude started by itself. */
export function startsForeignTurn(event: Event): boolean {
  if (event.kind === 'result') return event.fromBackgroundTask;
  if (event.kind === 'assistant') return event.subagent === null && !event.synthetic;
  if (event.kind === 'partial') return event.subagent === null;
  return event.kind === 'user' && event.subagent === null && (event.role === 'tool-result' || event.role === 'prompt');
}

function isOwnTraffic(state: GovernorState, event: Event): boolean {
  switch (event.kind) {
    case 'control-response':
      return isOwnRequest(state, event.requestId) || state.control.callbacks.includes(event.requestId);
    case 'control-request':
      return event.callbackId?.startsWith(OWN_PREFIX) ?? false;
    case 'control-cancel':
      return state.control.callbacks.includes(event.requestId);
    case 'user':
      return event.replay && isOwnUuid(state, event.uuid);
    case 'lifecycle':
      return isOwnOrStamped(state, event.of);
    default:
      return false;
  }
}

/** Lines that belong to the main conversation, and not to background tasks or the control channel. */
function speaksOfTurn(event: Event): boolean {
  switch (event.kind) {
    case 'assistant':
    case 'user':
    case 'partial':
      return event.subagent === null;
    case 'result':
      return !event.fromBackgroundTask;
    case 'init':
    case 'compact-status':
    case 'boundary':
    case 'api-retry':
      return true;
    case 'known':
      return event.name.startsWith('system/hook_');
    default:
      return false;
  }
}

function isAmbiguous(event: Event): boolean {
  return event.kind === 'init' || event.kind === 'known' || event.kind === 'api-retry';
}
