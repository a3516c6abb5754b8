import type { FileChange } from '../entry.ts';
import { type Arguments, inFolder, literals, readArguments } from './shell-arguments.ts';
import type { Redirect, Word } from './shell-lists.ts';

type Program = (words: readonly Word[], folder: string | null) => readonly FileChange[];

const WRITES: ReadonlyMap<string, FileChange['change']> = new Map([
  ['>', 'created'],
  ['>|', 'created'],
  ['&>', 'created'],
  ['>&', 'created'],
  ['>>', 'edited'],
  ['&>>', 'edited'],
]);

const REMOVE = '-r -R -f -d -v --recursive --force --dir --verbose';
const MOVE = '-f -v -T --force --verbose --no-target-directory';
const COPY = `-p ${MOVE}`;
const TEE = '-a -i -p --append --ignore-interrupts';
const NO_OPTIONS = '';

const PROGRAMS: ReadonlyMap<string, Program> = new Map<string, Program>([
  ['rm', (words, folder) => all('deleted', readArguments(words, REMOVE), folder)],
  ['unlink', (words, folder) => all('deleted', readArguments(words, NO_OPTIONS), folder)],
  ['touch', (words, folder) => all('created', readArguments(words, NO_OPTIONS), folder)],
  ['tee', tee],
  ['mv', (words, folder) => movedFiles(readArguments(words, MOVE), folder)],
  ['cp', copied],
  ['sed', (words, folder) => editedBy(SED, words, folder)],
  ['perl', (words, folder) => editedBy(PERL, words, folder)],
]);

/** What a program that succeeded certainly did to files. */
export function fileChanges(name: string, words: readonly Word[], folder: string | null): readonly FileChange[] {
  return PROGRAMS.get(name)?.(words, folder) ?? [];
}

/** What the redirections of a command that succeeded did: the shell has opened each of them. */
export function redirectChanges(redirects: readonly Redirect[], folder: string | null): readonly FileChange[] {
  return redirects.flatMap(({ operator, target }) => {
    const change = WRITES.get(operator);
    // `2>&1` and `>&-` name descriptors.
    if (change === undefined || (operator === '>&' && /^(?:\d+|-)$/.test(target.raw))) return [];
    return changed(change, literals([target], folder));
  });
}

/** Of a move into a place that may be a file or a folder only the source is certain. */
export function movedFiles(read: Arguments | undefined, folder: string | null): readonly FileChange[] {
  return transfers(read, folder).map(({ from, to }) => ({
    path: from,
    change: 'moved',
    ...(to === null ? {} : { to }),
  }));
}

function copied(words: readonly Word[], folder: string | null): readonly FileChange[] {
  const copies = transfers(readArguments(words, COPY), folder);
  return changed(
    'created',
    copies.flatMap(({ to }) => to ?? []),
  );
}

interface Transfer {
  readonly from: string;
  readonly to: string | null;
}

function transfers(read: Arguments | undefined, folder: string | null): Transfer[] {
  if (read === undefined) return [];
  const { operands } = read;
  const target = operands.at(-1);
  const sources = operands.slice(0, -1);
  if (target === undefined) return [];
  const several = sources.filter(({ one }) => one).length > 1;
  const exact = read.options.has('T') || read.options.has('no-target-directory');
  return sources.flatMap(({ text }) => {
    const from = inFolder(folder, text);
    if (from === null) return [];
    return { from, to: inFolder(folder, destination(baseName(from), target.text, several, exact)) };
  });
}

function destination(name: string, target: string | null, several: boolean, exact: boolean): string | null {
  if (target === null || exact) return target;
  if (several || /(?:^|\/)\.{0,2}$/.test(target)) return `${target}/${name}`;
  const last = baseName(target);
  return last === name || (last.includes('.') && name.includes('.')) ? target : null;
}

function tee(words: readonly Word[], folder: string | null): readonly FileChange[] {
  const read = readArguments(words, TEE);
  const appends = read?.options.has('a') || read?.options.has('append');
  return all(appends ? 'edited' : 'created', read, folder);
}

interface Editor {
  /** Letters without an argument, then perhaps `i` with a suffix, or a letter that takes the script. */
  readonly option: RegExp;
  /** Without one of these letters nothing is written. */
  readonly needs: RegExp;
  /** What is no script behind a lone `-i`: BSD's sed takes the end of a name there, perhaps an empty one. */
  readonly suffix: RegExp;
}

const SED: Editor = {
  option: /^-([Ernsuz]*)(?:(i\S*|-in-place(?:=\S*)?)|([ef]))?$/,
  needs: /(?:)/,
  suffix: /^(?:\.\w+)?$/,
};
const PERL: Editor = { option: /^-([aglnpswW0-9]*)(?:(i\S*)|([eE]))?$/, needs: /[np]/, suffix: /^(?!)/ };

/** `sed -i`, `perl -pi`: the first operand is the script, unless an option has brought one. */
function editedBy(editor: Editor, words: readonly Word[], folder: string | null): readonly FileChange[] {
  const operands: Word[] = [];
  let [letters, inPlace, script] = ['', false, false];
  for (let at = 0; at < words.length; at++) {
    const word = words[at];
    if (word === undefined) break;
    const text = word.text ?? word.raw;
    const [option, plain = '', place, taking] = editor.option.exec(text) ?? [];
    if (option === undefined) operands.push(word);
    letters += plain;
    inPlace ||= place !== undefined;
    script ||= taking !== undefined;
    if (taking !== undefined || (text === '-i' && editor.suffix.test(words[at + 1]?.text ?? '-'))) at++;
  }
  const written = inPlace && editor.needs.test(letters);
  return written ? changed('edited', literals(filesOf(operands, script), folder)) : [];
}

function filesOf(operands: readonly Word[], script: boolean): readonly Word[] {
  if (operands.some(({ raw }) => raw.startsWith('-'))) return [];
  // A first operand that may be several words, or none, hides which of the rest are files.
  if (!script && operands[0]?.one !== true) return [];
  return script ? operands : operands.slice(1);
}

function all(change: FileChange['change'], read: Arguments | undefined, folder: string | null): readonly FileChange[] {
  return read === undefined ? [] : changed(change, literals(read.operands, folder));
}

function changed(change: FileChange['change'], paths: readonly string[]): readonly FileChange[] {
  return paths.filter((path) => !path.startsWith('/dev/')).map((path) => ({ path, change }));
}

function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
