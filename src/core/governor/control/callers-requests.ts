import type { ControlRequestEvent, ControlResponseEvent, Event, ModeEvent } from '../../protocol/events.ts';
import { type Fields, fieldsOf, listOf, parseFields, stringOf, textOf } from '../../protocol/fields.ts';
import { controlLine, request } from '../prompts/own-lines.ts';
import type { GovernorState } from '../state.ts';
import { changedIn, emit, type Line } from '../steps.ts';
import { mergeInitialize, openControl } from './control.ts';

/** Stores a request from the caller, because claude's process may end before it answers. */
export function recordRequest(state: GovernorState, event: ControlRequestEvent): GovernorState {
  return changedIn(state, 'control', { requests: [...state.process.control.requests, event] });
}

/** The type of the caller's line with new credentials. */
const CREDENTIALS = 'update_environment_variables';

/** Keeps credentials that the caller renews while claude runs, because a new process starts with the first ones. */
export function recordCredentials(state: GovernorState, event: Event, line: string): GovernorState {
  if (event.kind !== 'unknown' || event.name !== CREDENTIALS) return state;
  const credentials = { ...state.process.control.credentials, ...fieldsOf(parseFields(line).variables) };
  return changedIn(state, 'control', { credentials });
}

function giveCredentials(state: GovernorState): GovernorState {
  const { credentials: variables } = state.process.control;
  if (Object.keys(variables).length === 0) return state;
  return emit(state, { kind: 'send', line: JSON.stringify({ type: CREDENTIALS, variables }) });
}

/** Keeps a request only if it succeeded and set something, so that a new process gets it. */
export function recordResponse(state: GovernorState, { event }: Line<ControlResponseEvent>): GovernorState {
  const { requests } = state.process.control;
  const answered = requests.find(({ requestId }) => requestId === event.requestId);
  if (answered === undefined) return state;
  const others = changedIn(state, 'control', { requests: requests.filter((one) => one !== answered) });
  const { status, cwd } = event.response;
  if (answered.subtype === 'set_cwd' && status === 'ok') return moveTo(others, textOf(cwd));
  if (!event.ok) return others;
  // claude ends now, with code 1 if a turn runs.
  if (answered.subtype === 'end_session') return changedIn(others, 'mailbox', { input: 'closed' });
  return keepSetting(others, answered.request);
}

/** The session works in another folder, where relative paths of the notes mean nothing. */
function moveTo(state: GovernorState, folder: string | undefined): GovernorState {
  const { run, session } = state;
  const inProject = (path: string) => (/^(?:\/|$)/.test(path) ? path : `${run.project}/${path}`);
  const notes = session.notes && inProject(session.notes);
  return changedIn(changedIn(state, 'session', { folder, notes }), 'run', { contextDir: inProject(run.contextDir) });
}

/** Keeps claude's permission mode. The caller can also change it by its answer to a question of claude's. */
export function recordMode(state: GovernorState, { event }: Line<ModeEvent>): GovernorState {
  return keepSetting(state, { subtype: 'set_permission_mode', mode: event.permissionMode });
}

/**
 * Keeps the permissions that the caller sets for the session when it, or its hook, allows a tool. claude forgets them at
 * its end. It ignores the answer to a question that it has canceled. A denial can also stop the turn.
 */
export function recordPermissions(state: GovernorState, { requestId, response }: ControlResponseEvent): GovernorState {
  if (!state.process.control.questions.includes(requestId)) return state;
  const { hookEventName, decision } = fieldsOf(response.hookSpecificOutput);
  const answer = fieldsOf(hookEventName === 'PermissionRequest' ? decision : response);
  const { behavior, updatedPermissions, interrupt } = answer;
  if (behavior === 'deny' && interrupt) return changedIn(state, 'turn', { isDenied: true });
  const updates = listOf(updatedPermissions).map(fieldsOf).filter(isForSession);
  return behavior === 'allow' && updates.length > 0 ? updatePermissions(state, updates) : state;
}

function isForSession({ destination, type }: Fields): boolean {
  return destination === 'session' && type !== 'setMode';
}

/** Gives a process that received the permissions as settings new ones if the caller has removed some. */
function updatePermissions(before: GovernorState, updates: readonly Fields[]): GovernorState {
  const { hasGivenPermissions, permissions } = before.process.control;
  const state = changedIn(before, 'control', { permissions: updates.reduce(withUpdate, permissions) });
  const hasRemovals = Object.entries(permissions).some(([name, entries]) => {
    const left = listOf(state.process.control.permissions[name]);
    return listOf(entries).some((entry) => !left.includes(entry));
  });
  return hasGivenPermissions && hasRemovals ? givePermissions(state) : state;
}

/** Stores a request that set something. It replaces an earlier one with the same name. */
function keepSetting(state: GovernorState, setting: Fields): GovernorState {
  const key = keyOf(setting);
  if (key === undefined) return state;
  const others = state.process.control.settings.filter((one) => keyOf(one) !== key);
  return changedIn(state, 'control', { settings: [...others, setting] });
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
  const { subtype, serverName, askForTools, directory, add_plugins } = setting;
  if (add_plugins === undefined && !SETTERS.includes(subtype)) return undefined;
  const settings = fieldsOf(setting.settings);
  const names = Object.keys({ ...settings, ...fieldsOf(settings.env) }).sort();
  return JSON.stringify([subtype, serverName, askForTools, directory, add_plugins, names]);
}

/** Opens the channel of the run's first process, and gives it the permissions of the run that this one resumes. */
export function openFirstControl(state: GovernorState): GovernorState {
  return givePermissions(openControl(state));
}

/**
 * Opens the channel of a replacement process, and repeats the caller's requests. `initialize` comes first, each time
 * with ctxb's hooks, because the last one replaces the earlier ones.
 */
export function reopenControl(before: GovernorState): GovernorState {
  const state = giveCredentials(before);
  const { requests } = state.process.control;
  const isOpening = requests.some(isInitialize);
  const opened = requests.filter(isInitialize).reduce(repeatRequest, isOpening ? state : openControl(state));
  return requests.filter((one) => !isInitialize(one)).reduce(repeatRequest, giveSettings(opened));
}

/** Gives a process what the caller has set in earlier ones. */
function giveSettings(state: GovernorState): GovernorState {
  const { settings } = state.process.control;
  return givePermissions(settings.reduce((next, body) => request(next, 'setting', body), state));
}

/** Gives claude the permissions that the caller has set for the session, if any. */
export function givePermissions(state: GovernorState): GovernorState {
  if (Object.keys(state.process.control.permissions).length === 0) return state;
  const body = { subtype: 'apply_flag_settings', settings: { permissions: permissionsToGive(state) } };
  return request(changedIn(state, 'control', { hasGivenPermissions: true }), 'setting', body);
}

/** The permissions of the session, with those of the caller's latest request, which claude would otherwise drop. */
export function permissionsToGive({ process: { control } }: GovernorState): Fields {
  const latest = fieldsOf(control.settings.findLast(setsPermissions));
  return fieldsOf(fieldsOf(addPermissions(latest, control.permissions).settings).permissions);
}

function isInitialize({ subtype }: ControlRequestEvent): boolean {
  return subtype === 'initialize';
}

function repeatRequest(state: GovernorState, one: ControlRequestEvent): GovernorState {
  const { requestId, request } = one;
  if (isInitialize(one)) return mergeInitialize(state, request, requestId);
  return emit(state, { kind: 'send', line: controlLine(requestId, keepingPermissions(state, request)) });
}

function setsPermissions({ settings }: Fields): boolean {
  return fieldsOf(settings).permissions !== undefined;
}

/** Adds permissions to those of a request. An update in the session replaces or removes only those of the session. */
function addPermissions(request: Fields, added: Fields): Fields {
  const settings = fieldsOf(request.settings);
  const permissions: Record<string, unknown> = { ...fieldsOf(settings.permissions) };
  for (const [name, value] of Object.entries(added))
    permissions[name] = Array.isArray(value) ? union(permissions[name], value) : value;
  return { ...request, settings: { ...settings, permissions } };
}

function union(...lists: readonly unknown[]): readonly unknown[] {
  return [...new Set(lists.flatMap(listOf))];
}

/**
 * The caller's request for a process that received the session's permissions as settings. Adds these permissions,
 * because claude drops them if the request sets others.
 */
export function keepingPermissions({ process: { control } }: GovernorState, request: Fields): Fields {
  if (!control.hasGivenPermissions || !setsPermissions(request)) return request;
  return addPermissions(request, control.permissions);
}

/** Updates the lists of permissions. */
function withUpdate(lists: Fields, { type, behavior, rules, directories }: Fields): Fields {
  const name = stringOf(behavior ?? 'additionalDirectories');
  const entries = listOf(rules ?? directories).map(writtenEntry);
  const others = listOf(lists[name]).filter((one) => type !== 'replaceRules' && !entries.includes(one));
  return { ...lists, [name]: stringOf(type).startsWith('remove') ? others : union(others, entries) };
}

/** A directory or a rule as claude writes it in settings. */
function writtenEntry(entry: unknown): unknown {
  const { toolName = entry, ruleContent } = fieldsOf(entry);
  const content = stringOf(ruleContent).replace(/[\\()]/g, '\\$&');
  return content === '' ? toolName : `${toolName}(${content})`;
}
