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
import { messageOf } from '../errors.ts';
import type { CwdAndEnv } from '../io.ts';
import { ForeignFileFault, readForeign, textIn } from '../store/files/foreign-file.ts';
import { kindOf } from '../store/files/plain-file.ts';
import { requireOwn } from '../store/folders/context-dir.ts';
import { type SetupFinding, setupFinding } from './check.ts';

export type Surroundings = Awaited<ReturnType<typeof inspectSurroundings>>;

export async function inspectSurroundings(place: CwdAndEnv) {
  const resolved = await resolveConfig(place);
  const { settings, remarks } = readSettings(place);
  const settingFindings = checkOddSettings(settings);
  return {
    resolved,
    /** Whether the user has placed claude's trigger, or disabled it. */
    isTriggerTaken: settingFindings.some(({ text }) => text.endsWith(OWN_TRIGGER)),
    /** The model that the user has set; undefined: claude's default. */
    model: textOf((settings.get('env.ANTHROPIC_MODEL') ?? settings.get('model'))?.value),
    remarks: [
      checkNode(process.versions.node),
      ...checkConfiguration(resolved, readEnvironment(place.env).warnings),
      checkContextFolder(resolve(place.cwd, resolved.config.contextDir)),
      ...remarks,
      ...(settingFindings.length > 0
        ? settingFindings
        : [setupFinding('good', "claude's settings", 'they do not restrict ctxb')]),
    ],
  };
}

/**
 * The findings about the configuration, and its sources if it is valid.
 * @param unknown findings about unknown variables
 */
function checkConfiguration(
  { findings, warnings, sources }: ResolvedConfig,
  unknown: readonly Finding[],
): SetupFinding[] {
  const remarksFor = (status: 'fault' | 'warning', found: readonly Finding[]) =>
    found.map(({ message }) => setupFinding(status, 'configuration', message, 'ctxb config'));
  const remarks = [...remarksFor('fault', findings), ...remarksFor('warning', [...unknown, ...warnings])];
  if (remarks.length > 0) return remarks;
  const set = Object.values(sources).filter(({ source }) => source !== 'default');
  const places = [...new Set(set.map(({ where }) => where))];
  const text = places.length === 0 ? 'defaults only' : `${set.length} set in ${places.join(', ')}`;
  return [setupFinding('good', 'configuration', text)];
}

export function checkNode(version: string): SetupFinding {
  const requiredVersion = manifest.engines.node.replace('>=', '');
  if (isAtLeast(version, requiredVersion)) return setupFinding('good', 'Node', version);
  const text = `${version} is too old: ctxb needs ${requiredVersion} or newer`;
  return setupFinding('fault', 'Node', text, 'install a newer one');
}

function checkContextFolder(folder: string): SetupFinding {
  const [subject, kind] = ['context folder', kindOf(folder)];
  const fault = (text: string, todo: string) =>
    setupFinding('fault', subject, text, `${todo}name another folder (contextDir)`);
  if (kind !== 'missing' && kind !== 'folder')
    return fault(`${folder} is a ${kind}: ctxb writes to folders only`, 'move it away, or ');
  const place = nearestFolder(folder);
  try {
    accessSync(place, constants.W_OK | constants.X_OK);
  } catch {
    return fault(`${folder} cannot be written: no notes, no recovery`, `make ${place} writable, or `);
  }
  if (kind === 'missing') return setupFinding('good', subject, `${folder} (the first run creates it)`);
  try {
    requireOwn(folder);
    return setupFinding('good', subject, folder);
  } catch (error) {
    return fault(`ctxb run will not start: ${messageOf(error)}`, '');
  }
}

function nearestFolder(folder: string): string {
  return existsSync(folder) || dirname(folder) === folder ? folder : nearestFolder(dirname(folder));
}

const MANAGED =
  process.platform === 'darwin'
    ? '/Library/Application Support/ClaudeCode/managed-settings.json'
    : '/etc/claude-code/managed-settings.json';

/**
 * The values of claude's settings for the folder and the environment, by name; variables begin with `env.`. Settings
 * override the environment. A file that is not JSON causes a finding.
 */
function readSettings(place: CwdAndEnv) {
  const settings = new Map<string, { readonly value: unknown; readonly where: string }>();
  const remarks: SetupFinding[] = [];
  const add = (fields: Fields, where: string, prefix = '') => {
    for (const [name, value] of Object.entries(fields)) {
      if (value !== undefined && value !== '') settings.set(prefix + name, { value, where });
    }
  };
  add(place.env, 'the environment', 'env.');
  // In the home folder, the user's settings are also the project's. The last file has the highest precedence.
  for (const path of new Set([...settingsPaths(place), MANAGED])) {
    if (!existsSync(path)) continue;
    try {
      const fields = fieldsOf(parseJson(textIn(readForeign(path, SETTINGS_LIMIT))));
      add(fields, path);
      add(fieldsOf(fields.env), path, 'env.');
    } catch (error) {
      remarks.push(setupFinding('warning', path, faultText(error), 'correct it'));
    }
  }
  return { settings, remarks };
}

function faultText(error: unknown): string {
  if (error instanceof ForeignFileFault) return `it was not read: ${error.message}`;
  return `claude cannot read it: ${error instanceof SyntaxFault ? `line ${error.line}: ` : ''}${messageOf(error)}`;
}

interface Oddity {
  readonly text: string;
  /** Default: remove it. */
  readonly todo?: string;
  readonly applies?: (value: unknown, where: string) => boolean;
}

const OWN_TRIGGER = "claude's own trigger counts as yours: ctxb does not move it, so thresholds.midTurn has no effect";
const REMOVE_IT = 'remove it, and ctxb places the trigger';
const NO_COMPACTION = '/compact is refused: ctxb hands over to a fresh context at each threshold';
const NO_HOOKS = 'claude calls no hooks: ctxb hands nothing back after a compaction, and has no tool budgets';
const NO_OTHERS_HOOKS =
  "claude calls no hooks of its settings and runs no mods: compactions are claude's own summaries";

/** Settings and variables that restrict ctxb, tried with claude 2.1.197 and 2.1.332. */
const ODD_SETTINGS: Readonly<Record<string, Oddity>> = {
  'env.CLAUDE_CODE_AUTO_COMPACT_WINDOW': { text: OWN_TRIGGER, todo: REMOVE_IT },
  'env.CLAUDE_AUTOCOMPACT_PCT_OVERRIDE': { text: OWN_TRIGGER, todo: REMOVE_IT },
  'env.DISABLE_AUTO_COMPACT': { text: `it is switched off; ${OWN_TRIGGER}`, todo: REMOVE_IT, applies: isOn },
  'env.DISABLE_COMPACT': { text: NO_COMPACTION, applies: isOn },
  'env.CLAUDE_CODE_SIMPLE': { text: NO_HOOKS, applies: isOn },
  'env.CLAUDE_CODE_SKIP_PROMPT_HISTORY': {
    text: 'claude keeps no log of a session: ctxb cannot continue it after a crash',
    applies: isOn,
  },
  'env.ANTHROPIC_BASE_URL': {
    text: 'claude calls a server other than the API. If the server reports no usage, ctxb estimates the context from characters',
    todo: 'set the key window if claude does not report its size',
    applies: (value) => !/^https:\/\/api\.anthropic\.com\/?$/.test(String(value)),
  },
  autoCompactEnabled: {
    text: `it is switched off; ${OWN_TRIGGER}`,
    todo: REMOVE_IT,
    applies: (value) => value === false,
  },
  autoCompactWindow: { text: OWN_TRIGGER, todo: REMOVE_IT },
  disableAllHooks: { text: NO_OTHERS_HOOKS, applies: (value) => value === true },
  // In other files, the setting has no effect.
  allowManagedHooksOnly: {
    text: NO_OTHERS_HOOKS,
    todo: 'ask who manages it',
    applies: (value, where) => value === true && where === MANAGED,
  },
};

function checkOddSettings(settings: ReturnType<typeof readSettings>['settings']): SetupFinding[] {
  return Object.entries(ODD_SETTINGS).flatMap(([name, { applies = () => true, text, todo = 'remove it' }]) => {
    const set = settings.get(name);
    if (set === undefined || !applies(set.value, set.where)) return [];
    return setupFinding('warning', `${name.replace('env.', '')} in ${set.where}`, text, todo);
  });
}

function isOn(value: unknown): boolean {
  return ['1', 'true', 'yes', 'on'].includes(String(value).toLowerCase());
}
