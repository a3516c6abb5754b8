import { createHash } from 'node:crypto';
import { basename, join } from 'node:path';
import { parseFields } from '../../core/protocol/fields.ts';
import { CtxbError } from '../../errors.ts';
import { isTime } from '../files/plain-file.ts';
import { fileName, openContextDir } from '../folders/context-dir.ts';
import { asItIs } from '../masks/disk-text.ts';
import { openSeal, type Seal } from '../runs/seal.ts';
import { followLedger, keepShort } from './ledger-files.ts';

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
  /** Micro-dollars that the calls under way will cost by the ones before. A run that is killed leaves them claimed. */
  readonly claimed: number;
}

export interface CostLedgerOptions {
  readonly now: () => number;
  readonly runId: string;
  /** Days and months begin at midnight, local time. */
  readonly period: 'day' | 'month';
}

/** The place of a project's cost ledger, out of reach of files in its folder. */
export interface CostPlace {
  /** The user's folder for state; undefined without one. */
  readonly state: string | undefined;
  /** The folder that the project is known by, absolute. */
  readonly project: string;
}

/** The spending of all runs of a project. */
export type CostLedger = ReturnType<typeof openCostLedger>;

/**
 * Opens the ledger of a project; the first entry creates the file. Each run writes before it reads, so two concurrent
 * runs never miss each other.
 */
export function openCostLedger({ state, project }: CostPlace, { now, runId, period }: CostLedgerOptions) {
  if (state === undefined) throw new CtxbError('store', 'no home folder to count costs in: set HOME');
  const name = nameOf(project);
  const folder = openContextDir(join(state, 'costs')).within(name);
  const seal = openSeal(state);
  const sums = sumsOf(runId, period);
  const follow = followLedger(folder.path, COST_LEDGER, {
    forget: sums.forget,
    take: (line) => sums.take(openEntry(line, seal, name)),
  });
  const look = () => follow(beginningOf(now(), period));
  const shorten = (lines: Iterable<string>) => shortened(lines, seal, name);
  return {
    /** Records a sum of whole micro-dollars, and the claim on top of it. */
    add(microUsd: number, { session, computed, claimed }: Pick<CostEntry, 'session' | 'computed' | 'claimed'>): void {
      for (const sum of [microUsd, claimed])
        if (!Number.isSafeInteger(sum)) throw new TypeError(`${sum} is no whole number of micro-dollars`);
      keepShort(folder, COST_LEDGER, { now: now(), before: beginningOf(now(), 'month'), shorten });
      const t = new Date(now()).toISOString();
      const entry: CostEntry = { v: 1, t, run: runId, session, microUsd, computed, claimed };
      folder.append(COST_LEDGER, asItIs(seal.close(JSON.stringify(entry), name)));
    },
    /** Micro-dollars that other runs have spent, and claim, so far in the period that it is now. */
    ofOthers(): number {
      look();
      return sums.ofOthers(periodOf(now(), period));
    },
    /** Micro-dollars that this run has spent before that period, as far as the last 50,000 calls of all runs tell. */
    spentEarlier(): number {
      look();
      return sums.ownBefore(periodOf(now(), period));
    },
    /** What a call of this project cost last, in micro-dollars; 0: that is not known. */
    lastCall(): number {
      look();
      return sums.lastCall();
    },
  };
}

/** Sums in micro-dollars by the day or month, `2026-03-09` or `2026-03`. */
function sumsOf(runId: string, period: 'day' | 'month') {
  const own = new Map<string, number>();
  const others = new Map<string, number>();
  const claims = new Map<string, { readonly when: string; readonly claimed: number }>();
  let lastCall = 0;
  return {
    forget() {
      for (const sums of [own, others, claims]) sums.clear();
    },
    take(entry: CostEntry | undefined) {
      if (entry === undefined) return;
      const sums = entry.run === runId ? own : others;
      const when = periodOf(Date.parse(entry.t), period);
      sums.set(when, (sums.get(when) ?? 0) + entry.microUsd);
      if (entry.run !== runId) claims.set(entry.run, { when, claimed: entry.claimed });
      if (entry.claimed > 0) lastCall = entry.claimed;
    },
    ofOthers: (current: string) =>
      [...claims.values()].reduce(
        (sum, { when, claimed }) => sum + (when === current ? claimed : 0),
        others.get(current) ?? 0,
      ),
    ownBefore: (current: string) => [...own].reduce((sum, [when, spent]) => (when < current ? sum + spent : sum), 0),
    lastCall: () => lastCall,
  };
}

/** A name that says which project it is, and is no other's. */
function nameOf(project: string): string {
  return `${fileName(basename(project)).slice(0, 30)}-${createHash('sha256').update(project).digest('hex').slice(0, 32)}`;
}

/** One line for what a session of a run has spent in a day. */
function* shortened(lines: Iterable<string>, seal: Seal, name: string): Generator<string> {
  const sums = new Map<string, CostEntry>();
  for (const line of lines) {
    const entry = openEntry(line, seal, name);
    if (entry === undefined) continue;
    const { t, run, session, computed } = entry;
    const key = JSON.stringify([periodOf(Date.parse(t), 'day'), run, session, computed]);
    sums.set(key, { ...entry, microUsd: entry.microUsd + (sums.get(key)?.microUsd ?? 0) });
  }
  for (const entry of sums.values()) yield seal.close(JSON.stringify(entry), name);
}

/** undefined for what this user's ctxb did not write, or not for this project. */
function openEntry(line: string, seal: Seal, name: string): CostEntry | undefined {
  const entry = parseFields(seal.open(line, name) ?? '');
  const { v, t, run, microUsd, claimed } = entry;
  const isEntry = v === 1 && isTime(t) && typeof run === 'string';
  return isEntry && Number.isSafeInteger(microUsd) && Number.isSafeInteger(claimed)
    ? (entry as unknown as CostEntry)
    : undefined;
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
