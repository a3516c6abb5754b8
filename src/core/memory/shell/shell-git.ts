import type { Discard, FileChange } from '../entry.ts';
import { START } from '../paths.ts';
import { type Arguments, inFolder, literals, readArguments } from './shell-arguments.ts';
import { movedFiles } from './shell-files.ts';
import type { Word } from './shell-lists.ts';

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
