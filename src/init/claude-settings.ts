import { CALLS_CTXB } from '../claude/ctxb-hooks.ts';
import { type Fields, fieldsOf, isFields, jsonText, textOf } from '../core/protocol/fields.ts';
import { CtxbError } from '../errors.ts';
import { HOOK_EVENTS } from '../hook/hook-events.ts';
import { readSettingsText, type SettingsFile } from './settings-file.ts';

export interface Change {
  /** Empty: no file. */
  readonly before: string;
  readonly after: string;
  readonly remarks: readonly string[];
  make(): void;
}

export interface Wishes {
  readonly program: string;
  readonly force: boolean;
}

/** @throws CtxbError `config` where the file is not a JSON object */
export function addition(path: string, file: SettingsFile, { program, force }: Wishes): Change {
  const { settings, write } = readSettingsText(path, file.text);
  const { settings: changed, otherStatusLine } = withOurEntries(settings, program, force);
  const before = file.text ?? '';
  const after = JSON.stringify(changed) === JSON.stringify(settings) ? before : write(changed);
  const left = `the status line there stays (${otherStatusLine}): with --force ours takes its place`;
  return {
    before,
    after,
    remarks: otherStatusLine === undefined ? [] : [left],
    make() {
      const others = withoutOursIn(path, file);
      if (others !== '') file.keep(others);
      file.write(after);
    },
  };
}

/** Restores the backup where nobody has changed the file since; otherwise removes our entries from it. */
export function removal(path: string, file: SettingsFile, { program }: Pick<Wishes, 'program'>): Change {
  const before = file.text ?? '';
  const after = file.backup !== undefined && isUnchanged(path, file, program) ? file.backup : withoutOursIn(path, file);
  return {
    before,
    after,
    remarks: [],
    make() {
      file.write(after);
      file.forget();
    },
  };
}

function isUnchanged(path: string, { text, backup }: SettingsFile, program: string): boolean {
  const { settings, write } = readSettingsText(path, backup);
  return [true, false].some((force) => write(withOurEntries(settings, program, force).settings) === text);
}

/** Restores the status line that ours replaced. Empty: there is nothing but ours. */
function withoutOursIn(path: string, { text, backup }: SettingsFile): string {
  const { settings, write } = readSettingsText(path, text);
  const left = withoutOurEntries(settings);
  const { statusLine } = readSettingsText(path, backup).settings;
  const isTaken = 'statusLine' in settings && !('statusLine' in left) && statusLine !== undefined;
  const after = isTaken ? { ...left, statusLine } : left;
  if (JSON.stringify(after) === JSON.stringify(settings)) return text ?? '';
  return backup === undefined && Object.keys(after).length === 0 ? '' : write(after);
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
export function withOurEntries(settings: Fields, program: string, force: boolean) {
  const { statusLine } = settings;
  const keepsOther = statusLine !== undefined && !isOurs(statusLine) && !force;
  const style = isOurs(statusLine) ? fieldsOf(statusLine) : {};
  const ours = { statusLine: { ...style, type: 'command', command: `${program} statusline` } };
  return {
    settings: { ...settings, ...(keepsOther ? {} : ours), hooks: withOurHooks(hooksIn(settings), program) },
    /** The command of another status line that was left in place. */
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
