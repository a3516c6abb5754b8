import * as v from 'valibot';
import { parseJson } from '../core/protocol/fields.ts';
import { sumOf } from '../core/text/sum-of.ts';

const count = v.pipe(v.number(), v.minValue(0));
const share = v.pipe(count, v.maxValue(1));

/** The fields of a line of `health.ndjson` that the metrics use. */
const LINE = v.object({
  v: v.literal(1),
  check_type: v.literal('context'),
  project: v.string(),
  session: v.nullable(v.string()),
  run: v.string(),
  details: v.variant('event', [
    v.object({ event: v.picklist(['turn', 'zone', 'landing', 'exhausted']) }),
    v.object({ event: v.literal('compaction'), trigger: v.picklist(['auto', 'manual']) }),
    v.object({ event: v.literal('handoff'), ms: count, fraction: v.nullable(share) }),
  ]),
});

type HealthEntry = Pick<v.InferOutput<typeof LINE>, 'project' | 'session' | 'run' | 'details'>;

/**
 * Reads a line of a health log; undefined if it is truncated, of another check or `v`, of an unknown event, or lacks a
 * figure.
 */
export function parseHealth(line: string): HealthEntry | undefined {
  const { success, output } = v.safeParse(LINE, parseJson(line));
  return success ? output : undefined;
}

/** The context health of a project. A rate or mean without data is null. */
export type HealthMetrics = ReturnType<ReturnType<typeof createHealthTally>['metrics']>;

export type HealthReport = ReturnType<ReturnType<typeof createHealthReader>['report']>;

/** Counts and skips unreadable lines. */
export function createHealthReader() {
  const total = createHealthTally();
  const tallies = new Map<string, ReturnType<typeof createHealthTally>>();
  /** Per file: the records counted, and the lines skipped (truncated, damaged, or unknown to this version). */
  const files: { file: string; records: number; unreadable: number }[] = [];

  function countLine(line: string): boolean {
    const entry = parseHealth(line);
    if (entry === undefined) return false;
    const tally = tallies.get(entry.project) ?? createHealthTally();
    tallies.set(entry.project, tally);
    tally.add(entry);
    total.add(entry);
    return true;
  }

  return {
    /** Records read before an error still count. @throws whatever `lines` throws */
    read(file: string, lines: Iterable<string>, torn: boolean): void {
      let [records, unreadable] = [0, torn ? 1 : 0];
      for (const line of lines) {
        if (countLine(line)) records += 1;
        else if (line.trim() !== '') unreadable += 1;
      }
      files.push({ file, records, unreadable });
    },
    /** Projects sorted by name, which is the working folder of their runs; files in reading order. */
    report() {
      const projects = [...tallies].map(([project, tally]) => ({ project, metrics: tally.metrics() }));
      projects.sort((a, b) => (a.project < b.project ? -1 : 1));
      return { version: 1, projects, total: total.metrics(), files: [...files] };
    },
  };
}

/**
 * Share of the window below which a handoff counts as early. By default most are early, because the level of a handoff
 * is lower.
 */
const EARLY_BELOW = 0.9;

type Handoff = Extract<HealthEntry['details'], { readonly event: 'handoff' }>;

/** Adds up records one at a time, because a ledger can be long. */
export function createHealthTally() {
  const sessions = createSessionCount();
  const counts = { turn: 0, exhausted: 0, zone: 0, auto: 0, manual: 0 };
  const handoffs: Handoff[] = [];

  return {
    add(entry: HealthEntry): void {
      const { details } = entry;
      sessions.add(entry);
      if (details.event === 'handoff') handoffs.push(details);
      else if (details.event === 'compaction') counts[details.trigger] += 1;
      else if (details.event !== 'landing') counts[details.event] += 1;
    },
    metrics() {
      const { all, exhausted } = sessions.found();
      return {
        sessions: all,
        turns: counts.turn,
        /** How often the API refused a prompt because the context was full. The aim is 0. */
        exhaustion: { count: counts.exhausted, sessions: exhausted, rate: ratio(exhausted, all) },
        handoffs: handoffMetrics(handoffs, all),
        zoneTransitions: { count: counts.zone, perSession: ratio(counts.zone, all) },
        /** `auto`: started by claude; `manual`: by `/compact`, including those of ctxb. */
        compactions: { auto: counts.auto, manual: counts.manual },
      };
    },
  };
}

function handoffMetrics(handoffs: readonly Handoff[], sessions: number) {
  const count = handoffs.length;
  const fractions = handoffs.flatMap(({ fraction }) => fraction ?? []);
  const times = handoffs.map(({ ms }) => ms);
  const earlyCount = fractions.filter((fraction) => fraction < EARLY_BELOW).length;
  return {
    count,
    perSession: ratio(count, sessions),
    early: earlyCount,
    earlyRate: ratio(earlyCount, count),
    /** The context at the decision, as a share of the window. */
    fraction: { mean: ratio(sumOf(fractions, Number), fractions.length) },
    /** Milliseconds from the decision to the fresh context. */
    ms: { mean: ratio(sumOf(times, Number), count) },
  };
}

function ratio(part: number, whole: number): number | null {
  return whole === 0 ? null : part / whole;
}

/**
 * A session is one conversation: a handoff starts a new id in the same run, and resuming continues an id in another
 * run. Records that share a run or an id belong to one session.
 */
function createSessionCount() {
  const parents = new Map<string, string>();
  const exhausted = new Set<string>();

  function rootOf(name: string): string {
    let root = name;
    for (let parent = parents.get(root); parent !== undefined && parent !== root; parent = parents.get(root)) {
      root = parent;
    }
    // Path compression: the next lookup takes one step.
    parents.set(name, root);
    return root;
  }

  const roots = (names: Iterable<string>) => new Set([...names].map(rootOf)).size;

  return {
    add({ project, run, session, details }: HealthEntry): void {
      const inRun = rootOf(JSON.stringify(['run', project, run]));
      if (session !== null) parents.set(rootOf(JSON.stringify(['session', project, session])), inRun);
      if (details.event === 'exhausted') exhausted.add(inRun);
    },
    found: () => ({ all: roots(parents.keys()), exhausted: roots(exhausted) }),
  };
}
