import { parseHealth } from './health-lines.ts';
import { createHealthTally, type HealthMetrics, type HealthTally } from './health-metrics.ts';

/** The health of any number of projects. */
export interface HealthReport {
  readonly version: 1;
  /** In order of name. */
  readonly projects: readonly ProjectHealth[];
  /** All projects as one. */
  readonly total: HealthMetrics;
  /** What was read, in that order. */
  readonly files: readonly HealthFile[];
}

export interface ProjectHealth {
  /** The working folder that the runs named. */
  readonly project: string;
  readonly metrics: HealthMetrics;
}

export interface HealthFile {
  readonly file: string;
  /** Records that were counted. */
  readonly records: number;
  /** Lines that were not: torn, damaged, or of a kind that this version does not know. */
  readonly unreadable: number;
}

/** A ledger to read. */
export interface HealthSource {
  readonly file: string;
  /** Its whole lines. */
  readonly lines: Iterable<string>;
  /** Whether half a line follows them. */
  readonly torn: boolean;
}

/** Reads ledgers one after the other, a line at a time. What cannot be read is counted and left out. */
export interface HealthReader {
  /** @throws what `lines` throws; what came before that counts */
  read(source: HealthSource): void;
  report(): HealthReport;
}

export function createHealthReader(): HealthReader {
  const total = createHealthTally();
  const tallies = new Map<string, HealthTally>();
  const files: HealthFile[] = [];

  function take(line: string): number {
    const entry = parseHealth(line);
    if (entry === undefined) return 0;
    const tally = tallies.get(entry.project) ?? createHealthTally();
    tallies.set(entry.project, tally);
    tally.add(entry);
    total.add(entry);
    return entry.count ?? 1;
  }

  return {
    read({ file, lines, torn }) {
      let [records, unreadable] = [0, torn ? 1 : 0];
      for (const line of lines) {
        const count = take(line);
        records += count;
        if (count === 0 && line.trim() !== '') unreadable += 1;
      }
      files.push({ file, records, unreadable });
    },
    report() {
      const projects = [...tallies].map(([project, tally]) => ({ project, metrics: tally.metrics() }));
      projects.sort((a, b) => (a.project < b.project ? -1 : 1));
      return { version: 1, projects, total: total.metrics(), files: [...files] };
    },
  };
}
