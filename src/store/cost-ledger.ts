import { closeSync, constants, fstatSync, lstatSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import type { ContextDir } from './context-dir.ts';
import { asItIs, joined, maskedJson } from './disk-text.ts';
import { kindOf, openPlain, readAt } from './plain-file.ts';
import { isTorn } from './read-lines.ts';
import { orStoreError } from './store-error.ts';

export const COST_LEDGER = 'cost.ndjson';
/** Bytes that are in memory at a time; a line of ours has about 200, a longer one than this is left out. */
const CHUNK = 64 * 1024;

/** One line of `cost.ndjson`: a sum that came on top of what a run had spent before. */
export interface CostEntry {
  readonly v: 1;
  /** ISO time. */
  readonly t: string;
  /** Id of the run. */
  readonly run: string;
  /** claude's session id, null until it is known. */
  readonly session: string | null;
  /** Whole micro-dollars; below 0 where claude reported less than had been computed. */
  readonly microUsd: number;
  /** The sum was computed from token counts, not reported by claude. */
  readonly computed: boolean;
}

export interface CostLedgerOptions {
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly runId: string;
  /** Days and months begin at midnight, local time. */
  readonly period: 'day' | 'month';
}

/** What all runs have spent that keep their files in the same folder. */
export interface CostLedger {
  /**
   * Writes a sum down; 0 is left out.
   *
   * @param microUsd whole micro-dollars
   * @throws CtxbError `store`
   */
  add(microUsd: number, details: Pick<CostEntry, 'session' | 'computed'>): void;
  /**
   * Micro-dollars that other runs have spent so far in the period that it is now.
   *
   * @throws CtxbError `store`
   */
  spentByOthers(): number;
  /**
   * Micro-dollars that this run has spent before that period began.
   *
   * @throws CtxbError `store`
   */
  spentEarlier(): number;
}

/** Sums in micro-dollars by the day or month, `2026-03-09` or `2026-03`. */
type Sums = Map<string, number>;

/** Opens the ledger of a context folder. The file is made with the first entry. */
export function openCostLedger(folder: ContextDir, { now, runId, period }: CostLedgerOptions): CostLedger {
  const own: Sums = new Map();
  const others: Sums = new Map();
  const forget = () => {
    own.clear();
    others.clear();
  };
  const take = (line: string) => {
    const entry = parseEntry(line);
    if (entry !== undefined) addTo(entry.run === runId ? own : others, periodOf(Date.parse(entry.t), period), entry);
  };
  const look = follow(join(folder.path, COST_LEDGER), { forget, take });
  return {
    add(microUsd, { session, computed }) {
      if (microUsd !== 0)
        append(folder, { v: 1, t: new Date(now()).toISOString(), run: runId, session, microUsd, computed });
    },
    spentByOthers() {
      look();
      return others.get(periodOf(now(), period)) ?? 0;
    },
    spentEarlier() {
      look();
      const current = periodOf(now(), period);
      return [...own].reduce((sum, [when, spent]) => (when < current ? sum + spent : sum), 0);
    },
  };
}

/** Whether a ledger has been written to in the period that it is now, so that a limit still counts what is in it. */
export function isCounting(contextDir: string, { now, period }: Pick<CostLedgerOptions, 'now' | 'period'>): boolean {
  const path = join(contextDir, COST_LEDGER);
  const stats = orStoreError(path, () => lstatSync(path, { throwIfNoEntry: false }));
  return stats !== undefined && periodOf(stats.mtimeMs, period) >= periodOf(now(), period);
}

function append(folder: ContextDir, entry: CostEntry): void {
  if (!Number.isSafeInteger(entry.microUsd))
    throw new TypeError(`${entry.microUsd} is no whole number of micro-dollars`);
  const line = maskedJson(entry);
  // A line that somebody could not write to its end must not take ours with it.
  folder.append(COST_LEDGER, isTorn(folder.place(COST_LEDGER)) ? joined([asItIs('\n'), line]) : line);
}

function addTo(sums: Sums, when: string, { microUsd }: CostEntry): void {
  sums.set(when, (sums.get(when) ?? 0) + microUsd);
}

function parseEntry(line: string): CostEntry | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isEntry(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** As far as sums are made of it. */
function isEntry(value: unknown): value is CostEntry {
  if (typeof value !== 'object' || value === null) return false;
  if (!('v' in value && 't' in value && 'run' in value && 'microUsd' in value)) return false;
  const { v, t, run, microUsd } = value;
  return v === 1 && isTime(t) && typeof run === 'string' && Number.isSafeInteger(microUsd);
}

function isTime(value: unknown): boolean {
  return typeof value === 'string' && !Number.isNaN(Date.parse(value));
}

function periodOf(time: number, period: 'day' | 'month'): string {
  const date = new Date(time);
  const month = `${date.getFullYear()}-${twoDigits(date.getMonth() + 1)}`;
  return period === 'month' ? month : `${month}-${twoDigits(date.getDate())}`;
}

function twoDigits(number: number): string {
  return String(number).padStart(2, '0');
}

interface Reader {
  /** Everything that was taken so far is to be forgotten: another file is there, or a part of this one is gone. */
  forget(): void;
  take(line: string): void;
}

/** What looks at a growing file: each time, it hands on the whole lines that are new. */
function follow(path: string, { forget, take }: Reader): () => void {
  let identity = '';
  let position = 0;

  function restart(next: string): void {
    identity = next;
    position = 0;
    forget();
  }

  return () => {
    if (kindOf(path) === 'missing') return restart('');
    const fd = openPlain(path, constants.O_RDONLY);
    try {
      const stats = fstatSync(fd);
      if (identity !== identityOf(stats) || stats.size < position) restart(identityOf(stats));
      position = orStoreError(path, () => readFrom(fd, position, take));
    } finally {
      closeSync(fd);
    }
  };
}

/** The number of a file that was removed may be given to the one in its place; its time of birth is another. */
function identityOf({ dev, ino, birthtimeMs }: Stats): string {
  return `${dev} ${ino} ${birthtimeMs}`;
}

/** Hands on the whole lines from a position, and returns where the next one begins. */
function readFrom(fd: number, start: number, take: (line: string) => void): number {
  for (let position = start; ; ) {
    const chunk = readAt(fd, position, CHUNK);
    const end = chunk.lastIndexOf('\n') + 1;
    // What is left of the file is the beginning of a line that is being written.
    if (end === 0 && chunk.length < CHUNK) return position;
    for (const line of chunk.toString('utf8', 0, end).split('\n')) take(line);
    position += end === 0 ? chunk.length : end;
  }
}
