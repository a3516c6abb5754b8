import type { Discard, FileChange } from '../entry.ts';
import { baseName, START } from '../paths.ts';
import { type Arguments, inFolder, literals, readArguments } from './shell-arguments.ts';
import type { Redirect, Word } from './shell-lists.ts';

/** What a program that succeeded certainly did to files; with git, to those of the working tree. */
export interface FileEffects {
  readonly changes?: readonly FileChange[];
  readonly discards?: Discard;
  readonly commits?: boolean;
}

/** The options that it may have, and what it does with what they leave. */
type Program = readonly [options: string, effects: (read: Arguments, folder: string | null) => FileEffects];

const NOTHING: FileEffects = {};

const MOVE = '-f -v -T --force --verbose --no-target-directory';

const PROGRAMS: ReadonlyMap<string, Program> = new Map<string, Program>([
  ['rm', ['-r -R -f -d -v --recursive --force --dir --verbose', removed]],
  ['mv', [MOVE, moved]],
  ['cp', [`-p ${MOVE}`, copied]],
  ['sed', ['-i -E -r -n -s -u -z -e= -f= --in-place', editedInPlace]],
  ['git rm', ['-r -f -q --force --quiet', untracked]],
  ['git mv', ['-f -v --force --verbose', moved]],
  ['git checkout', ['-f -q --force --quiet', checkout]],
  ['git restore', ['-S -W -q --staged --worktree --quiet -s= --source=', restore]],
  ['git reset', ['-q --hard --quiet', reset]],
]);

/** @param words behind the program's name */
export function fileEffects(name: string, words: readonly Word[], folder: string | null): FileEffects {
  return name === 'git' ? gitEffects(words, folder) : effectsOf(name, words, folder);
}

function effectsOf(name: string, words: readonly Word[], folder: string | null): FileEffects {
  const [options, effects] = PROGRAMS.get(name) ?? [];
  const read = options && readArguments(words, options);
  return read && effects ? effects(read, folder) : NOTHING;
}

function gitEffects(words: readonly Word[], folder: string | null): FileEffects {
  let at = 0;
  let where = folder;
  for (; words[at]?.raw.startsWith('-'); at++) {
    const option = words[at]?.text;
    if (option === '-C') where = inFolder(where, words[++at]?.text ?? null);
    else if (option === '-c') at++;
    else if (option !== '--no-pager' && option !== '-P') return NOTHING;
  }
  const verb = words[at]?.text ?? '';
  const rest = words.slice(at + 1);
  if (verb === 'commit') return { commits: !rest.some(({ text }) => text === '--dry-run' || text === '--help') };
  return effectsOf(`git ${verb}`, rest, where);
}

const WRITES: ReadonlyMap<string, FileChange['change']> = new Map([
  ['>', 'created'],
  ['>|', 'created'],
  ['&>', 'created'],
  ['>&', 'created'],
  ['>>', 'edited'],
  ['&>>', 'edited'],
]);

/** What the redirections of a command that succeeded did: the shell has opened each of them. */
export function redirectChanges(redirects: readonly Redirect[], folder: string | null): readonly FileChange[] {
  return redirects.flatMap(({ operator, target }) => {
    const change = WRITES.get(operator);
    // `2>&1` and `>&-` name descriptors.
    if (change === undefined || (operator === '>&' && /^(?:\d+|-)$/.test(target.raw))) return [];
    return changed(change, literals([target], folder));
  });
}

function changed(change: FileChange['change'], paths: readonly string[]): readonly FileChange[] {
  return paths.filter((path) => !path.startsWith('/dev/')).map((path) => ({ path, change }));
}

function removed({ operands }: Arguments, folder: string | null): FileEffects {
  return { changes: changed('deleted', literals(operands, folder)) };
}

function untracked({ operands }: Arguments, folder: string | null): FileEffects {
  return { changes: changed('deleted', pathspecs(operands, folder)) };
}

/** Of a move into a place that may be a file or a folder only the source is certain. */
function moved(read: Arguments, folder: string | null): FileEffects {
  const moves = transfers(read, folder);
  return { changes: moves.map(([path, to]) => ({ path, change: 'moved', ...(to === null ? {} : { to }) })) };
}

function copied(read: Arguments, folder: string | null): FileEffects {
  const copies = transfers(read, folder).flatMap(([, to]) => to ?? []);
  return { changes: changed('created', copies) };
}

function transfers({ operands, options }: Arguments, folder: string | null): (readonly [string, string | null])[] {
  const target = operands.at(-1)?.text ?? null;
  const sources = operands.slice(0, -1);
  const several = sources.filter(({ text }) => text !== null).length > 1;
  const exact = options.has('T') || options.has('no-target-directory');
  return sources.flatMap(({ text }) => {
    const from = inFolder(folder, text);
    if (from === null) return [];
    return [[from, inFolder(folder, destination(baseName(from), target, several, exact))] as const];
  });
}

function destination(name: string, target: string | null, several: boolean, exact: boolean): string | null {
  if (target === null || exact) return target;
  if (several || /(?:^|\/)\.{0,2}$/.test(target)) return `${target}/${name}`;
  const last = baseName(target);
  return last === name || (last.includes('.') && name.includes('.')) ? target : null;
}

/** The first operand is the script, unless an option has brought one. BSD's sed has the end of a name before it. */
function editedInPlace({ options, operands }: Arguments, folder: string | null): FileEffects {
  if (!options.has('i') && !options.has('in-place')) return NOTHING;
  const named = operands.filter(({ text }) => text !== '');
  if (options.has('e') || options.has('f')) return { changes: changed('edited', literals(named, folder)) };
  const [script, ...files] = named;
  // A script that may be several words, or none, hides which of the rest are files.
  const isOne = script?.text !== null || script.raw.startsWith('"');
  return isOne ? { changes: changed('edited', literals(files, folder)) } : NOTHING;
}

function checkout({ operands, after, options }: Arguments, folder: string | null): FileEffects {
  if (after !== undefined) return discard('checkout', after, folder);
  // With two names the first may be a branch, a commit or a path; the second can only be a path.
  if (operands.length > 1) return discard('checkout', operands.slice(1), folder);
  if (options.has('f') || options.has('force')) return discardAll('checkout', folder);
  return operands[0] !== undefined && namesFile(operands[0]) ? discard('checkout', operands, folder) : NOTHING;
}

/** A lone name may be a branch; one that ends as files do, and is no version, is not. */
function namesFile({ text }: Word): boolean {
  return text === '.' || /^(?!v?\d)[^/]*\.[a-z]{2,4}$/i.test(baseName(text ?? ''));
}

function restore({ options, operands }: Arguments, folder: string | null): FileEffects {
  const staged = options.has('S') || options.has('staged');
  const worktree = options.has('W') || options.has('worktree');
  return staged && !worktree ? NOTHING : discard('restore', operands, folder);
}

function reset({ options }: Arguments, folder: string | null): FileEffects {
  return options.has('hard') ? discardAll('reset', folder) : NOTHING;
}

function discard(how: Discard['how'], words: readonly Word[], folder: string | null): FileEffects {
  const paths = pathspecs(words, folder);
  if (paths.includes(START)) return { discards: { how, paths: 'all' } };
  return paths.length > 0 ? { discards: { how, paths } } : NOTHING;
}

/** Of a folder that is named only its own part is certain: it may be another repository than that of the session. */
function discardAll(how: Discard['how'], folder: string | null): FileEffects {
  if (folder === null) return NOTHING;
  return { discards: { how, paths: folder === START ? 'all' : [folder] } };
}

/** git expands globs and `:(magic)` itself, also quoted ones. */
function pathspecs(words: readonly Word[], folder: string | null): string[] {
  const certain = words.filter(({ text }) => text !== null && !/[*?[]|^:/.test(text));
  return literals(certain, folder);
}
