import { existsSync } from 'node:fs';
import { SETTINGS_LIMIT, settingsPaths } from '../../claude/claude-folders.ts';
import { parseJson, SyntaxFault } from '../../config/parse-data.ts';
import { type Fields, fieldsOf, textOf } from '../../core/protocol/fields.ts';
import { messageOf } from '../../errors.ts';
import type { Io, Where } from '../../io.ts';
import { GivenFault, readGiven } from '../../store/files/given-file.ts';
import { type Remark, remark } from '../check.ts';

interface SettingsFile {
  readonly path: string;
  readonly settings: Fields;
}

interface SetSomewhere<T = unknown> {
  readonly value: T;
  readonly where: string;
}

type Variables = ReadonlyMap<string, SetSomewhere<string>>;

const MANAGED =
  process.platform === 'darwin'
    ? '/Library/Application Support/ClaudeCode/managed-settings.json'
    : '/etc/claude-code/managed-settings.json';

/** claude's settings for the folder, highest precedence last. A file that is not JSON causes a remark. */
export function readSettingsFiles(world: Where): { files: SettingsFile[]; remarks: Remark[] } {
  // In the home folder, the user's settings are also the project's.
  const places = new Set([...settingsPaths(world), MANAGED]);
  const files: SettingsFile[] = [];
  const remarks: Remark[] = [];
  for (const path of [...places].filter((place) => existsSync(place))) {
    try {
      files.push({ path, settings: fieldsOf(parseJson(readGiven(path, SETTINGS_LIMIT).toString('utf8'))) });
    } catch (error) {
      remarks.push(remark('warning', path, faultText(error), 'correct it'));
    }
  }
  return { files, remarks };
}

function faultText(error: unknown): string {
  if (error instanceof GivenFault) return `it was not read: ${error.message}`;
  return `claude cannot read it: ${error instanceof SyntaxFault ? `line ${error.line}: ` : ''}${messageOf(error)}`;
}

export function settingOf(files: readonly SettingsFile[], name: string): SetSomewhere | undefined {
  const file = files.findLast(({ settings }) => settings[name] !== undefined);
  return file && { value: file.settings[name], where: file.path };
}

/** Variables that claude sees: the user's environment, overridden by the variables in settings. */
export function variablesOf({ env }: Pick<Io, 'env'>, files: readonly SettingsFile[]): Variables {
  const variables = new Map<string, SetSomewhere<string>>();
  const add = (fields: Fields, where: string) => {
    for (const [name, value] of Object.entries(fields)) {
      const text = textOf(value);
      if (text !== undefined && text !== '') variables.set(name, { value: text, where });
    }
  };
  add(env, 'the environment');
  for (const { path, settings } of files) add(fieldsOf(settings.env), path);
  return variables;
}

interface Oddity {
  /** The effect on ctxb. */
  readonly text: string;
  readonly todo: string;
  readonly applies?: (value: unknown, where: string) => boolean;
}

const LEFT_ALONE = "claude's own trigger counts as yours: ctxb does not move it, so thresholds.midTurn has no effect";
const REMOVE_IT = 'remove it, and ctxb places the trigger';
const NO_COMPACTION = '/compact is refused: ctxb hands over to a fresh context at each threshold';
const NO_HOOKS = 'claude calls no hooks: ctxb hands nothing back after a compaction, and has no tool budgets';
const NO_OTHERS_HOOKS =
  "claude calls no hooks of its settings and runs no mods: compactions are claude's own summaries";

/** Variables that change what ctxb can do, each tried with claude 2.1.197 and 2.1.332. */
const VARIABLES: Readonly<Record<string, Oddity>> = {
  CLAUDE_CODE_AUTO_COMPACT_WINDOW: { text: LEFT_ALONE, todo: REMOVE_IT },
  CLAUDE_AUTOCOMPACT_PCT_OVERRIDE: { text: LEFT_ALONE, todo: REMOVE_IT },
  DISABLE_AUTO_COMPACT: { text: `it is switched off; ${LEFT_ALONE}`, todo: REMOVE_IT, applies: isOn },
  DISABLE_COMPACT: { text: NO_COMPACTION, todo: 'remove it', applies: isOn },
  CLAUDE_CODE_SIMPLE: { text: NO_HOOKS, todo: 'remove it', applies: isOn },
  CLAUDE_CODE_SKIP_PROMPT_HISTORY: {
    text: 'claude keeps no log of a session: ctxb cannot continue it after a crash',
    todo: 'remove it',
    applies: isOn,
  },
  ANTHROPIC_BASE_URL: {
    text: 'claude calls a server other than the API. If the server reports no usage, ctxb estimates the context from characters',
    todo: 'set the key window if claude does not report its size',
    applies: (value) => !/^https:\/\/api\.anthropic\.com\/?$/.test(String(value)),
  },
};

/** Settings of claude that change what ctxb can do. */
const SETTINGS: Readonly<Record<string, Oddity>> = {
  autoCompactEnabled: {
    text: `it is switched off; ${LEFT_ALONE}`,
    todo: REMOVE_IT,
    applies: (value) => value === false,
  },
  autoCompactWindow: { text: LEFT_ALONE, todo: REMOVE_IT },
  disableAllHooks: { text: NO_OTHERS_HOOKS, todo: 'remove it', applies: (value) => value === true },
  // In other files, the setting has no effect.
  allowManagedHooksOnly: {
    text: NO_OTHERS_HOOKS,
    todo: 'ask who manages it',
    applies: (value, where) => value === true && where === MANAGED,
  },
};

/** Remarks on settings and variables that restrict ctxb. */
export function checkOddSettings(files: readonly SettingsFile[], variables: Variables): Remark[] {
  const remarks = [
    ...remarksOn(VARIABLES, (name) => variables.get(name)),
    ...remarksOn(SETTINGS, (name) => settingOf(files, name)),
  ];
  if (remarks.length > 0) return remarks;
  return [remark('good', "claude's settings", 'they do not restrict ctxb')];
}

function remarksOn(
  oddities: Readonly<Record<string, Oddity>>,
  find: (name: string) => SetSomewhere | undefined,
): Remark[] {
  return Object.entries(oddities).flatMap(([name, { applies = () => true, text, todo }]) => {
    const set = find(name);
    if (set === undefined || !applies(set.value, set.where)) return [];
    return remark('warning', `${name} in ${set.where}`, text, todo);
  });
}

/** Whether the user has moved or disabled claude's own trigger. */
export function isTriggerTaken(files: readonly SettingsFile[], variables: Variables): boolean {
  return checkOddSettings(files, variables).some(({ text }) => text.endsWith(LEFT_ALONE));
}

/** Whether a switch is on, by claude's rules. */
function isOn(value: unknown): boolean {
  return ['1', 'true', 'yes', 'on'].includes(String(value).toLowerCase());
}
