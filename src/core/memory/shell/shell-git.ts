import type { Discard, FileChange } from '../entry.ts';
import { START } from '../paths.ts';
import { inFolder, literals, readArguments } from './shell-arguments.ts';
import { movedFiles } from './shell-files.ts';
import type { Word } from './shell-lists.ts';

/** What a git command that succeeded did to the files of the working tree. */
export interface GitEffects {
  readonly changes?: readonly FileChange[];
  readonly discards?: Discard;
  readonly commits?: boolean;
}

type Verb = (words: readonly Word[], folder: string | null) => GitEffects;

const NOTHING: GitEffects = {};

const REMOVE = '-r -f -q --force --quiet';
const MOVE = '-f -v --force --verbose';
const CHECKOUT = '-f -q --force --quiet';
const RESTORE = '-S -W -q --staged --worktree --quiet -s= --source=';
const STASH = '-u -a -q --include-untracked --all --quiet -m= --message=';
const RESET = '-q --hard --quiet';

const VERBS: ReadonlyMap<string, Verb> = new Map<string, Verb>([
  ['rm', removed],
  ['mv', (words, folder) => ({ changes: movedFiles(readArguments(words, MOVE), folder) })],
  ['commit', committed],
  ['checkout', checkout],
  ['restore', restore],
  ['stash', stash],
  ['reset', reset],
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
  const verb = VERBS.get(words[at]?.text ?? '');
  return verb === undefined ? NOTHING : verb(words.slice(at + 1), where);
}

function committed(words: readonly Word[]): GitEffects {
  return { commits: !words.some(({ text }) => text === '--dry-run' || text === '--help') };
}

function removed(words: readonly Word[], folder: string | null): GitEffects {
  const read = readArguments(words, REMOVE);
  const paths = read === undefined ? [] : pathspecs(read.operands, folder);
  return { changes: paths.map((path) => ({ path, change: 'deleted' })) };
}

function checkout(words: readonly Word[], folder: string | null): GitEffects {
  const read = readArguments(words, CHECKOUT);
  if (read === undefined) return NOTHING;
  const { operands, after, options } = read;
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

function restore(words: readonly Word[], folder: string | null): GitEffects {
  const read = readArguments(words, RESTORE);
  if (read === undefined) return NOTHING;
  const { options, operands } = read;
  const staged = options.has('S') || options.has('staged');
  const worktree = options.has('W') || options.has('worktree');
  return staged && !worktree ? NOTHING : discard('restore', operands, folder);
}

function stash(words: readonly Word[], folder: string | null): GitEffects {
  const [first, ...rest] = words;
  if (first?.text === 'pop' || first?.text === 'apply') return discardAll('back', folder);
  const named = first?.text === 'push' || first?.text === 'save';
  if (first !== undefined && !named && !first.raw.startsWith('-')) return NOTHING;
  const read = readArguments(named ? rest : words, STASH);
  if (read === undefined) return NOTHING;
  const paths = first?.text === 'push' ? read.operands : (read.after ?? []);
  return paths.length > 0 ? discard('stash', paths, folder) : discardAll('stash', folder);
}

function reset(words: readonly Word[], folder: string | null): GitEffects {
  const read = readArguments(words, RESET);
  return read?.options.has('hard') ? discardAll('reset', folder) : NOTHING;
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
