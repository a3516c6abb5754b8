import { putNewest } from '../../text/put-newest.ts';
import { inBackticks, LINE_LENGTH, oneLine, pluralize } from '../../text/words.ts';
import type { CommandFacts, DeadEnd, FileChange, ToolEntry } from '../entry.ts';
import { commandEnd } from '../extract/tool-calls.ts';
import { type ComparedCommand, collapseSpaces, comparedCommand } from '../shell/command-words.ts';
import { commandFact, deadEndFact, type Fact, pathFact } from './fact.ts';

/** A fact that summaries tend to lose, on one line, with the patterns that find it in a fresh context. */
export interface EvidenceItem {
  readonly kind: EvidenceKind;
  /** The path or the command; otherwise an identifier within the kind. */
  readonly subject: string;
  /** How a command ended, or how a path changed. */
  readonly end: string;
  readonly line: string;
  /** A shorter line, without the cause of a failure. */
  readonly brief: string;
  readonly fact: Fact;
}

export const EVIDENCE_KINDS = ['dead end', 'failing command', 'file', 'command', 'file read'] as const;
export type EvidenceKind = (typeof EVIDENCE_KINDS)[number];

const MAX_FILES = 1_000;
const MAX_COMMANDS = 500;

/** Items of each kind that can be handed back or searched for in a summary. */
const NEWEST = 40;

/** How often a file was changed, by the kind of change. */
type Tally = { readonly [K in FileChange['change']]?: number };

export type Evidence = ReturnType<typeof createEvidence>;

/** Outcome of a command's last noted run. */
export type CommandOutcome = 'passed' | 'failed' | 'unknown';

/** The newest facts about each file and command. Mutable, with bounded size. */
export function createEvidence(deadEnds: () => readonly DeadEnd[]) {
  const files = new Map<string, Tally>();
  const commands = new Map<string, CommandRuns>();
  const reads = new Map<string, true>();

  function fileCounts(path: string): string {
    const changes = Object.entries(files.get(path) ?? {});
    return changes
      .map(([change, count]) => (count === 1 ? change : `${change} ${pluralize(count, 'time')}`))
      .join(', ');
  }

  function itemsOf(kind: EvidenceKind): EvidenceItem[] {
    switch (kind) {
      case 'dead end':
        return [...deadEnds()].sort((a, b) => b.last - a.last).map(deadEndItem);
      case 'failing command':
      case 'command': {
        const runs = newest(commands.values()).filter((run) => isFailing(run) === (kind === 'failing command'));
        return runs.map((run) => commandItem(kind, run));
      }
      case 'file':
        return newest(files.keys()).map((path) => fileItem(kind, path, fileCounts(path)));
      case 'file read':
        return newest(reads.keys()).flatMap((path) => (files.has(path) ? [] : [fileItem(kind, path, '')]));
    }
  }

  return {
    add(entry: ToolEntry): void {
      if (entry.reads !== undefined) putNewest(reads, entry.reads, true, MAX_FILES);
      const { command, change: changed } = entry;
      if (changed !== undefined) {
        const { path, change } = changed;
        const tally = files.get(path) ?? {};
        putNewest(files, path, { ...tally, [change]: (tally[change] ?? 0) + 1 }, MAX_FILES);
      }
      if (command === undefined || command.exit === null) return;
      const { times = 0 } = commands.get(command.text) ?? {};
      const run = { entry, command, core: comparedCommand(command.text), times: times + 1 };
      putNewest(commands, command.text, run, MAX_COMMANDS);
    },
    /** Ignores white space, folders and variables before a command, and pipes that only show its output. */
    outcomeOf(command: string): CommandOutcome {
      const wanted = comparedCommand(command).text;
      if (wanted === '') return 'unknown';
      const same = newest(commands.values()).filter(({ core }) => core.text === wanted);
      const exact = same.findIndex((run) => collapseSpaces(run.command.text) === collapseSpaces(command));
      const last = Math.max(0, exact);
      const outcome = outcomeOfRuns(same[last]);
      // A later run in another folder or spelling makes the outcome uncertain.
      const isOpen = same.slice(0, last).some((run) => outcomeOfRuns(run) !== 'failed');
      return outcome === 'failed' && isOpen ? 'unknown' : outcome;
    },
    /** Clears the evidence for a new conversation. Dead ends stay: a failed approach fails there too. */
    forget(): void {
      for (const map of [files, commands, reads]) map.clear();
    },
    /** `created, edited 3 times`, for the newest files. */
    fileCounts,
    /** Newest first. */
    items: (kind: EvidenceKind) => itemsOf(kind).slice(0, NEWEST),
  };
}

function newest<T>(items: Iterable<T>): T[] {
  return [...items].reverse();
}

function fileItem(kind: 'file' | 'file read', path: string, counts: string): EvidenceItem {
  const line = `${inBackticks(path, LINE_LENGTH)} ${counts}`.trimEnd();
  return { kind, subject: path, end: counts, line, brief: line, fact: pathFact(path) };
}

/** The last run of a command, and the number of runs. */
interface CommandRuns {
  readonly entry: ToolEntry;
  readonly command: CommandFacts;
  readonly core: ComparedCommand;
  readonly times: number;
}

function isFailing({ entry, command }: CommandRuns): boolean {
  return entry.outcome === 'failed' || Number(command.exit) > 1 || command.failures !== undefined;
}

function outcomeOfRuns(run: CommandRuns | undefined): CommandOutcome {
  if (run === undefined) return 'unknown';
  if (isFailing(run)) return 'failed';
  // A pipe returns the exit status of its last program.
  return run.command.exit === 0 && !run.core.isPiped ? 'passed' : 'unknown';
}

function commandItem(kind: 'failing command' | 'command', { entry, command, times }: CommandRuns): EvidenceItem {
  const { outcome, said } = entry;
  const { text } = command;
  const cause = kind === 'failing command' && said !== '' ? ` ${inBackticks(said, LINE_LENGTH)}` : '';
  const end = commandEnd(command, outcome);
  const brief = `${inBackticks(text, LINE_LENGTH)} ${end}`;
  const factKind = kind === 'failing command' ? 'failing' : times > 1 ? 'again' : 'commands';
  const fact = commandFact(factKind, text);
  return { kind, subject: text, end: `${end}${cause}`, line: `${brief}${cause}`, brief, fact };
}

function deadEndItem({ key, text }: DeadEnd): EvidenceItem {
  const line = oneLine(text, 2 * LINE_LENGTH);
  return { kind: 'dead end', subject: key, end: '', line, brief: oneLine(text, LINE_LENGTH), fact: deadEndFact(line) };
}
