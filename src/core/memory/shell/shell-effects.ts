import type { Discard, FileChange } from '../entry.ts';
import { START } from '../paths.ts';
import { type FileEffects, fileEffects, redirectChanges } from './file-effects.ts';
import { inFolder } from './shell-arguments.ts';
import { type Chain, type Command, type Link, type List, programIn, shellLists, type Word } from './shell-lists.ts';

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
 * as a whole; how what stands before it ended is not known.
 */
export function shellEffects(command: string): ShellEffects {
  const list = shellLists(command);
  if (list === undefined) return UNCERTAIN;
  const { decided, changes, discards, commits } = new Run(list);
  return decided ? UNCERTAIN : { changes, discards: together(discards), commits, certain: true };
}

/** One pass over the commands, in order. `sure`: that what is looked at was run and has succeeded. */
class Run {
  readonly changes: FileChange[] = [];
  readonly discards: Discard[] = [];
  commits = false;
  /** Whether the exit status may come from the middle. */
  decided = false;
  private folder: string | null = START;

  constructor(list: List) {
    this.list(list, true);
  }

  private list(list: List, sure: boolean): void {
    for (const chain of list) this.chain(chain, sure && chain === list.at(-1));
  }

  private chain({ links, background }: Chain, sure: boolean): void {
    const folder = this.folder;
    const alternative = links.findLastIndex(({ otherwise }) => otherwise);
    links.forEach((link, at) => {
      this.link(link, sure && !background && at > alternative && !link.negated);
    });
    // A job in the background has a folder of its own.
    if (background) this.folder = folder;
  }

  private link({ commands }: Link, sure: boolean): void {
    const folder = this.folder;
    let moved = false;
    for (const command of commands) {
      this.folder = folder;
      this.command(command, sure && command === commands.at(-1));
      moved ||= this.folder !== folder;
    }
    // Some shells run the last part of a pipeline themselves.
    if (commands.length > 1) this.folder = moved ? null : folder;
  }

  private command({ kind, words, body, redirects }: Command, sure: boolean): void {
    const folder = this.folder;
    if (sure) this.changes.push(...redirectChanges(redirects, folder));
    if (kind === 'simple') this.simple(words, sure);
    else if (kind === 'block') this.block(words);
    else this.list(body, sure);
    if (kind === 'subshell') this.folder = folder;
  }

  private block(words: readonly Word[]): void {
    if (words.some(({ raw }) => DECIDING.has(raw))) this.decided = true;
    if (words.some(({ raw }) => TRAVELLING.has(raw))) this.folder = null;
  }

  private simple(words: readonly Word[], sure: boolean): void {
    const [program, ...rest] = programIn(words);
    const name = (program?.text ?? '').replace(/^\/(?:.*\/)?/s, '');
    if (DECIDING.has(name)) this.decided = true;
    else if (TRAVELLING.has(name)) this.folder = name === 'cd' && sure ? this.target(rest) : null;
    else if (sure) this.note(fileEffects(name, rest, this.folder));
  }

  private note({ changes = [], discards, commits = false }: FileEffects): void {
    this.changes.push(...changes);
    if (discards !== undefined) this.discards.push(discards);
    this.commits ||= commits;
  }

  private target(words: readonly Word[]): string | null {
    const [path, ...others] = words[0]?.text === '--' ? words.slice(1) : words;
    const uncertain = path === undefined || others.length > 0 || path.raw.startsWith('-');
    return uncertain ? null : inFolder(this.folder, path.text);
  }
}

function together([first, ...others]: readonly Discard[]): Discard | undefined {
  if (first === undefined) return undefined;
  const paths = [first, ...others].map((discard) => discard.paths);
  return { how: first.how, paths: paths.includes('all') ? 'all' : [...new Set(paths.flat())] };
}
