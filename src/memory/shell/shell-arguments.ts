import type { Word } from './shell-lists.ts';

/** Programs that run the command that follows them. */
const CARRIERS = new Set(['sudo', 'command', 'builtin', 'nohup', 'env', 'time', 'timeout']);
/** A variable before a command, and what may stand between a carrier and its command. */
const ASSIGNMENT = /^[A-Za-z_]\w*\+?=/;
const CARRIER_OPTION: Readonly<Record<string, RegExp>> = { sudo: /^-[nEH]$/, timeout: /^(?:-\S+|\d[\d.]*[smhd]?)$/ };

/** A program and its arguments, without the variables and the programs before it that only run it. */
export function programIn(words: readonly Word[]): readonly Word[] {
  let carrier = '';
  const from = words.findIndex(({ raw, text }) => {
    if (text !== null && CARRIERS.has(text)) carrier = text;
    else return !ASSIGNMENT.test(raw) && CARRIER_OPTION[carrier]?.test(raw) !== true;
    return false;
  });
  return from < 0 ? [] : words.slice(from);
}

/** The words behind a command's name, sorted. */
export interface Arguments {
  /** Names of the options that were given, without dashes. */
  readonly options: ReadonlySet<string>;
  readonly values: readonly Word[];
  /** What stands behind `--`; absent where there is none. */
  readonly after?: readonly Word[];
}

export interface Accepted {
  /** Letters of the options that change nothing about what is certain. */
  readonly letters: string;
  readonly names: readonly string[];
  /** Those of both kinds that take the next word. */
  readonly taking?: readonly string[];
}

/** Undefined where there is an option that is not accepted: what the command does then is not certain. */
export function readArguments(words: readonly Word[], accepted: Accepted): Arguments | undefined {
  const options = new Set<string>();
  const values: Word[] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at];
    if (word === undefined || word.text === '--') return { options, values, after: words.slice(at + 1) };
    const names = optionNames(word, accepted);
    if (names === undefined) return undefined;
    if (names.length === 0) values.push(word);
    for (const name of names) options.add(name);
    if (takesNext(word.text, names.at(-1), accepted)) at++;
  }
  return { options, values };
}

/** Nothing for what is no option, undefined for an option that is not accepted. */
function optionNames({ text, raw }: Word, { letters, names, taking = [] }: Accepted): readonly string[] | undefined {
  if (text === '-' || !(text ?? raw).startsWith('-')) return [];
  if (text === null) return undefined;
  const [name = ''] = text.slice(2).split('=', 1);
  if (text.startsWith('--')) return names.includes(name) || taking.includes(name) ? [name] : undefined;
  const given = [...text.slice(1)];
  return given.every((letter) => letters.includes(letter) || taking.includes(letter)) ? given : undefined;
}

function takesNext(text: string | null, name: string | undefined, { taking = [] }: Accepted): boolean {
  return name !== undefined && taking.includes(name) && !text?.includes('=');
}

/** Systems end at 1,024 or 4,096; without a limit a thousand `cd` would cost a million steps. */
const PATH_LIMIT = 1_024;

/** The folder that a shell starts in. */
export const START = '.';

/** A path as seen from the folder that the shell started in; null where one of the two is not certain. */
export function inFolder(folder: string | null, path: string | null): string | null {
  if (path === null || path === '') return null;
  if (path.startsWith('/')) return normalise(path);
  if (folder === null || folder.length + path.length > PATH_LIMIT) return null;
  return normalise(`${folder}/${path}`);
}

/** The paths that are certain. */
export function literals(words: readonly Word[], folder: string | null): string[] {
  return words.flatMap(({ text }) => inFolder(folder, text) ?? []);
}

function normalise(path: string): string {
  const root = path.startsWith('/') ? '/' : '';
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue;
    const up = part === '..';
    if (up && parts.length > 0 && parts.at(-1) !== '..') parts.pop();
    else if (!up || root === '') parts.push(part);
  }
  return root + parts.join('/') || START;
}
