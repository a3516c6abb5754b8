import { type HealthDetails, ZONE_NAMES, type ZoneName } from '../core/governor/zones/zones.ts';
import type { HealthEntry } from './health-lines.ts';

/** The context health of a project. A rate or a mean over nothing is null. */
export interface HealthMetrics {
  /** Conversations; see `createSessionCount`. */
  readonly sessions: number;
  /** Turns that ended. */
  readonly turns: number;
  readonly exhaustion: {
    /** How often the API refused a prompt because the context was full. */
    readonly count: number;
    /** Sessions to which that happened at least once. */
    readonly sessions: number;
    /** The exhaustion rate: the share of all sessions that these are. The aim is 0. */
    readonly rate: number | null;
  };
  readonly handoffs: HandoffMetrics;
  readonly zoneTransitions: {
    readonly count: number;
    readonly perSession: number | null;
    /** By the zones they led from and to, both ways, in the order of the zones. */
    readonly steps: readonly ZoneStep[];
  };
  /** Compactions of the main context that happened: `auto` by claude itself, `manual` by `/compact`, ctxb's included. */
  readonly compactions: { readonly auto: number; readonly manual: number };
}

export interface HandoffMetrics {
  /** Handoffs that led to a fresh context. */
  readonly count: number;
  readonly perSession: number | null;
  /** By whose document was handed over. */
  readonly by: { readonly agent: number; readonly memory: number };
  /**
   * Handoffs decided while less than 90 % of the window was in use, so that there would have been room for more work.
   * A handoff level below 0.90, as the default is, makes most of them such: read it when levels are compared.
   */
  readonly early: number;
  readonly earlyRate: number | null;
  /** The context when the handoff was decided, as a share of the window, and in tokens. */
  readonly fraction: { readonly sum: number; readonly mean: number | null };
  readonly tokens: { readonly mean: number | null };
  /** From the decision to the fresh context, in milliseconds. */
  readonly ms: { readonly sum: number; readonly mean: number | null; readonly longest: number | null };
}

export interface ZoneStep {
  readonly from: ZoneName;
  readonly to: ZoneName;
  readonly count: number;
}

/** Takes records one at a time, as a ledger may be long. */
export interface HealthTally {
  add(entry: HealthEntry): void;
  metrics(): HealthMetrics;
}

/** Below this share of the window a handoff came early. */
const EARLY_BELOW = 0.9;

const ALL_STEPS = ZONE_NAMES.flatMap((from) => ZONE_NAMES.map((to) => ({ from, to })));

type Handoff = Extract<HealthDetails, { readonly event: 'handoff' }>;

export function createHealthTally(): HealthTally {
  const sessionCount = createSessionCount();
  const counts = { turn: 0, exhausted: 0, zone: 0, auto: 0, manual: 0 };
  const steps = new Map<string, number>();
  const handoffs: Handoff[] = [];

  function tally({ details, count = 1 }: HealthEntry): void {
    if (details.event === 'handoff') handoffs.push(details);
    else if (details.event === 'compaction') counts[details.trigger] += count;
    else if (details.event !== 'landing') counts[details.event] += count;
    if (details.event === 'zone') increment(steps, stepName(details.from, details.zone), count);
  }

  return {
    add(entry) {
      sessionCount.add(entry);
      tally(entry);
    },
    metrics() {
      const { sessions, exhausted } = sessionCount.result();
      const taken = ALL_STEPS.map(({ from, to }) => ({ from, to, count: steps.get(stepName(from, to)) ?? 0 }));
      return {
        sessions,
        turns: counts.turn,
        exhaustion: { count: counts.exhausted, sessions: exhausted, rate: ratio(exhausted, sessions) },
        handoffs: handoffMetrics(handoffs, sessions),
        zoneTransitions: {
          count: counts.zone,
          perSession: ratio(counts.zone, sessions),
          steps: taken.filter((step) => step.count > 0),
        },
        compactions: { auto: counts.auto, manual: counts.manual },
      };
    },
  };
}

function handoffMetrics(handoffs: readonly Handoff[], sessions: number): HandoffMetrics {
  const count = handoffs.length;
  const known = handoffs.flatMap(({ fraction }) => fraction ?? []);
  const early = known.filter((fraction) => fraction < EARLY_BELOW).length;
  const agent = handoffs.filter(({ by }) => by === 'agent').length;
  const fractions = sumOf(known);
  const ms = sumOf(handoffs.map((handoff) => handoff.ms));
  const longest = handoffs.reduce<number | null>((most, handoff) => Math.max(most ?? 0, handoff.ms), null);
  return {
    count,
    perSession: ratio(count, sessions),
    by: { agent, memory: count - agent },
    early,
    earlyRate: ratio(early, count),
    fraction: { sum: fractions, mean: ratio(fractions, known.length) },
    tokens: { mean: ratio(sumOf(handoffs.map(({ tokens }) => tokens)), count) },
    ms: { sum: ms, mean: ratio(ms, count), longest },
  };
}

function stepName(from: ZoneName, to: ZoneName): string {
  return `${from} ${to}`;
}

function increment(counts: Map<string, number>, name: string, by: number): void {
  counts.set(name, (counts.get(name) ?? 0) + by);
}

function sumOf(figures: readonly number[]): number {
  return figures.reduce((sum, figure) => sum + figure, 0);
}

function ratio(part: number, whole: number): number | null {
  return whole === 0 ? null : part / whole;
}

/** Counts sessions over records that arrive in any order. */
interface SessionCount {
  add(entry: HealthEntry): void;
  /** Sessions, and how many of them had their context exhausted at least once. */
  result(): { readonly sessions: number; readonly exhausted: number };
}

/**
 * A session is one conversation, under however many ids: a handoff gives claude a new id in the same run, and a
 * conversation that is resumed goes on under its id in another run. So all records belong to one session that a run or
 * an id connects.
 */
function createSessionCount(): SessionCount {
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

  return {
    add({ project, run, session, details }) {
      const inRun = rootOf(JSON.stringify(['run', project, run]));
      if (session !== null) parents.set(rootOf(JSON.stringify(['session', project, session])), inRun);
      if (details.event === 'exhausted') exhausted.add(inRun);
    },
    result: () => ({
      sessions: new Set([...parents.keys()].map(rootOf)).size,
      exhausted: new Set([...exhausted].map(rootOf)).size,
    }),
  };
}
