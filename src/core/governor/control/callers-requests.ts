import type { ControlRequestEvent, ControlResponseEvent, ModeEvent } from '../../protocol/events.ts';
import { fieldsOf } from '../../protocol/fields.ts';
import { controlLine, request } from '../prompts/own-lines.ts';
import type { CallersRequest, GovernorState } from '../state.ts';
import { changedIn, emit, type Line } from '../steps.ts';
import { mergeInitialize, openControl } from './control.ts';

/**
 * Names the settings that a request changes. claude merges settings, so a request replaces only one with the same
 * paths.
 */
function pathsIn(settings: unknown, path = ''): string {
  const entries = Object.entries(fieldsOf(settings));
  if (entries.length === 0) return JSON.stringify(path);
  return entries
    .map(([key, value]) => pathsIn(value, `${path}/${key}`))
    .sort()
    .join();
}

/** Number of answered settings that are kept. Unanswered requests are all kept. */
const MAX_REQUESTS = 64;

/** Stores a request from the caller, because claude's process may end before it answers. */
export function recordRequest(state: GovernorState, { requestId: id, request }: ControlRequestEvent): GovernorState {
  const entry = { id, request, answered: false };
  return changedIn(state, 'control', { requests: [...state.process.control.requests, entry] });
}

/** Keeps a request only if it succeeded and set something, so that a new process gets it. */
export function recordResponse(state: GovernorState, { event }: Line<ControlResponseEvent>): GovernorState {
  const { requestId, ok } = event;
  const { requests } = state.process.control;
  const answered = requests.find((one) => one.id === requestId && !one.answered);
  if (answered === undefined) return state;
  const others = changedIn(state, 'control', { requests: requests.filter((one) => one !== answered) });
  return ok ? keepSetting(others, answered) : others;
}

/** Keeps claude's permission mode. The caller can also change it by its answer to a question of claude's. */
export function recordMode(state: GovernorState, { event }: Line<ModeEvent>): GovernorState {
  return keepSetting(state, { id: '', request: { subtype: 'set_permission_mode', mode: event.permissionMode } });
}

/** Keeps a request that has set something, in place of an earlier one with the same name. */
function keepSetting(state: GovernorState, entry: Omit<CallersRequest, 'answered'>): GovernorState {
  const key = keyOf(entry);
  if (key === undefined) return state;
  const others = state.process.control.requests.filter((one) => !(one.answered && keyOf(one) === key));
  const oldest = others.filter((one) => one.answered).at(-MAX_REQUESTS);
  const remaining = others.filter((one) => one !== oldest);
  return changedIn(state, 'control', { requests: [...remaining, { ...entry, answered: true }] });
}

/**
 * Names what a request sets for the life of claude's process. A later request with the same name replaces it. undefined
 * for a request that sets nothing.
 */
function keyOf({ request }: Pick<CallersRequest, 'request'>): string | undefined {
  const { subtype, settings, serverName } = request;
  switch (subtype) {
    case 'apply_flag_settings':
      return `${subtype} ${pathsIn(settings)}`;
    case 'mcp_toggle':
      return `${subtype} ${serverName}`;
    case 'register_repo_root':
    case 'set_mcp_permission_mode_override':
      return JSON.stringify(request);
    case 'reload_plugins':
      return request.add_plugins === undefined ? undefined : JSON.stringify(request);
    case 'mcp_set_servers':
    case 'set_max_thinking_tokens':
    case 'set_model':
    case 'set_permission_mode':
      return subtype;
    default:
      return undefined;
  }
}

/**
 * Opens the channel of a replacement process, and repeats the caller's requests. `initialize` comes first, each time
 * with ctxb's hooks, because the last one replaces the earlier ones.
 */
export function reopenControl(state: GovernorState): GovernorState {
  const { requests } = state.process.control;
  const initializes = requests.filter(isInitialize);
  const opened = initializes.length > 0 ? state : openControl(state);
  const others = requests.filter((one) => !isInitialize(one));
  return [...initializes, ...others].reduce(repeatRequest, opened);
}

function isInitialize({ request }: CallersRequest): boolean {
  return request.subtype === 'initialize';
}

function repeatRequest(state: GovernorState, one: CallersRequest): GovernorState {
  const { id, request: body, answered } = one;
  if (isInitialize(one)) return mergeInitialize(state, body, id);
  return answered ? request(state, 'setting', body) : emit(state, { kind: 'send', line: controlLine(id, body) });
}
