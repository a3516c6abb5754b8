import { type HealthDetails, ZONE_NAMES } from '../core/governor/zones/zones.ts';
import { type HealthEntry, parseHealth } from './health-lines.ts';

/** The context health of a project. A rate or a mean over nothing is null. */
export type HealthMetrics = ReturnType<ReturnType<typeof createHealthTally>['metrics']>;

/** The health of any number of projects. */
export type HealthReport = ReturnType<ReturnType<typeof createHealthReader>['report']>;

/** A ledger: its whole lines, and whether half a line follows them. */
interface HealthSource {
  readonly file: string;
  readonly lines: Iterable<string>;
  readonly torn: boolean;
}

/** Reads ledgers one after the other, a line at a time. What cannot be read is counted and left out. */
export function createHealthReader() {
  const total = createHealthTally();
  const tallies = new Map<string, ReturnType<typeof createHealthTally>>();
  /** With the records that were counted, and the lines that were not: torn, damaged, or unknown to this version. */
  const files: { file: string; records: number; unreadable: number }[] = [];

  function take(line: string): boolean {
    const entry = parseHealth(line);
    if (entry === undefined) return false;
    const tally = tallies.get(entry.project) ?? createHealthTally();
    tallies.set(entry.project, tally);
    tally.add(entry);
    total.add(entry);
    return true;
  }

  return {
    /** @throws what `lines` throws; what came before that counts */
    read({ file, lines, torn }: HealthSource): void {
      let [records, unreadable] = [0, torn ? 1 : 0];
      for (const line of lines) {
        if (take(line)) records += 1;
        else if (line.trim() !== '') unreadable += 1;
      }
      files.push({ file, records, unreadable });
    },
    /** Projects in order of name, the working folders that the runs named; files in the order in which they were read. */
    report() {
      const projects = [...tallies].map(([project, tally]) => ({ project, metrics: tally.metrics() }));
      projects.sort((a, b) => (a.project < b.project ? -1 : 1));
      return { version: 1, projects, total: total.metrics(), files: [...files] };
    },
  };
}

/**
 * Handoffs decided below this share of the window came early: there would have been room for more work. The default handoff
 * level is lower, which makes most of them such: read the figure when levels are compared.
 */
const EARLY_BELOW = 0.9;

type Handoff = Extract<HealthDetails, { readonly event: 'handoff' }>;

/** Takes records one at a time, as a ledger may be long. */
export function createHealthTally() {
  const sessions = createSessionCount();
  const counts = { turn: 0, exhausted: 0, zone: 0, auto: 0, manual: 0 };
  const steps = new Map<string, number>();
  const handoffs: Handoff[] = [];

  return {
    add(entry: HealthEntry): void {
      const { details } = entry;
      sessions.add(entry);
      if (details.event === 'handoff') handoffs.push(details);
      else if (details.event === 'compaction') counts[details.trigger] += 1;
      else if (details.event !== 'landing') counts[details.event] += 1;
      if (details.event !== 'zone') return;
      const step = `${details.from} ${details.zone}`;
      steps.set(step, (steps.get(step) ?? 0) + 1);
    },
    metrics() {
      const { all, exhausted } = sessions.found();
      const taken = ZONE_NAMES.flatMap((from) =>
        ZONE_NAMES.map((to) => ({ from, to, count: steps.get(`${from} ${to}`) ?? 0 })),
      );
      return {
        /** Conversations; see `createSessionCount`. */
        sessions: all,
        /** Turns that ended. */
        turns: counts.turn,
        /**
         * How often the API refused a prompt because the context was full, the sessions to which that happened at least
         * once, and the share of all sessions that these are. The aim is 0.
         */
        exhaustion: { count: counts.exhausted, sessions: exhausted, rate: ratio(exhausted, all) },
        handoffs: handoffMetrics(handoffs, all),
        zoneTransitions: {
          count: counts.zone,
          perSession: ratio(counts.zone, all),
          /** By the zones they led from and to, both ways, in the order of the zones. */
          steps: taken.filter(({ count }) => count > 0),
        },
        /** Those of the main context that happened: `auto` by claude itself, `manual` by `/compact`, ctxb's included. */
        compactions: { auto: counts.auto, manual: counts.manual },
      };
    },
  };
}

/** Handoffs that led to a fresh context. */
function handoffMetrics(handoffs: readonly Handoff[], sessions: number) {
  const count = handoffs.length;
  const fractions = handoffs.flatMap(({ fraction }) => fraction ?? []);
  const times = handoffs.map(({ ms }) => ms);
  const early = fractions.filter((fraction) => fraction < EARLY_BELOW).length;
  const agent = handoffs.filter(({ by }) => by === 'agent').length;
  return {
    count,
    perSession: ratio(count, sessions),
    /** By whose document was handed over. */
    by: { agent, memory: count - agent },
    early,
    earlyRate: ratio(early, count),
    /** The context when the handoff was decided, as a share of the window, and in tokens. */
    fraction: { sum: sumOf(fractions), mean: ratio(sumOf(fractions), fractions.length) },
    tokens: { mean: ratio(sumOf(handoffs.map(({ tokens }) => tokens)), count) },
    /** From the decision to the fresh context, in milliseconds. */
    ms: {
      sum: sumOf(times),
      mean: ratio(sumOf(times), count),
      longest: times.reduce<number | null>((most, ms) => Math.max(most ?? 0, ms), null),
    },
  };
}

function sumOf(figures: readonly number[]): number {
  return figures.reduce((sum, figure) => sum + figure, 0);
}

function ratio(part: number, whole: number): number | null {
  return whole === 0 ? null : part / whole;
}

/**
 * Counts sessions over records that arrive in any order. A session is one conversation, under however many ids: a handoff
 * gives claude a new id in the same run, and a conversation that is resumed goes on under its id in another run. So all
 * records belong to one session that a run or an id connects.
 */
function createSessionCount() {
  const parents = new Map<string, string>();
  const exhausted = new Set<string>();

  function rootOf(name: string): string {
    let root = name;
    for (let parent = parents.get(root); parent !== undefined && parent !== root; parent = parents.get(root)) {
      root = parent;
    }
    // The next look is one step.
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
    /** Sessions, and how many of them had their context exhausted at least once. */
    found: () => ({ all: roots(parents.keys()), exhausted: roots(exhausted) }),
  };
}
