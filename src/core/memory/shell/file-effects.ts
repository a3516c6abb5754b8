import type { Discard, FileChange } from '../entry.ts';
import { baseName, START } from '../paths.ts';
import { type Arguments, inFolder, literals, readArguments } from './shell-arguments.ts';
import type { Redirect, Word } from './shell-lists.ts';

const WRITES: ReadonlyMap<string, FileChange['change']> = new Map([
  ['>', 'created'],
  ['>|', 'created'],
  ['&>', 'created'],
  ['>&', 'created'],
  ['>>', 'edited'],
  ['&>>', 'edited'],
]);

const MOVE = '-f -v -T --force --verbose --no-target-directory';

/** The options that it may have, and what it does with what they leave. */
type Program = readonly [options: string, effects: (read: Arguments, folder: string | null) => readonly FileChange[]];

const PROGRAMS: ReadonlyMap<string, Program> = new Map<string, Program>([
  ['rm', ['-r -R -f -d -v --recursive --force --dir --verbose', all('deleted')]],
  ['unlink', ['', all('deleted')]],
  ['touch', ['', all('created')]],
  ['tee', ['-a -i -p --append --ignore-interrupts', tee]],
  ['mv', [MOVE, movedFiles]],
  ['cp', [`-p ${MOVE}`, copied]],
]);

/** What a program that succeeded certainly did to files. */
export function fileChanges(name: string, words: readonly Word[], folder: string | null): readonly FileChange[] {
  const editor = EDITORS.get(name);
  if (editor !== undefined) return editedBy(editor, words, folder);
  const [options, effects] = PROGRAMS.get(name) ?? [];
  const read = options === undefined ? undefined : readArguments(words, options);
  return read && effects ? effects(read, folder) : [];
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
export function movedFiles(read: Arguments, folder: string | null): readonly FileChange[] {
  return transfers(read, folder).map(({ from, to }) => ({
    path: from,
    change: 'moved',
    ...(to === null ? {} : { to }),
  }));
}

function copied(read: Arguments, folder: string | null): readonly FileChange[] {
  const copies = transfers(read, folder).flatMap(({ to }) => to ?? []);
  return changed('created', copies);
}

interface Transfer {
  readonly from: string;
  readonly to: string | null;
}

function transfers({ operands, options }: Arguments, folder: string | null): Transfer[] {
  const target = operands.at(-1)?.text ?? null;
  const sources = operands.slice(0, -1);
  const several = sources.filter(({ one }) => one).length > 1;
  const exact = options.has('T') || options.has('no-target-directory');
  return sources.flatMap(({ text }) => {
    const from = inFolder(folder, text);
    if (from === null) return [];
    return { from, to: inFolder(folder, destination(baseName(from), target, several, exact)) };
  });
}

function destination(name: string, target: string | null, several: boolean, exact: boolean): string | null {
  if (target === null || exact) return target;
  if (several || /(?:^|\/)\.{0,2}$/.test(target)) return `${target}/${name}`;
  const last = baseName(target);
  return last === name || (last.includes('.') && name.includes('.')) ? target : null;
}

function tee(read: Arguments, folder: string | null): readonly FileChange[] {
  const appends = read.options.has('a') || read.options.has('append');
  return all(appends ? 'edited' : 'created')(read, folder);
}

interface Editor {
  /** Letters without an argument, then perhaps `i` with a suffix, or a letter that takes the script. */
  readonly option: RegExp;
  /** Without one of these letters nothing is written. */
  readonly needs: RegExp;
  /** What is no script behind a lone `-i`: BSD's sed takes the end of a name there, perhaps an empty one. */
  readonly suffix: RegExp;
}

const EDITORS: ReadonlyMap<string, Editor> = new Map<string, Editor>([
  ['sed', { option: /^-([Ernsuz]*)(?:(i\S*|-in-place(?:=\S*)?)|([ef]))?$/, needs: /(?:)/, suffix: /^(?:\.\w+)?$/ }],
  ['perl', { option: /^-([aglnpswW0-9]*)(?:(i\S*)|([eE]))?$/, needs: /[np]/, suffix: /^(?!)/ }],
]);

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

function all(change: FileChange['change']): Program[1] {
  return ({ operands }, folder) => changed(change, literals(operands, folder));
}

function changed(change: FileChange['change'], paths: readonly string[]): readonly FileChange[] {
  return paths.filter((path) => !path.startsWith('/dev/')).map((path) => ({ path, change }));
}

/** What a git command that succeeded did to the files of the working tree. */
export interface GitEffects {
  readonly changes?: readonly FileChange[];
  readonly discards?: Discard;
  readonly commits?: boolean;
}

/** The options that it may have, and what it does with what they leave. */
type Verb = readonly [options: string, effects: (read: Arguments, folder: string | null) => GitEffects];

const NOTHING: GitEffects = {};

const VERBS: ReadonlyMap<string, Verb> = new Map<string, Verb>([
  ['rm', ['-r -f -q --force --quiet', removed]],
  ['mv', ['-f -v --force --verbose', (read, folder) => ({ changes: movedFiles(read, folder) })]],
  ['checkout', ['-f -q --force --quiet', checkout]],
  ['restore', ['-S -W -q --staged --worktree --quiet -s= --source=', restore]],
  [
    'reset',
    ['-q --hard --quiet', ({ options }, folder) => (options.has('hard') ? discardAll('reset', folder) : NOTHING)],
  ],
]);

/** `words` are what stands after `git`. */
export function gitEffects(words: readonly Word[], folder: string | null): GitEffects {
  let at = 0;
  let where = folder;
  for (; words[at]?.raw.startsWith('-'); at++) {
    const option = words[at]?.text;
    if (option === '-C') where = inFolder(where, words[++at]?.text ?? null);
    else if (option === '-c') at++;
    else if (option !== '--no-pager' && option !== '-P') return NOTHING;
  }
  const name = words[at]?.text ?? '';
  const rest = words.slice(at + 1);
  if (name === 'commit') return { commits: !rest.some(({ text }) => text === '--dry-run' || text === '--help') };
  const [options, effects] = VERBS.get(name) ?? [];
  const read = options && readArguments(rest, options);
  return read && effects ? effects(read, where) : NOTHING;
}

function removed({ operands }: Arguments, folder: string | null): GitEffects {
  return { changes: pathspecs(operands, folder).map((path) => ({ path, change: 'deleted' })) };
}

function checkout({ operands, after, options }: Arguments, folder: string | null): GitEffects {
  if (after !== undefined) return discard('checkout', after, folder);
  // With two names the first may be a branch, a commit or a path; the second can only be a path.
  if (operands.length > 1) return discard('checkout', operands.slice(1), folder);
  if (options.has('f') || options.has('force')) return discardAll('checkout', folder);
  return operands[0] !== undefined && namesFile(operands[0]) ? discard('checkout', operands, folder) : NOTHING;
}

/** A lone name may be a branch; one that ends as files do, and is no version, is not. */
function namesFile({ text }: Word): boolean {
  return text === '.' || /^(?!v?\d)[^/]*\.[a-z]{2,4}$/i.test(text?.slice(text.lastIndexOf('/') + 1) ?? '');
}

function restore({ options, operands }: Arguments, folder: string | null): GitEffects {
  const staged = options.has('S') || options.has('staged');
  const worktree = options.has('W') || options.has('worktree');
  return staged && !worktree ? NOTHING : discard('restore', operands, folder);
}

function discard(how: Discard['how'], words: readonly Word[], folder: string | null): GitEffects {
  const paths = pathspecs(words, folder);
  if (paths.includes(START)) return { discards: { how, paths: 'all' } };
  return paths.length > 0 ? { discards: { how, paths } } : NOTHING;
}

/** Of a folder that is named only its own part is certain: it may be another repository than that of the session. */
function discardAll(how: Discard['how'], folder: string | null): GitEffects {
  if (folder === null) return NOTHING;
  return { discards: { how, paths: folder === START ? 'all' : [folder] } };
}

/** git expands globs and `:(magic)` itself, also quoted ones. */
function pathspecs(words: readonly Word[], folder: string | null): string[] {
  return literals(
    words.filter(({ text }) => text !== null && !/[*?[]|^:/.test(text)),
    folder,
  );
}
