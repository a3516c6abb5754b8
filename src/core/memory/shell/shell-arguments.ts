import { normalised } from '../paths.ts';
import type { Word } from './shell-lists.ts';

// Apart from the lists: the mod that claude loads reads arguments, and does without the parser of commands.

export interface Arguments {
  /** Names of the options that were given, without dashes. */
  readonly options: ReadonlySet<string>;
  /** What is no option, before `--` and behind it. */
  readonly operands: readonly Word[];
  /** What stands behind `--`; undefined without one. */
  readonly after: readonly Word[] | undefined;
}

/**
 * Reads arguments with options of which it is known what they change: `-f --force`, and with a `=` behind those that
 * take a value. Undefined where there is another one: what the command does then is not certain.
 */
export function readArguments(words: readonly Word[], accepted: string): Arguments | undefined {
  const known = new Map(accepted.split(' ').map((name) => [name.replace('=', ''), name.endsWith('=')]));
  const end = words.findIndex(({ text }) => text === '--');
  const before = end < 0 ? words : words.slice(0, end);
  const after = end < 0 ? undefined : words.slice(end + 1);
  const options = new Set<string>();
  const values: Word[] = [];
  let isValue = false;
  for (const word of before) {
    const names: readonly string[] | undefined = isValue ? [] : optionNames(word);
    if (names?.every((name) => known.has(name)) !== true) return undefined;
    if (!isValue && names.length === 0) values.push(word);
    for (const name of names) options.add(name.replace(/^-+/, ''));
    isValue = known.get(names.at(-1) ?? '') === true && !word.text?.includes('=');
  }
  return { options, operands: [...values, ...(after ?? [])], after };
}

/** With their dashes: `-rf` are `-r` and `-f`. Undefined where it is not certain which they are. */
function optionNames({ text, raw }: Word): readonly string[] | undefined {
  if (text === '-' || !(text ?? raw).startsWith('-')) return [];
  if (text === null) return undefined;
  return text.startsWith('--') ? text.split('=', 1) : [...text.slice(1)].map((letter) => `-${letter}`);
}

/** Systems end at 1,024 or 4,096; without a limit a thousand `cd` would cost a million steps. */
const PATH_LIMIT = 1_024;

/** A path as seen from the folder that the shell started in; null where one of the two is not certain. */
export function inFolder(folder: string | null, path: string | null): string | null {
  if (path === null || path === '') return null;
  if (path.startsWith('/')) return normalised(path);
  if (folder === null || folder.length + path.length > PATH_LIMIT) return null;
  return normalised(`${folder}/${path}`);
}

export function literals(words: readonly Word[], folder: string | null): string[] {
  return words.flatMap(({ text }) => inFolder(folder, text) ?? []);
}
