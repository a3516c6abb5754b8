import { accessSync, constants, existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import manifest from '../../package.json' with { type: 'json' };
import { SETTINGS_LIMIT, settingsPaths } from '../claude/claude-folders.ts';
import type { Finding } from '../config/config.ts';
import { parseJson, SyntaxFault } from '../config/parse-data.ts';
import { readEnvironment } from '../config/read-environment.ts';
import { type ResolvedConfig, resolveConfig } from '../config/resolve-config.ts';
import { type Fields, fieldsOf, textOf } from '../core/protocol/fields.ts';
import { isAtLeast } from '../core/protocol/version.ts';
import { messageOf, orElse } from '../errors.ts';
import type { Where } from '../io.ts';
import { GivenFault, readGiven } from '../store/files/given-file.ts';
import { kindOf } from '../store/files/plain-file.ts';
import { requireOwn } from '../store/folders/context-dir.ts';
import { type Remark, remark } from './check.ts';

/** The surroundings of a run: installation, configuration, folders. */
export type Surroundings = Awaited<ReturnType<typeof inspectSurroundings>>;

/** Checks everything but claude. */
export async function inspectSurroundings(world: Where) {
  const resolved = await resolveConfig(world);
  const { files, remarks } = readSettingsFiles(world);
  const variables = variablesOf(world, files);
  return {
    resolved,
    /** Whether the user has placed claude's trigger, or disabled it. */
    isTriggerTaken: isTriggerTaken(files, variables),
    /** The model that the user has set; undefined: claude's default. */
    model: variables.get('ANTHROPIC_MODEL')?.value ?? textOf(settingOf(files, 'model')?.value),
    remarks: [
      checkNode(process.versions.node),
      ...checkConfiguration(resolved, readEnvironment(world.env).warnings),
      checkContextFolder(resolve(world.cwd, resolved.config.contextDir)),
      ...remarks,
      ...checkOddSettings(files, variables),
    ],
  };
}

/** The findings about the configuration; if it is valid, its sources. @param unknown findings about unknown variables */
function checkConfiguration({ findings, warnings, sources }: ResolvedConfig, unknown: readonly Finding[]): Remark[] {
  const remarksFor = (status: 'fault' | 'warning', found: readonly Finding[]) =>
    found.map(({ message }) => remark(status, 'configuration', message, 'ctxb config'));
  const faults = remarksFor('fault', findings);
  const warned = remarksFor('warning', [...unknown, ...warnings]);
  if (faults.length + warned.length > 0) return [...faults, ...warned];
  const set = Object.values(sources).filter(({ source }) => source !== 'default');
  const places = [...new Set(set.flatMap(({ where }) => where ?? []))];
  const text = places.length === 0 ? 'defaults only' : `${set.length} set in ${places.join(', ')}`;
  return [remark('good', 'configuration', text)];
}

/** @param version from `process.versions.node` */
export function checkNode(version: string): Remark {
  const requiredVersion = manifest.engines.node.replace('>=', '');
  if (isAtLeast(version, requiredVersion)) return remark('good', 'Node', version);
  const text = `${version} is too old: ctxb needs ${requiredVersion} or newer`;
  return remark('fault', 'Node', text, 'install a newer one');
}

/** @param folder absolute path, which may not exist */
function checkContextFolder(folder: string): Remark {
  const subject = 'context folder';
  const kind = kindOf(folder);
  if (kind !== 'missing' && kind !== 'folder') {
    const todo = 'move it away, or name another folder (contextDir)';
    return remark('fault', subject, `${folder} is a ${kind}: ctxb writes to folders only`, todo);
  }
  const place = nearestFolder(folder);
  if (!isWritable(place)) {
    const todo = `make ${place} writable, or name another folder (contextDir)`;
    return remark('fault', subject, `${folder} cannot be written: no notes, no recovery`, todo);
  }
  const refusal = kind === 'folder' ? refusalOf(folder) : undefined;
  if (refusal !== undefined) {
    return remark('fault', subject, `ctxb run will not start: ${refusal}`, 'name another folder (contextDir)');
  }
  return remark('good', subject, kind === 'folder' ? folder : `${folder} (the first run creates it)`);
}

/** Why ctxb would refuse the folder; undefined if it would not. */
function refusalOf(folder: string): string | undefined {
  try {
    requireOwn(folder);
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}

/** The folder itself, or its nearest existing parent. */
function nearestFolder(folder: string): string {
  return existsSync(folder) || dirname(folder) === folder ? folder : nearestFolder(dirname(folder));
}

function isWritable(folder: string): boolean {
  return orElse(() => {
    accessSync(folder, constants.W_OK | constants.X_OK);
    return true;
  }, false);
}

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
function readSettingsFiles(world: Where) {
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

function settingOf(files: readonly SettingsFile[], name: string): SetSomewhere | undefined {
  const file = files.findLast(({ settings }) => settings[name] !== undefined);
  return file && { value: file.settings[name], where: file.path };
}

/** Variables that claude sees: the user's environment, overridden by the variables in settings. */
function variablesOf({ env }: Where, files: readonly SettingsFile[]): Variables {
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

const OWN_TRIGGER = "claude's own trigger counts as yours: ctxb does not move it, so thresholds.midTurn has no effect";
const REMOVE_IT = 'remove it, and ctxb places the trigger';
const NO_COMPACTION = '/compact is refused: ctxb hands over to a fresh context at each threshold';
const NO_HOOKS = 'claude calls no hooks: ctxb hands nothing back after a compaction, and has no tool budgets';
const NO_OTHERS_HOOKS =
  "claude calls no hooks of its settings and runs no mods: compactions are claude's own summaries";

/** Variables that change what ctxb can do, each tried with claude 2.1.197 and 2.1.332. */
const VARIABLES: Readonly<Record<string, Oddity>> = {
  CLAUDE_CODE_AUTO_COMPACT_WINDOW: { text: OWN_TRIGGER, todo: REMOVE_IT },
  CLAUDE_AUTOCOMPACT_PCT_OVERRIDE: { text: OWN_TRIGGER, todo: REMOVE_IT },
  DISABLE_AUTO_COMPACT: { text: `it is switched off; ${OWN_TRIGGER}`, todo: REMOVE_IT, applies: isOn },
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
    text: `it is switched off; ${OWN_TRIGGER}`,
    todo: REMOVE_IT,
    applies: (value) => value === false,
  },
  autoCompactWindow: { text: OWN_TRIGGER, todo: REMOVE_IT },
  disableAllHooks: { text: NO_OTHERS_HOOKS, todo: 'remove it', applies: (value) => value === true },
  // In other files, the setting has no effect.
  allowManagedHooksOnly: {
    text: NO_OTHERS_HOOKS,
    todo: 'ask who manages it',
    applies: (value, where) => value === true && where === MANAGED,
  },
};

/** Remarks on settings and variables that restrict ctxb. */
function checkOddSettings(files: readonly SettingsFile[], variables: Variables): Remark[] {
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
function isTriggerTaken(files: readonly SettingsFile[], variables: Variables): boolean {
  return checkOddSettings(files, variables).some(({ text }) => text.endsWith(OWN_TRIGGER));
}

/** Whether a switch is on, by claude's rules. */
function isOn(value: unknown): boolean {
  return ['1', 'true', 'yes', 'on'].includes(String(value).toLowerCase());
}
