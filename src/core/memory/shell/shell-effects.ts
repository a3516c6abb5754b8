import type { Discard, FileChange } from '../entry.ts';
import { baseName, START } from '../paths.ts';
import {
  type Arguments,
  inFolder,
  type Link,
  type List,
  literals,
  programIn,
  type Redirect,
  readArguments,
  shellLists,
  type Word,
} from './shell-lists.ts';

export interface ShellEffects {
  /** In the order they came; paths are relative to the folder that the command was run in. */
  readonly changes: readonly FileChange[];
  /** A path may be a folder: then it stands for all in it. */
  readonly discards: Discard | undefined;
  readonly commits: boolean;
  /** Whether the text could be understood; when not, nothing is said. */
  readonly certain: boolean;
}

const UNCERTAIN: ShellEffects = { changes: [], discards: undefined, commits: false, certain: false };

/** They end the shell early with any status, or change what other words mean. */
const DECIDING = new Set(['exit', 'return', 'exec', 'trap', 'alias', 'logout']);
/** They go to another folder, or may. */
const TRAVELLING = new Set(['cd', 'pushd', 'popd', 'eval', 'source', '.', 'chdir']);

/**
 * What a Bash command has certainly done to files, given that its exit status was 0: the last chain of `&&` has succeeded
 * as a whole. What stands before it, and what is in loops and groups, is not known.
 */
export function shellEffects(command: string): ShellEffects {
  const list = shellLists(command);
  if (list === undefined || namesOneOf(DECIDING, list)) return UNCERTAIN;
  const { links, background } = list.at(-1) ?? { links: [], background: true };
  const alternative = links.findLastIndex(({ otherwise }) => otherwise);
  const effects: FileEffects[] = [];
  let folder: string | null = namesOneOf(TRAVELLING, list.slice(0, -1)) ? null : START;
  for (const [at, link] of links.entries()) {
    const last = link.commands.at(-1);
    const isSure = !background && at > alternative && !link.negated && last?.kind === 'simple';
    if (isSure) effects.push({ changes: redirectChanges(last.redirects, folder) });
    if (namesOneOf(TRAVELLING, [{ links: [link], background }])) folder = isSure ? folderAfter(link, folder) : null;
    else if (isSure) effects.push(programEffects(last.words, folder));
  }
  return {
    changes: effects.flatMap(({ changes = [] }) => changes),
    discards: together(effects.flatMap(({ discards }) => discards ?? [])),
    commits: effects.some(({ commits }) => commits),
    certain: true,
  };
}

function namesOneOf(names: ReadonlySet<string>, list: List): boolean {
  const commands = list.flatMap(({ links }) => links.flatMap((link) => link.commands));
  return commands.some(({ kind, words }) =>
    kind === 'simple' ? names.has(nameIn(programIn(words))) : words.some(({ raw }) => names.has(raw)),
  );
}

function nameIn([program]: readonly Word[]): string {
  return (program?.text ?? '').replace(/^\/(?:.*\/)?/s, '');
}

/** After `cd PATH`, alone in its place; null: not certain. */
function folderAfter({ commands: [only, ...others] }: Link, folder: string | null): string | null {
  const [program, ...words] = only?.words ?? [];
  const [path, ...more] = words[0]?.text === '--' ? words.slice(1) : words;
  if (program?.text !== 'cd' || others.length + more.length > 0) return null;
  return path === undefined || path.raw.startsWith('-') ? null : inFolder(folder, path.text);
}

function programEffects(words: readonly Word[], folder: string | null): FileEffects {
  const [program, ...rest] = programIn(words);
  return program === undefined ? {} : effectsOf(nameIn([program]), rest, folder);
}

function together([first, ...others]: readonly Discard[]): Discard | undefined {
  if (first === undefined) return undefined;
  const paths = [first, ...others].map((discard) => discard.paths);
  return { how: first.how, paths: paths.includes('all') ? 'all' : [...new Set(paths.flat())] };
}

/** What a program that succeeded certainly did to files; with git, to those of the working tree. */
export interface FileEffects {
  readonly changes?: readonly FileChange[];
  readonly discards?: Discard;
  readonly commits?: boolean;
}

/** The options that it may have, and what it does with what they leave. */
type Program = readonly [options: string, effects: (read: Arguments, folder: string | null) => FileEffects];

const NOTHING: FileEffects = {};

const MOVE = '-f -v --force --verbose';

const PROGRAMS: ReadonlyMap<string, Program> = new Map<string, Program>([
  [
    'rm',
    ['-r -R -f -d -v --recursive --force --dir --verbose', (read, folder) => deleted(literals(read.operands, folder))],
  ],
  ['mv', [MOVE, moved]],
  ['cp', [`-p ${MOVE}`, copied]],
  ['sed', ['-i -E -r -n -s -u -z -e= -f= --in-place', editedInPlace]],
  ['git rm', ['-r -f -q --force --quiet', (read, folder) => deleted(pathspecs(read.operands, folder))]],
  ['git mv', [MOVE, moved]],
  ['git checkout', ['-f -q --force --quiet', checkout]],
  ['git restore', ['-S -W -q --staged --worktree --quiet -s= --source=', restore]],
  [
    'git reset',
    ['-q --hard --quiet', (read, folder) => (read.options.has('hard') ? discardAll('reset', folder) : NOTHING)],
  ],
]);

/** @param words behind the program's name */
function effectsOf(name: string, words: readonly Word[], folder: string | null): FileEffects {
  if (name === 'git') return gitEffects(words, folder);
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
function redirectChanges(redirects: readonly Redirect[], folder: string | null): readonly FileChange[] {
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

function deleted(paths: readonly string[]): FileEffects {
  return { changes: changed('deleted', paths) };
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

function transfers({ operands }: Arguments, folder: string | null): (readonly [string, string | null])[] {
  const target = operands.at(-1)?.text ?? null;
  const sources = literals(operands.slice(0, -1), folder);
  return sources.map((from) => [from, inFolder(folder, destination(baseName(from), target, sources.length > 1))]);
}

function destination(name: string, target: string | null, several: boolean): string | null {
  if (target === null) return null;
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
