import { isFailing } from '../entries/command-facts.ts';
import type { ToolEntry } from '../entry.ts';
import { remember } from '../remember.ts';
import { type Command, type Link, programIn, shellLists } from '../shell/shell-lists.ts';

/** How a command ended when it last ran, as far as that was noted. */
export type CommandOutcome = 'passed' | 'failed' | 'unknown';

const MAX_COMMANDS = 500;

interface Run {
  readonly entry: ToolEntry;
  /** Computed on first use. */
  core?: CommandCore;
}

/** The last run of each command. Grows in place; its size is bounded. */
export function createCommandRuns() {
  const runs = new Map<string, Run>();
  return {
    add(entry: ToolEntry): void {
      if (entry.command === undefined || entry.command.exit === null) return;
      remember(runs, entry.command.text, { entry }, MAX_COMMANDS);
    },
    /** White space, folders and variables before a command, and pipes that only show its output make no difference. */
    outcomeOf(command: string): CommandOutcome {
      const wanted = commandCore(command).text;
      if (wanted === '') return 'unknown';
      const same = [...runs.values()].reverse().filter((run) => coreOf(run).text === wanted);
      const exact = same.find(({ entry }) => oneSpaced(entry.command?.text ?? '') === oneSpaced(command));
      const outcome = judge(exact ?? same[0]);
      // It may have run since in another folder or in another spelling: then the outcome is not certain.
      const since = exact === undefined ? [] : same.slice(0, same.indexOf(exact));
      return outcome === 'failed' && since.some((run) => judge(run) !== 'failed') ? 'unknown' : outcome;
    },
  };
}

function coreOf(run: Run): CommandCore {
  run.core ??= commandCore(run.entry.command?.text ?? '');
  return run.core;
}

function judge(run: Run | undefined): CommandOutcome {
  if (run === undefined) return 'unknown';
  if (isFailing(run.entry)) return 'failed';
  const { counts, exit } = run.entry.command ?? {};
  // The status is that of the last program of the pipe.
  if (coreOf(run).piped) return counts?.passed === undefined ? 'unknown' : 'passed';
  return exit === 0 ? 'passed' : 'unknown';
}

const NEAR = 2_000;

/** The part of a command line that tells whether two are the same command. */
export interface CommandCore {
  /** Without folders and variables before it, and without what only shows its output. */
  readonly text: string;
  /** Its output was piped to a program whose exit status has taken the place of its own. */
  readonly piped: boolean;
}

/** They show what comes in, all of it or a part. */
const VIEWERS = new Set(['tail', 'head', 'cat', 'tee', 'less']);

/** `cd app && CI=1 npm  test 2>&1 | tail -5` becomes `npm test`. */
export function commandCore(command: string): CommandCore {
  const near = command.slice(0, NEAR);
  const links = (shellLists(near) ?? []).flatMap((chain) => chain.links);
  const own = links.slice(links.findIndex((link, at) => !isChangeOfFolder(link, links[at + 1])));
  const commands = own.flatMap((link) => link.commands);
  const [first, ...viewers] = commands;
  const last = commands.at(-1);
  if (first === undefined || last === undefined) return { text: oneSpaced(near), piped: false };
  const piped = own.length === 1 && viewers.length > 0 && viewers.every(isViewer);
  return { text: oneSpaced(near.slice(beginOf(first), endOf(piped ? first : last))), piped };
}

function isChangeOfFolder({ commands: [only, ...others] }: Link, next: Link | undefined): boolean {
  if (only?.kind !== 'simple' || others.length > 0 || next === undefined || next.otherwise) return false;
  return only.words[0]?.text === 'cd' && only.words.length === 2;
}

function isViewer(command: Command): boolean {
  return command.kind === 'simple' && VIEWERS.has(command.words[0]?.text ?? '');
}

function beginOf(command: Command): number {
  return (command.kind === 'simple' ? programIn(command.words)[0]?.from : undefined) ?? command.from;
}

/** Where the output goes does not change the exit status. */
function endOf(command: Command): number {
  if (command.kind !== 'simple') return command.to;
  const inputs = command.redirects.flatMap(({ operator, target }) => (operator.includes('>') ? [] : [target]));
  const ends = [...command.words, ...inputs].map(({ to }) => to);
  return ends.length === 0 ? command.to : Math.max(...ends);
}

/** A line that goes on in the next one is one line. */
function oneSpaced(text: string): string {
  return text.replaceAll('\\\n', '').replace(/\s+/g, ' ').trim();
}
