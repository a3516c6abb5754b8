import { ownOf, parseFields, stringOf, textsOf } from './fields.ts';
import { membersAt, withMembers } from './json-spans.ts';

export interface Traces {
  /** Whether ctxb assigned the `uuid` of a prompt. */
  readonly isStamped: (uuid: string) => boolean;
  /** claude runs with stream-json although the caller requested json. */
  readonly isStreamed: boolean;
  /** Names of ctxb's hooks. */
  readonly ownHooks: () => readonly string[];
  /** Whether ctxb registered every hook on the control channel. */
  readonly hasOnlyOwnHooks: () => boolean;
}

const STAMP_KEY = '"user_message_uuid';
/** Keys that 2.1.330 writes only with stream-json. */
const STREAM_ONLY = { usage: '"model_usage_since_last_result"', capability: '"lifecycle_wakeup_source_v1"' };

/** A key in the response to an `initialize` request with hooks, and its path. */
const HOOKS_KEY = '"hooks_applied"';
const HOOKS_APPLIED = ['response', 'response', 'hooks_applied'];

/** Texts that mark lines with traces. Any other line stays unchanged. */
export function traceMarks({ isStreamed }: Traces): readonly string[] {
  return [STAMP_KEY, HOOKS_KEY, CALLBACK_MARK, ...(isStreamed ? Object.values(STREAM_ONLY) : [])];
}

/** Additional keys that 2.1.330 writes only if the turn began with a prompt with an id. */
const FURTHER_STAMP_KEYS = /^(?:request_sent_wall_ms|first_request_\w+|owed_rows)$/;

/** Removes the traces of ctxb from a JSON line from claude and keeps every other byte. */
export function hideCtxbTraces(line: string, traces: Traces): string {
  if (!traceMarks(traces).some((mark) => line.includes(mark))) return line;
  const hasHooksApplied = line.includes(HOOKS_KEY) && traces.hasOnlyOwnHooks();
  const plain = withoutKeys(hasHooksApplied ? removeMember(line, HOOKS_APPLIED) : line, traces);
  return plain.includes(CALLBACK_MARK) ? withoutOwnHooks(plain, traces.ownHooks()) : plain;
}

function withoutKeys(line: string, { isStamped, isStreamed }: Traces): string {
  const { type, user_message_uuid: first, user_message_uuids: all } = parseFields(line);
  // claude assigns ids itself here, also to prompts without a `uuid`.
  if (type === 'conversation_reset') return line;
  const isBegun = isStamped(stringOf(first));
  const other = textsOf(all).find((uuid) => !isStamped(uuid));
  const changes: Readonly<Record<string, (value: string) => string | undefined>> = {
    user_message_uuid: (value) => (isBegun ? other && JSON.stringify(other) : value),
    user_message_uuids: (value) => arrayWithout(value, (uuid) => isStamped(uuid.slice(1, -1))),
    ...(isStreamed ? STREAM_KEY_CHANGES : {}),
  };
  return withMembers(line, (value, name) => {
    if (isBegun && FURTHER_STAMP_KEYS.test(name)) return undefined;
    const change = ownOf(changes, name);
    return change ? change(value) : value;
  });
}

const STREAM_KEY_CHANGES = {
  model_usage_since_last_result: () => undefined,
  capabilities: (value: string) => arrayWithout(value, (capability) => capability === STREAM_ONLY.capability),
};

/** An object without the member at this path of names. */
function removeMember(object: string, [first, ...deeper]: readonly string[]): string {
  return withMembers(object, (value, name) => {
    if (name !== first) return value;
    return deeper.length === 0 ? undefined : removeMember(value, deeper);
  });
}

/** An array without some values; undefined if no value remains. */
function arrayWithout(array: string, isTakenOut: (value: string) => boolean): string | undefined {
  const remaining = withMembers(array, (value) => (isTakenOut(value) ? undefined : value));
  return remaining !== array && membersAt(remaining, 0).length === 0 ? undefined : remaining;
}

/** claude's last line of a `/compact`, with the output of each hook. */
const REPORT = /("content":"<local-command-stdout>Compacted )((?:Pre|Post)Compact \[.*?)(<\/local-command-stdout>")/;

/** Each hook starts on a new line, which is escaped. */
const NEXT_HOOK = /\\n(?=(?:Pre|Post)Compact \[)/;

const CALLBACK_MARK = 'Compact [callback]';

/** Removes ctxb's hooks from the report of a `/compact`. They run last: the last callbacks of their names. */
function withoutOwnHooks(line: string, own: readonly string[]): string {
  return line.replace(REPORT, (_, before: string, hooks: string, after: string) => {
    const ran = hooks.split(NEXT_HOOK);
    const last = own.map((name) => ran.findLastIndex((hook) => hook.startsWith(`${name} [callback]`)));
    return before + ran.filter((_, index) => !last.includes(index)).join('\\n') + after;
  });
}
