import { existsSync } from 'node:fs';
import { settingsPath } from '../../claude/claude-folders.ts';
import { parseJson, SyntaxFault } from '../../config/parse-data.ts';
import { type Fields, fieldsOf, textOf } from '../../core/protocol/fields.ts';
import { messageOf } from '../../errors.ts';
import type { Io } from '../../io.ts';
import { GivenFault, readGiven } from '../../store/files/given-file.ts';
import type { Remark } from '../remark.ts';

/** One of claude's own files of settings. */
export interface SettingsFile {
  readonly path: string;
  readonly settings: Fields;
}

/** A variable that claude gets, and where it is set. */
export interface Variable {
  readonly name: string;
  readonly value: string;
  readonly where: string;
}

const MANAGED = {
  darwin: '/Library/Application Support/ClaudeCode/managed-settings.json',
  linux: '/etc/claude-code/managed-settings.json',
} as const;

/** Bytes. */
const LIMIT = 4 * 1024 * 1024;

/** claude's settings that hold in the folder, the one that wins last. What is not JSON is left out, with a remark. */
export function readSettingsFiles(world: Pick<Io, 'env' | 'cwd'>): { files: SettingsFile[]; remarks: Remark[] } {
  const managed = process.platform === 'darwin' ? MANAGED.darwin : MANAGED.linux;
  const own = (['user', 'project', 'local'] as const).map((place) => settingsPath(place, world));
  // In the home folder the user's own are the project's too.
  const places = new Set([...own, managed]);
  const files: SettingsFile[] = [];
  const remarks: Remark[] = [];
  for (const path of [...places].filter((place) => existsSync(place))) {
    try {
      files.push({ path, settings: fieldsOf(parseJson(readGiven(path, LIMIT).toString('utf8'))) });
    } catch (error) {
      remarks.push({ status: 'warning', subject: path, text: faultText(error), todo: 'correct it' });
    }
  }
  return { files, remarks };
}

function faultText(error: unknown): string {
  if (error instanceof GivenFault) return `it was not read: ${error.message}`;
  return `claude cannot read it: ${error instanceof SyntaxFault ? `line ${error.line}: ` : ''}${messageOf(error)}`;
}

/** The last file's value of a setting. */
export function settingOf(files: readonly SettingsFile[], name: string): { value: unknown; where: string } | undefined {
  const file = files.findLast(({ settings }) => settings[name] !== undefined);
  return file && { value: file.settings[name], where: file.path };
}

/** What claude finds in its environment: the user's variables, and over them those of the settings. */
export function variablesOf(
  { env }: Pick<Io, 'env' | 'cwd'>,
  files: readonly SettingsFile[],
): ReadonlyMap<string, Variable> {
  const variables = new Map<string, Variable>();
  const add = (fields: Fields, where: string) => {
    for (const [name, value] of Object.entries(fields)) {
      const text = textOf(value);
      if (text !== undefined && text !== '') variables.set(name, { name, value: text, where });
    }
  };
  add(env, 'the environment');
  for (const { path, settings } of files) add(fieldsOf(settings.env), path);
  return variables;
}
