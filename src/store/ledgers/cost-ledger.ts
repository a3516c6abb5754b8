import { basename } from 'node:path';
import { parseFields } from '../../core/protocol/fields.ts';
import { isTime, statsOf } from '../files/plain-file.ts';
import type { ContextDir } from '../folders/context-dir.ts';
import { maskedJson } from '../masks/disk-text.ts';
import { followLedger, isLedgerFile, keepShort, ledgerFiles } from './ledger-files.ts';

const COST_LEDGER = 'cost.ndjson';

/** One line of `cost.ndjson`: a sum that came on top of what a run had spent before. */
export interface CostEntry {
  readonly v: 1;
  readonly t: string;
  readonly run: string;
  /** claude's session id, null until it is known. */
  readonly session: string | null;
  /** Whole micro-dollars; below 0 where claude reported less than had been computed. */
  readonly microUsd: number;
  /** The sum was computed from token counts, not reported by claude. */
  readonly computed: boolean;
}

export interface CostLedgerOptions {
  readonly now: () => number;
  readonly runId: string;
  /** Days and months begin at midnight, local time. */
  readonly period: 'day' | 'month';
}

/** What all runs have spent that keep their files in the same folder. */
export type CostLedger = ReturnType<typeof openCostLedger>;

/** Opens the ledger of a context folder. The file is made with the first entry. */
export function openCostLedger(folder: ContextDir, { now, runId, period }: CostLedgerOptions) {
  /** Sums in micro-dollars by the day or month, `2026-03-09` or `2026-03`. */
  const own = new Map<string, number>();
  const others = new Map<string, number>();
  const forget = () => {
    own.clear();
    others.clear();
  };
  const take = (line: string) => {
    const entry = parseEntry(line);
    if (entry === undefined) return;
    const sums = entry.run === runId ? own : others;
    const when = periodOf(Date.parse(entry.t), period);
    sums.set(when, (sums.get(when) ?? 0) + entry.microUsd);
  };
  const follow = followLedger(folder.path, COST_LEDGER, { forget, take });
  const look = () => follow(beginningOf(now(), period));
  return {
    /** Writes a sum of whole micro-dollars down; 0 is left out. */
    add(microUsd: number, { session, computed }: Pick<CostEntry, 'session' | 'computed'>): void {
      if (microUsd === 0) return;
      if (!Number.isSafeInteger(microUsd)) throw new TypeError(`${microUsd} is no whole number of micro-dollars`);
      keepShort(folder, COST_LEDGER, { now: now(), before: beginningOf(now(), 'month'), shorten });
      const entry: CostEntry = { v: 1, t: new Date(now()).toISOString(), run: runId, session, microUsd, computed };
      folder.append(COST_LEDGER, maskedJson(entry));
    },
    /** Micro-dollars that other runs have spent so far in the period that it is now. */
    spentByOthers(): number {
      look();
      return others.get(periodOf(now(), period)) ?? 0;
    },
    /** Micro-dollars that this run has spent before that period, as far as the last 50,000 turns of all runs tell. */
    spentEarlier(): number {
      look();
      const current = periodOf(now(), period);
      return [...own].reduce((sum, [when, spent]) => (when < current ? sum + spent : sum), 0);
    },
  };
}

/** Whether a ledger has been written to in the period that it is now, so that a limit still counts what is in it. */
export function isCounting(contextDir: string, { now, period }: Pick<CostLedgerOptions, 'now' | 'period'>): boolean {
  return ledgerFiles(contextDir, COST_LEDGER).some((path) => {
    const stats = statsOf(path);
    return stats !== undefined && stats.mtimeMs >= beginningOf(now(), period);
  });
}

export function isCostLedger(path: string): boolean {
  return basename(path) === path && isLedgerFile(path, COST_LEDGER);
}

/** One line for what a session of a run has spent in a day. */
function* shorten(lines: Iterable<string>): Generator<string> {
  const sums = new Map<string, CostEntry>();
  for (const line of lines) {
    const entry = parseEntry(line);
    if (entry === undefined) continue;
    const { t, run, session, computed } = entry;
    const key = JSON.stringify([periodOf(Date.parse(t), 'day'), run, session, computed]);
    sums.set(key, { ...entry, microUsd: entry.microUsd + (sums.get(key)?.microUsd ?? 0) });
  }
  for (const entry of sums.values()) yield JSON.stringify(entry);
}

/** As far as sums are made of it. */
function parseEntry(line: string): CostEntry | undefined {
  const entry = parseFields(line);
  const { v, t, run, microUsd } = entry;
  const isEntry = v === 1 && isTime(t) && typeof run === 'string' && Number.isSafeInteger(microUsd);
  return isEntry ? (entry as unknown as CostEntry) : undefined;
}

function periodOf(time: number, period: 'day' | 'month'): string {
  const date = new Date(time);
  const [month, day] = [date.getMonth() + 1, date.getDate()].map((number) => String(number).padStart(2, '0'));
  return [date.getFullYear(), month, ...(period === 'day' ? [day] : [])].join('-');
}

function beginningOf(time: number, period: 'day' | 'month'): number {
  const date = new Date(time);
  return new Date(date.getFullYear(), date.getMonth(), period === 'day' ? date.getDate() : 1).getTime();
}
