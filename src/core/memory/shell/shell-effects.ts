import type { Discard, FileChange } from '../entry.ts';
import { baseName, leavesFolder, normalised } from '../paths.ts';
import { type Link, programIn, shellLists, type Word } from './shell-lists.ts';

/** What a command has certainly done to files. */
export interface ShellEffects {
  /** In the order they came; paths are relative to the folder that the command was run in. */
  readonly changes?: readonly FileChange[];
  /** A path may be a folder: then it stands for all in it. */
  readonly discards?: Discard | undefined;
  readonly commits?: boolean;
}

const NONE: ShellEffects = {};

/** They end the shell early, or change what other words mean. */
const DECIDES = /(?:^|[;&|(]|\bthen\b)\s*(?:exit|return|exec|trap|alias|eval|source)\b/;

/**
 * What a Bash command has certainly done to files, given that its exit status was 0: the last chain of `&&` has succeeded
 * as a whole. What stands before it, and what is in loops and groups, is not known.
 */
export function shellEffects(command: string): ShellEffects {
  const chain = DECIDES.test(command) ? undefined : shellLists(command)?.at(-1);
  if (chain === undefined || chain.background) return NONE;
  const sure = chain.links.slice(chain.links.findLastIndex(({ otherwise }) => otherwise) + 1);
  const effects = sure.map(effectsOf);
  const isElsewhere = leavesFolder(command);
  const changes = effects.flatMap((each) => each.changes ?? []);
  return {
    changes: isElsewhere ? changes.filter(({ path }) => path.startsWith('/')) : changes,
    discards: together(effects.flatMap(({ discards }) => discards ?? [])),
    commits: effects.some(({ commits }) => commits),
  };

  /** In another folder all that is not committed may be that of another repository. */
  function together([first, ...others]: readonly Discard[]): Discard | undefined {
    if (first === undefined) return undefined;
    const paths = [first, ...others].map((discard) => discard.paths);
    if (!paths.includes('all')) return { how: first.how, paths: [...new Set(paths.flat())] };
    return isElsewhere ? undefined : { how: first.how, paths: 'all' };
  }
}

type Way = readonly [unless: string, effects: (words: readonly Word[]) => ShellEffects];

/** By program: the options that make it uncertain, and what it does without them. */
const WAYS: ReadonlyMap<string, Way> = new Map<string, Way>([
  ['rm', ['-i', deleted]],
  ['git rm', ['--cached', deleted]],
  ['mv', ['-i -n', moved]],
  ['git mv', ['-n', moved]],
  ['git checkout', ['-b -B -p --patch --ours --theirs', (words) => discard('checkout', checkedOut(words))]],
  ['git restore', ['-S --staged -p --patch', (words) => discard('restore', filesIn(words))]],
  ['git reset', ['', (words) => (hasOne(words, '--hard') ? discard('reset', ['.']) : NONE)]],
  ['git commit', ['--dry-run --help', () => ({ commits: true })]],
]);

function effectsOf({ negated, commands }: Link): ShellEffects {
  const last = commands.at(-1);
  const [program, ...words] = last?.kind === 'simple' ? programIn(last.words) : [];
  const name = baseName(program?.text ?? '');
  const way = WAYS.get(name === 'git' ? `git ${words.shift()?.text}` : name);
  if (negated || way === undefined || hasOne(words, way[0])) return NONE;
  return way[1](words);
}

function hasOne(words: readonly Word[], options: string): boolean {
  return words.some(({ raw }) => options.split(' ').includes(raw));
}

function deleted(words: readonly Word[]): ShellEffects {
  return { changes: filesIn(words).map((path) => ({ path, change: 'deleted' })) };
}

function discard(how: Discard['how'], paths: readonly string[]): ShellEffects {
  return paths.length === 0 ? NONE : { discards: { how, paths: paths.includes('.') ? 'all' : paths } };
}

/** The paths that are certain. git expands globs and `:(magic)` itself, also quoted ones. */
function filesIn(words: readonly Word[]): string[] {
  return words.flatMap(({ text }) => (text === null || /^$|^[-:]|[*?[]/.test(text) ? [] : normalised(text)));
}

/** Before `--` stand branches and commits too: a name counts that ends as files do, and is no version. */
function checkedOut(words: readonly Word[]): string[] {
  const end = words.findIndex(({ text }) => text === '--');
  return end >= 0 ? filesIn(words.slice(end + 1)) : filesIn(words).filter((path) => path === '.' || isFile(path));
}

function isFile(path: string): boolean {
  return /^(?!v?\d)[^/]*\.[a-z]{2,4}$/i.test(baseName(path));
}

/** Of a move into a place that may be a file or a folder only the source is certain. */
function moved(words: readonly Word[]): ShellEffects {
  const [from, to, ...more] = filesIn(words);
  if (from === undefined || to === undefined || more.length > 0) return NONE;
  return { changes: [{ path: from, change: 'moved', ...(isFile(from) && isFile(to) ? { to } : {}) }] };
}
