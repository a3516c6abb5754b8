import type { Discard, FileChange } from '../entry.ts';
import { START } from '../paths.ts';
import { inFolder, programIn } from './shell-arguments.ts';
import { fileChanges, redirectChanges } from './shell-files.ts';
import { gitEffects } from './shell-git.ts';
import {
  type Block,
  type Chain,
  type Command,
  type Group,
  type Link,
  type List,
  type Simple,
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

const NOTHING: ShellEffects = { changes: [], discards: undefined, commits: false, certain: true };
const UNCERTAIN: ShellEffects = { ...NOTHING, certain: false };

/** They end the shell early with any status, or change what other words mean. */
const DECIDING = new Set(['exit', 'return', 'exec', 'trap', 'alias', 'logout']);
/** They go to another folder, or may. */
const TRAVELLING = new Set(['cd', 'pushd', 'popd', 'eval', 'source', '.', 'chdir']);

/**
 * What a Bash command has certainly done to files, given that its exit status was 0: the last chain of `&&` has succeeded
 * as a whole, of what stands before it only the chains that would have ended the shell (`|| exit 1`) are known.
 */
export function shellEffects(command: string): ShellEffects {
  const list = shellLists(command);
  if (list === undefined) return UNCERTAIN;
  const run = new Run();
  run.list(list, true);
  return run.decided
    ? UNCERTAIN
    : { ...NOTHING, changes: run.changes, discards: together(run.discards), commits: run.commits };
}

/** One pass over the commands, in order. `sure`: that what is looked at was run and has succeeded. */
class Run {
  readonly changes: FileChange[] = [];
  readonly discards: Discard[] = [];
  commits = false;
  /** Whether the exit status may come from the middle. */
  decided = false;
  private folder: string | null = START;

  list(list: List, sure: boolean): void {
    for (const chain of list) this.chain(chain, sure && chain === list.at(-1), sure);
  }

  private chain({ links, background }: Chain, sure: boolean, run: boolean): void {
    const folder = this.folder;
    const guarded = run && !background && endsShell(links.at(-1));
    const known = guarded ? links.slice(0, -1) : links;
    const alternative = known.findLastIndex(({ otherwise }) => otherwise);
    known.forEach((link, at) => {
      this.link(link, (sure || guarded) && !background && at > alternative);
    });
    // A job in the background has a folder of its own.
    if (background) this.folder = folder;
  }

  private link({ commands, negated }: Link, sure: boolean): void {
    const [only] = commands;
    if (only !== undefined && commands.length === 1) this.command(only, sure && !negated);
    else this.pipe(commands, sure && !negated);
  }

  private pipe(commands: readonly Command[], sure: boolean): void {
    const folder = this.folder;
    let moved = false;
    for (const command of commands) {
      this.folder = folder;
      this.command(command, sure && command === commands.at(-1));
      moved ||= this.folder !== folder;
    }
    // Some shells run the last part of a pipeline themselves.
    this.folder = moved ? null : folder;
  }

  private command(command: Command, sure: boolean): void {
    if (sure) this.changes.push(...redirectChanges(command.redirects, this.folder));
    if (command.kind === 'simple') this.simple(command, sure);
    else if (command.kind === 'block') this.block(command);
    else this.group(command, sure);
  }

  private group({ kind, body }: Group, sure: boolean): void {
    const folder = this.folder;
    this.list(body, sure);
    if (kind === 'subshell') this.folder = folder;
  }

  private block({ words }: Block): void {
    if (words.some((word, at) => decides(word.raw, words[at + 1]))) this.decided = true;
    if (words.some(({ raw }) => TRAVELLING.has(raw))) this.folder = null;
  }

  private simple({ words }: Simple, sure: boolean): void {
    const [program, ...rest] = programIn(words);
    const name = nameOf(program);
    if (decides(name, rest[0])) this.decided = true;
    else if (TRAVELLING.has(name)) this.folder = name === 'cd' && sure ? this.target(rest) : null;
    else if (!sure) return;
    else if (name === 'git') this.git(rest);
    else this.changes.push(...fileChanges(name, rest, this.folder));
  }

  private git(words: readonly Word[]): void {
    const { changes = [], discards, commits = false } = gitEffects(words, this.folder);
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

/** Of an absolute path the last part. */
function nameOf(program: Word | undefined): string {
  const name = program?.text ?? '';
  return name.startsWith('/') ? name.slice(name.lastIndexOf('/') + 1) : name;
}

/** An exit with a status other than 0 was not run, for the status was 0. */
function decides(name: string, status: Word | undefined): boolean {
  return DECIDING.has(name) && !isFailing(name, status);
}

function isFailing(name: string | undefined, status: Word | undefined): boolean {
  return (name === 'exit' || name === 'return') && /^[1-9]\d?$/.test(status?.text ?? '');
}

/** `… || exit 1` and `… || { …; exit 1; }`: what comes before has succeeded. */
function endsShell(link: Link | undefined): boolean {
  const [command, ...others] = link?.commands ?? [];
  if (!link?.otherwise || others.length > 0) return false;
  const last = command?.kind === 'group' ? command.body.at(-1)?.links : undefined;
  const simple = last?.length === 1 ? last[0]?.commands[0] : command;
  return simple?.kind === 'simple' && isFailing(simple.words[0]?.text ?? undefined, simple.words[1]);
}

/** The discards of one command as one: what was put into a stash and taken out again was not discarded. */
function together(discards: readonly Discard[]): Discard | undefined {
  const kept: Discard[] = [];
  for (const discard of discards) {
    const stash = discard.how === 'back' ? kept.findLastIndex(({ how }) => how === 'stash') : -1;
    if (stash === -1) kept.push(discard);
    else kept.splice(stash, 1);
  }
  const [first] = kept.filter(({ how }) => how !== 'back');
  if (first === undefined) return kept[0];
  const paths = new Set<string>();
  for (const discard of kept) {
    if (discard.how === 'back') continue;
    if (discard.paths === 'all') return { how: first.how, paths: 'all' };
    for (const path of discard.paths) paths.add(path);
  }
  return { how: first.how, paths: [...paths] };
}
