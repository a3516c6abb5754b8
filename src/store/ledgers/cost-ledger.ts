import { hash } from 'node:crypto';
import { basename, join } from 'node:path';
import { parseFields, timeOf } from '../../core/protocol/fields.ts';
import { CtxbError } from '../../errors.ts';
import { takeLock } from '../files/lock.ts';
import { identityOf, kindOf, matchingNames, removeFile, statsOf } from '../files/plain-file.ts';
import { readLines } from '../files/read-lines.ts';
import { fileName, openContextDir } from '../folders/context-dir.ts';
import { unmaskedText } from '../masks/disk-text.ts';
import { openSeal, type Seal } from '../runs/seal.ts';

/** One line of the ledger: an amount that a run has spent since its previous line. */
interface CostEntry {
  readonly v: 1;
  readonly t: string;
  readonly run: string;
  /** Whole micro-dollars; negative where claude reported less than ctxb had computed. */
  readonly microUsd: number;
  /** Expected cost of the running calls, in micro-dollars. It stays if the run is killed. */
  readonly claimed: number;
  /** Cost of a call of this run, by claude's last report; 0 if unknown. */
  readonly call: number;
}

export interface CostLedgerOptions {
  readonly now: () => number;
  readonly runId: string;
  /** Days and months begin at midnight, local time. */
  readonly period: 'day' | 'month';
}

/** Identifies a project's cost ledger, which is stored outside of the project. */
export interface CostPlace {
  readonly state: string | undefined;
  readonly project: string;
}

export type CostLedger = ReturnType<typeof openCostLedger>;

/**
 * Number of days with spending that are kept. More than a month, so that a clock that is wrong for a while does not
 * remove the current period.
 */
const KEPT_DAYS = 62;

/**
 * Opens a project's ledger for a run. Each run writes before it reads, so concurrent runs never miss each other's
 * spending.
 */
export function openCostLedger({ state, project }: CostPlace, { now, runId, period }: CostLedgerOptions) {
  if (state === undefined) throw new CtxbError('store', 'no home folder for the costs: set HOME');
  const name = nameOf(project);
  const folder = openContextDir(join(state, 'costs'), name);
  const seal = openSeal(state);
  /** This run's spending in micro-dollars, by the start of the period. */
  const ownByPeriod = new Map<number, number>();
  let since = 0;
  let others = 0;
  let lastCall = 0;
  /** The latest claim of each other run, in micro-dollars. */
  const claims = new Map<string, number>();
  const follow = followDays(folder.path, { forget, take: (line) => take(openEntry(line, seal, name)) });

  function forget(): void {
    others = 0;
    claims.clear();
  }

  function take(entry: CostEntry | undefined): void {
    if (entry === undefined || Date.parse(entry.t) < since) return;
    if (entry.call > 0) lastCall = entry.call;
    if (entry.run === runId) return;
    others += entry.microUsd;
    claims.set(entry.run, entry.claimed);
  }

  function look(): void {
    since = beginningOf(now(), period);
    follow(since);
  }

  return {
    /** Records an amount, and the expected cost of running calls, both in whole micro-dollars. */
    add(microUsd: number, { claimed, call }: Pick<CostEntry, 'claimed' | 'call'>): void {
      for (const sum of [microUsd, claimed, call])
        if (!Number.isSafeInteger(sum)) throw new TypeError(`${sum} is no whole number of micro-dollars`);
      const file = dayFile(now());
      const t = new Date(now()).toISOString();
      const entry: CostEntry = { v: 1, t, run: runId, microUsd, claimed, call };
      const isNewDay = kindOf(join(folder.path, file)) === 'missing';
      folder.append(file, unmaskedText(seal.close(JSON.stringify(entry), name)));
      if (isNewDay) for (const old of dayFiles(folder.path).slice(0, -KEPT_DAYS)) removeFile(join(folder.path, old));
      const beginning = beginningOf(now(), period);
      ownByPeriod.set(beginning, (ownByPeriod.get(beginning) ?? 0) + microUsd);
    },
    /** Micro-dollars that other runs have spent and claimed in the current period. */
    spentByOthers(): number {
      look();
      return [...claims.values()].reduce((sum, claimed) => sum + claimed, others);
    },
    /** Micro-dollars that this run spent before the current period. */
    spentEarlier(): number {
      const current = beginningOf(now(), period);
      return [...ownByPeriod].reduce((sum, [beginning, spent]) => (beginning < current ? sum + spent : sum), 0);
    },
    /** A lock for one run at a time; undefined while another run has it. */
    takeLock: () => takeLock(folder, runId),
    /** Cost of the newest call of the project's runs, in micro-dollars; 0 if unknown. */
    lastCall(): number {
      look();
      return lastCall;
    },
  };
}

function nameOf(project: string): string {
  return `${fileName(basename(project)).slice(0, 30)}-${hash('sha256', project).slice(0, 32)}`;
}

/** Reads a line; undefined unless this user's ctxb wrote it for this project. */
function openEntry(line: string, seal: Seal, name: string): CostEntry | undefined {
  const entry = parseFields(seal.open(line, name) ?? '');
  const { v, t, run, microUsd, claimed, call } = entry;
  const isEntry = v === 1 && timeOf(t) !== undefined && typeof run === 'string';
  return isEntry && [microUsd, claimed, call].every(Number.isSafeInteger) ? (entry as unknown as CostEntry) : undefined;
}

function beginningOf(time: number, period: 'day' | 'month'): number {
  const date = new Date(time);
  return new Date(date.getFullYear(), date.getMonth(), period === 'day' ? date.getDate() : 1).getTime();
}

/** A ledger has a file for each day (UTC), so that reading a period skips earlier days. */
const DAY_FILE = /^\d{4}-\d\d-\d\d\.ndjson$/;

/** The name of a day's file. @param time in milliseconds since the epoch */
function dayFile(time: number): string {
  return `${new Date(time).toISOString().slice(0, 10)}.ndjson`;
}

/** The files of the days, oldest first. */
function dayFiles(folder: string): string[] {
  return matchingNames(folder, DAY_FILE).sort();
}

/** Maximum bytes read at a time. More would delay a run by seconds. */
const MAX_BYTES = 64 * 1024 * 1024;

interface Reader {
  /** Drops all lines so far: a new period begins, or a file was replaced or removed. */
  forget(): void;
  take(line: string): void;
}

interface Position {
  readonly identity: string;
  readonly at: number;
}

/** Passes on the new complete lines of the day files since a time, oldest first. */
function followDays(folder: string, { forget, take }: Reader): (since: number) => void {
  let read = new Map<string, Position>();
  let from: number | undefined;
  return (since) => {
    const files = dayFiles(folder)
      .filter((name) => name >= dayFile(since))
      .flatMap((name) => fileAt(join(folder, name)) ?? []);
    const isSame = ([path, { identity, at }]: [string, Position]) =>
      files.some((file) => file.path === path && file.identity === identity && file.size >= at);
    if (since !== from || ![...read].every(isSame)) {
      forget();
      read = new Map();
      from = since;
    }
    const positionOf = (path: string) => read.get(path)?.at ?? 0;
    if (files.reduce((sum, { path, size }) => sum + size - positionOf(path), 0) > MAX_BYTES) throw limitReached(folder);
    for (const { path, identity } of files) read.set(path, { identity, at: readFrom(path, positionOf(path), take) });
  };
}

function fileAt(path: string) {
  const stats = statsOf(path);
  return stats && { path, size: stats.size, identity: identityOf(stats) };
}

function limitReached(folder: string): CtxbError {
  const max = `${MAX_BYTES / 1024 / 1024} MiB`;
  return new CtxbError('store', `${folder} holds more than ${max} of one day or month: move it away, or set no limit`);
}

/** Passes on the complete lines after a position, and returns the position of the next one. */
function readFrom(path: string, start: number, take: (line: string) => void): number {
  const lines = readLines(path, start);
  for (;;) {
    const { done, value } = lines.next();
    if (done) return value;
    take(value);
  }
}
