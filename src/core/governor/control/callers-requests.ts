import type { ControlRequestEvent, ControlResponseEvent, ModeEvent } from '../../protocol/events.ts';
import { type Fields, fieldsOf, listOf, stringOf, textOf } from '../../protocol/fields.ts';
import { controlLine, request } from '../prompts/own-lines.ts';
import type { GovernorState } from '../state.ts';
import { changedIn, emit, type Line } from '../steps.ts';
import { mergeInitialize, openControl } from './control.ts';

/** Number of settings that are kept. Unanswered requests are all kept. */
const MAX_SETTINGS = 200;

/** Stores a request from the caller, because claude's process may end before it answers. */
export function recordRequest(state: GovernorState, event: ControlRequestEvent): GovernorState {
  return changedIn(state, 'control', { requests: [...state.process.control.requests, event] });
}

/** Keeps a request only if it succeeded and set something, so that a new process gets it. */
export function recordResponse(state: GovernorState, { event }: Line<ControlResponseEvent>): GovernorState {
  const { requests } = state.process.control;
  const answered = requests.find(({ requestId }) => requestId === event.requestId);
  if (answered === undefined) return state;
  const others = changedIn(state, 'control', { requests: requests.filter((one) => one !== answered) });
  const { status, cwd } = event.response;
  if (answered.subtype === 'set_cwd' && status === 'ok') return changedIn(others, 'session', { folder: textOf(cwd) });
  if (!event.ok) return others;
  // claude ends now, with code 1 if a turn runs.
  if (answered.subtype === 'end_session') return changedIn(others, 'mailbox', { input: 'closed' });
  return keepSetting(others, answered.request);
}

/** Keeps claude's permission mode. The caller can also change it by its answer to a question of claude's. */
export function recordMode(state: GovernorState, { event }: Line<ModeEvent>): GovernorState {
  return keepSetting(state, { subtype: 'set_permission_mode', mode: event.permissionMode });
}

/**
 * Keeps the permissions that the caller sets for the session when it, or its hook, allows a tool. claude forgets them at
 * its end. It ignores the answer to a question that it has canceled.
 */
export function recordPermissions(state: GovernorState, { requestId, response }: ControlResponseEvent): GovernorState {
  if (!state.process.control.questions.includes(requestId)) return state;
  const { hookEventName, decision } = fieldsOf(response.hookSpecificOutput);
  const { behavior, updatedPermissions } = fieldsOf(hookEventName === 'PermissionRequest' ? decision : response);
  return behavior === 'allow' ? listOf(updatedPermissions).map(fieldsOf).reduce(keepSetting, state) : state;
}

/** Keeps what has set something, in place of an earlier setting with the same name. */
function keepSetting(state: GovernorState, setting: Fields): GovernorState {
  const key = keyOf(setting);
  if (key === undefined) return state;
  const others = state.process.control.settings.filter((one) => keyOf(one) !== key);
  return changedIn(state, 'control', { settings: [...others, setting].slice(-MAX_SETTINGS) });
}

/** Requests that set something for the life of claude's process. */
const SETTERS: readonly unknown[] = [
  ...['apply_flag_settings', 'mcp_set_servers', 'mcp_toggle', 'register_repo_root', 'set_max_thinking_tokens'],
  ...['set_mcp_permission_mode_override', 'set_model', 'set_permission_mode'],
];

/**
 * Names a setting that lasts as long as claude's process; undefined for other requests. A later one with the same name
 * replaces it. claude replaces each of its settings as a whole, but merges the variables of `env`.
 */
function keyOf(setting: Fields): string | undefined {
  if (isPermission(setting)) return JSON.stringify(setting);
  const { subtype, serverName, askForTools, directory, add_plugins } = setting;
  if (add_plugins === undefined && !SETTERS.includes(subtype)) return undefined;
  const settings = fieldsOf(setting.settings);
  const names = Object.keys({ ...settings, ...fieldsOf(settings.env) }).sort();
  return JSON.stringify([subtype, serverName, askForTools, directory, add_plugins, names]);
}

function isPermission({ destination }: Fields): boolean {
  return destination === 'session';
}

/**
 * Opens the channel of a replacement process, and repeats the caller's requests. `initialize` comes first, each time
 * with ctxb's hooks, because the last one replaces the earlier ones.
 */
export function reopenControl(state: GovernorState): GovernorState {
  const { requests, settings } = state.process.control;
  const isOpening = requests.some(isInitialize);
  const opened = requests.filter(isInitialize).reduce(repeatRequest, isOpening ? state : openControl(state));
  const set = withPermissions(settings).reduce((next, body) => request(next, 'setting', body), opened);
  const hasGivenPermissions = settings.some(isPermission);
  const given = changedIn(set, 'control', { hasGivenPermissions });
  return requests.filter((one) => !isInitialize(one)).reduce(repeatRequest, given);
}

function isInitialize({ subtype }: ControlRequestEvent): boolean {
  return subtype === 'initialize';
}

function repeatRequest(state: GovernorState, one: ControlRequestEvent): GovernorState {
  const { requestId, request } = one;
  if (isInitialize(one)) return mergeInitialize(state, request, requestId);
  return emit(state, { kind: 'send', line: controlLine(requestId, keepingPermissions(state, request)) });
}

/** The settings, with one request for all permissions: those of the session, and of the request that it replaces. */
function withPermissions(settings: readonly Fields[]): readonly Fields[] {
  const updates = settings.filter(isPermission);
  if (updates.length === 0) return settings;
  const others = settings.filter((one) => !isPermission(one));
  const latest = others.findLast(setsPermissions) ?? { subtype: 'apply_flag_settings', settings: {} };
  const { permissions } = fieldsOf(addUpdates(latest, updates).settings);
  return [...others, { subtype: 'apply_flag_settings', settings: { permissions } }];
}

function setsPermissions({ settings }: Fields): boolean {
  return fieldsOf(settings).permissions !== undefined;
}

/** Adds the rules of the session to those of a request. An update replaces or removes only rules of the session. */
function addUpdates(request: Fields, updates: readonly Fields[]): Fields {
  const settings = fieldsOf(request.settings);
  const permissions: Record<string, unknown> = { ...fieldsOf(settings.permissions) };
  for (const [name, entries] of Object.entries(updates.reduce(withUpdate, {}))) {
    permissions[name] = [...listOf(permissions[name]), ...listOf(entries)];
  }
  return { ...request, settings: { ...settings, permissions } };
}

/**
 * The caller's request for a process that has got the session's permissions as settings: claude would drop these if the
 * request sets others.
 */
export function keepingPermissions({ process: { control } }: GovernorState, request: Fields): Fields {
  if (!control.hasGivenPermissions || !setsPermissions(request)) return request;
  return addUpdates(request, control.settings.filter(isPermission));
}

/** Updates the lists of claude's settings. A change of the mode changes no list. */
function withUpdate(lists: Fields, { type, behavior, rules, directories }: Fields): Fields {
  const name = stringOf(behavior ?? 'additionalDirectories');
  const entries = listOf(rules ?? directories).map(writtenEntry);
  const others = listOf(lists[name]).filter((one) => type !== 'replaceRules' && !entries.includes(one));
  return { ...lists, [name]: stringOf(type).startsWith('remove') ? others : [...others, ...entries] };
}

/** A directory or a rule as claude writes it in settings. */
function writtenEntry(entry: unknown): unknown {
  const { toolName = entry, ruleContent } = fieldsOf(entry);
  const content = stringOf(ruleContent).replace(/[\\()]/g, '\\$&');
  return content === '' ? toolName : `${toolName}(${content})`;
}
