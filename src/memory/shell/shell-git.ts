import type { Discard, FileChange } from '../entry.ts';
import { type Accepted, type Arguments, inFolder, literals, readArguments, START } from './shell-arguments.ts';
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

const REMOVE: Accepted = { letters: 'rfq', names: ['force', 'quiet'] };
const MOVE: Accepted = { letters: 'fv', names: ['force', 'verbose'] };
const CHECKOUT: Accepted = { letters: 'fq', names: ['force', 'quiet'] };
const RESTORE: Accepted = { letters: 'SWq', names: ['staged', 'worktree', 'quiet'], taking: ['s', 'source'] };
const STASH: Accepted = {
  letters: 'uaq',
  names: ['include-untracked', 'all', 'quiet'],
  taking: ['m', 'message'],
};
const RESET: Accepted = { letters: 'q', names: ['hard', 'quiet'] };

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
  if (read === undefined) return NOTHING;
  return {
    changes: pathspecs([...read.values, ...(read.after ?? [])], folder).map((path) => ({
      path,
      change: 'deleted' as const,
    })),
  };
}

function checkout(words: readonly Word[], folder: string | null): GitEffects {
  const read = readArguments(words, CHECKOUT);
  if (read === undefined) return NOTHING;
  const { values, after, options } = read;
  if (after !== undefined) return discard('checkout', after, folder);
  // With two names the first may be a branch, a commit or a path; the second can only be a path.
  if (values.length > 1) return discard('checkout', values.slice(1), folder);
  if (options.has('f') || options.has('force')) return discardAll('checkout', folder);
  return values[0] !== undefined && namesFile(values[0]) ? discard('checkout', values, folder) : NOTHING;
}

/** A lone name may be a branch; one that ends as files do, and is no version, is not. */
function namesFile({ text }: Word): boolean {
  return text === '.' || /^(?!v?\d)[^/]*\.[a-z]{2,4}$/i.test(text?.slice(text.lastIndexOf('/') + 1) ?? '');
}

function restore(words: readonly Word[], folder: string | null): GitEffects {
  const read = readArguments(words, RESTORE);
  if (read === undefined) return NOTHING;
  const { options, values, after = [] } = read;
  const staged = options.has('S') || options.has('staged');
  const worktree = options.has('W') || options.has('worktree');
  return staged && !worktree ? NOTHING : discard('restore', [...values, ...after], folder);
}

function stash(words: readonly Word[], folder: string | null): GitEffects {
  const [first, ...rest] = words;
  if (first?.text === 'pop' || first?.text === 'apply') return discardAll('back', folder);
  const named = first?.text === 'push' || first?.text === 'save';
  if (first !== undefined && !named && !first.raw.startsWith('-')) return NOTHING;
  const read = readArguments(named ? rest : words, STASH);
  if (read === undefined) return NOTHING;
  const paths = first?.text === 'push' ? [...read.values, ...(read.after ?? [])] : (read.after ?? []);
  return paths.length > 0 ? discard('stash', paths, folder) : discardAll('stash', folder);
}

function reset(words: readonly Word[], folder: string | null): GitEffects {
  const read = readArguments(words, RESET);
  return read?.options.has('hard') ? discardAll('reset', folder) : NOTHING;
}

function discard(how: Discard['how'], words: Arguments['values'], folder: string | null): GitEffects {
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
