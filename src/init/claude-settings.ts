import { CALLS_CTXB } from '../claude/ctxb-hooks.ts';
import { type Fields, fieldsOf, isFields, jsonText, textOf } from '../core/protocol/fields.ts';
import { CtxbError } from '../errors.ts';
import { HOOK_EVENTS } from '../hook/hook-input.ts';

export interface Installed {
  readonly settings: Fields;
  /** The command of another status line that was left in place. */
  readonly otherStatusLine: string | undefined;
}

/** Whether entries with these words are recognised as ours when they are updated or removed. */
export function isRecognised(program: string): boolean {
  return CALLS_CTXB.test(`${program} hook`);
}

/**
 * Adds our status line and our hooks to settings of Claude Code, and updates entries of ours. Everything else stays.
 *
 * @param program the words before `statusline` and `hook` that call ctxb
 * @param force replaces another status line
 * @throws CtxbError `config` where the hooks do not have the shape that claude expects
 */
export function withOurEntries(settings: Fields, program: string, force: boolean): Installed {
  const { statusLine } = settings;
  const keepsOther = statusLine !== undefined && !isOurs(statusLine) && !force;
  const style = isOurs(statusLine) ? fieldsOf(statusLine) : {};
  const ours = { statusLine: { ...style, type: 'command', command: `${program} statusline` } };
  return {
    settings: { ...settings, ...(keepsOther ? {} : ours), hooks: withOurHooks(hooksIn(settings), program) },
    otherStatusLine: keepsOther ? (textOf(fieldsOf(statusLine).command) ?? jsonText(statusLine)) : undefined,
  };
}

/** Removes our entries, and lists and groups that become empty. */
export function withoutOurEntries(settings: Fields): Fields {
  const entries = Object.entries(settings).flatMap(([name, value]): [string, unknown][] => {
    if (name === 'statusLine' && isOurs(value)) return [];
    if (name !== 'hooks' || !isFields(value)) return [[name, value]];
    const left = Object.entries(value).flatMap(([hook, list]): [string, unknown][] => {
      if (!Array.isArray(list)) return [[hook, list]];
      const others = list.flatMap(withoutOurs);
      return others.length === 0 && list.length > 0 ? [] : [[hook, others]];
    });
    return left.length === 0 && Object.keys(value).length > 0 ? [] : [[name, Object.fromEntries(left)]];
  });
  return Object.fromEntries(entries);
}

function withOurHooks(hooks: Fields, program: string): Fields {
  const added = Object.entries(HOOK_EVENTS).map(([name, matcher]): [string, unknown] => {
    const entry = { ...(matcher && { matcher }), hooks: [{ type: 'command', command: `${program} hook` }] };
    const list = entriesIn(hooks, name);
    const isThere = list.some((other) => jsonText(other) === jsonText(entry));
    return [name, isThere ? list : [...list.flatMap(withoutOurs), entry]];
  });
  return { ...hooks, ...Object.fromEntries(added) };
}

function hooksIn({ hooks }: Fields): Fields {
  if (hooks === undefined || isFields(hooks)) return fieldsOf(hooks);
  throw unknownShape('hooks: expected an object');
}

function entriesIn(hooks: Fields, name: string): readonly unknown[] {
  const list = Object.hasOwn(hooks, name) ? hooks[name] : [];
  if (Array.isArray(list)) return list;
  throw unknownShape(`hooks.${name}: expected a list`);
}

function unknownShape(what: string): CtxbError {
  return new CtxbError('config', `the settings have ${what}, found something else; correct it, nothing was changed`);
}

/** A matcher can have hooks of others beside ours. */
function withoutOurs(entry: unknown): unknown[] {
  const { hooks } = fieldsOf(entry);
  if (!Array.isArray(hooks) || !hooks.some(isOurs)) return [entry];
  const others = hooks.filter((hook) => !isOurs(hook));
  return others.length === 0 ? [] : [{ ...fieldsOf(entry), hooks: others }];
}

function isOurs(entry: unknown): boolean {
  return CALLS_CTXB.test(textOf(fieldsOf(entry).command)?.trim() ?? '');
}
