import type { FactTally } from '../../governor/actions.ts';
import { commandEnd, isFailing } from '../entries/command-facts.ts';
import type { Counts, DeadEnd, FileChange, ToolEntry } from '../entry.ts';
import { remember } from '../remember.ts';
import { counted, LINE_LENGTH, oneLine, quoted } from '../words.ts';

/** Something that summaries tend to lose, on one line, and the facts in it that can be searched for in a summary. */
export interface EvidenceItem {
  readonly kind: EvidenceKind;
  /** The path or the command; else what tells it from others of its kind. */
  readonly subject: string;
  /** Of a path or a command: how it ended. */
  readonly end: string;
  readonly line: string;
  readonly facts: readonly Fact[];
  /** Ids of the calls that show it, where they matter. */
  readonly calls: readonly string[];
}

export const EVIDENCE_KINDS = ['dead end', 'failing command', 'error', 'file', 'command', 'file read'] as const;
export type EvidenceKind = (typeof EVIDENCE_KINDS)[number];

/** The newest facts about each thing. Grows in place; its size is bounded. */
export interface Evidence {
  add(entry: ToolEntry): void;
  deadEnds(current: readonly DeadEnd[]): void;
  /** A new conversation begins. Dead ends stay: what did not work will not work there either. */
  forget(): void;
  /** `created, edited 3 times`, as far as is remembered. */
  fileCounts(path: string): string;
  /** Newest first. */
  items(kind: EvidenceKind): EvidenceItem[];
}

const MAX_FILES = 1_000;
const MAX_COMMANDS = 200;
const MAX_ERRORS = 50;

/** Of each kind this many can be handed back, or looked for in a summary. */
const NEWEST = 40;

type Tally = { readonly [K in FileChange['change']]: number };

const UNTOUCHED: Tally = { created: 0, edited: 0, deleted: 0, moved: 0 };

export function createEvidence(): Evidence {
  const files = new Map<string, Tally>();
  const commands = new Map<string, ToolEntry>();
  const errors = new Map<string, ToolEntry>();
  const reads = new Map<string, true>();
  let deadEnds: readonly DeadEnd[] = [];

  function noteFile(path: string, change: FileChange['change']): void {
    const tally = files.get(path) ?? UNTOUCHED;
    remember(files, path, { ...tally, [change]: tally[change] + 1 }, MAX_FILES);
  }

  function fileCounts(path: string): string {
    const tally = files.get(path) ?? UNTOUCHED;
    const parts = (['created', 'edited', 'moved', 'deleted'] as const).filter((change) => tally[change] > 0);
    return parts
      .map((change) => (tally[change] === 1 ? change : `${change} ${counted(tally[change], 'time')}`))
      .join(', ');
  }

  function itemsOf(kind: EvidenceKind): EvidenceItem[] {
    switch (kind) {
      case 'dead end':
        return [...deadEnds].sort((a, b) => b.last - a.last).map(deadEndItem);
      case 'failing command':
        return newest(commands)
          .filter(isFailing)
          .map((entry) => commandItem(kind, entry));
      case 'command':
        return newest(commands)
          .filter((entry) => !isFailing(entry))
          .map((entry) => commandItem(kind, entry));
      case 'error':
        return newest(errors).map(errorItem);
      case 'file':
        return [...files.keys()].reverse().map((path) => fileItem(kind, path, fileCounts(path)));
      case 'file read':
        return [...reads.keys()]
          .reverse()
          .filter((path) => !files.has(path))
          .map((path) => fileItem(kind, path, ''));
    }
  }

  return {
    add(entry) {
      if (entry.reads !== undefined) remember(reads, entry.reads, true, MAX_FILES);
      for (const { path, change, to } of entry.changes ?? []) {
        noteFile(path, change);
        if (to !== undefined) noteFile(to, 'created');
      }
      if (entry.command !== undefined && entry.command.exit !== null) {
        remember(commands, entry.command.text, entry, MAX_COMMANDS);
      } else if (entry.outcome !== 'ok' && entry.outcome !== 'cancelled' && entry.signature !== undefined) {
        remember(errors, entry.signature, entry, MAX_ERRORS);
      }
    },
    deadEnds(current) {
      deadEnds = current;
    },
    forget() {
      for (const map of [files, commands, errors, reads]) map.clear();
    },
    fileCounts,
    items: (kind) => itemsOf(kind).slice(0, NEWEST),
  };
}

function newest<T>(map: ReadonlyMap<string, T>): T[] {
  return [...map.values()].reverse();
}

function fileItem(kind: 'file' | 'file read', path: string, counts: string): EvidenceItem {
  const line = `${quoted(path, LINE_LENGTH)} ${counts}`.trimEnd();
  return { kind, subject: path, end: counts, line, facts: [{ kind: 'paths', says: wordsOf(path) }], calls: [] };
}

function commandItem(kind: 'failing command' | 'command', { id, command, outcome, said }: ToolEntry): EvidenceItem {
  const text = command?.text ?? '';
  const cause = kind === 'failing command' && said !== '' ? ` ${quoted(said, LINE_LENGTH)}` : '';
  const end = `${command === undefined ? '' : commandEnd(command, outcome)}${cause}`;
  const line = `${quoted(text, LINE_LENGTH)} ${end}`;
  const facts: readonly Fact[] = [{ kind: 'commands', says: wordsOf(text) }, ...figuresOf(command?.counts)];
  return { kind, subject: text, end, line, facts, calls: [id] };
}

function errorItem({ id, name, title, said, signature = '', outcome }: ToolEntry): EvidenceItem {
  const line = `${name} ${quoted(title, LINE_LENGTH)} ${outcome}: ${quoted(said, LINE_LENGTH)}`;
  return { kind: 'error', subject: signature, end: '', line, facts: [], calls: [id] };
}

function deadEndItem({ key, text, evidence }: DeadEnd): EvidenceItem {
  const quotation = /`([^`]+)`/.exec(text)?.[1];
  const line = oneLine(text, 2 * LINE_LENGTH);
  return {
    kind: 'dead end',
    subject: key,
    end: '',
    line,
    facts: [{ kind: 'deadEnds', says: wordsOf(quotation ?? text) }],
    calls: evidence,
  };
}

/** What can be looked for in a summary, and what it counts as. */
export interface Fact {
  readonly kind: FactKind;
  /** Words that must stand in it, normalised by {@link wordsOf}. */
  readonly says: string;
  /** Words of which one must stand shortly before or behind: a figure alone could be about anything. */
  readonly near?: readonly string[];
}

export type FactKind = keyof FactTally;

/** As much of a text as a summary could be expected to repeat. */
const SAID_LENGTH = 100;

/** Characters between a figure and the word that says what it counts. */
const REACH = 24;

/** Without case, quotation marks and differences in white space. */
export function wordsOf(text: string): string {
  return normalised(text.slice(0, 4 * SAID_LENGTH))
    .slice(0, SAID_LENGTH)
    .trim();
}

export function normalised(text: string): string {
  return text
    .replace(/[`'"*]+/g, '')
    .replace(/\s+/g, ' ')
    .trim()
    .toLowerCase();
}

const NEAR: { readonly [K in keyof Counts]-?: readonly string[] } = {
  passed: ['pass', 'green', 'succe', ' ok'],
  failed: ['fail', 'broke', ' red'],
  skipped: ['skip', 'pending', 'todo'],
  errors: ['error'],
  warnings: ['warning'],
};

/** The figures of a run, without zeros. */
export function figuresOf(counts: Counts | undefined): Fact[] {
  return Object.entries(counts ?? {}).flatMap(([key, count]) =>
    count === 0 ? [] : [{ kind: 'numbers' as const, says: String(count), near: NEAR[key as keyof Counts] }],
  );
}

/** Whether a normalised text holds the fact. */
export function holds(text: string, { says, near }: Fact): boolean {
  if (says === '') return true;
  if (near === undefined) return text.includes(says);
  for (let at = text.indexOf(says); at >= 0; at = text.indexOf(says, at + 1)) {
    const end = at + says.length;
    const isWhole =
      !/(?:\d|\d[.,])$/.test(text.slice(Math.max(0, at - 2), at)) && !/^[.,]?\d/.test(text.slice(end, end + 2));
    const around = text.slice(Math.max(0, at - REACH), end + REACH);
    if (isWhole && near.some((word) => around.includes(word))) return true;
  }
  return false;
}

export function tallyOf(facts: readonly Fact[]): FactTally {
  const tally = { paths: 0, commands: 0, numbers: 0, deadEnds: 0 };
  for (const { kind } of facts) tally[kind]++;
  return tally;
}
