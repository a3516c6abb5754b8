import type { CallSeen, ResultSeen } from '../items-seen.ts';
import type { SessionSummary } from '../summary.ts';
import type { ReliefBy } from './what-if.ts';

/** A drop by more than this share of the context, without a compaction, is a fresh context. */
const FRESH_SHARE = 0.5;

/** One main-thread call, and how it came to its context. */
export interface Step {
  readonly call: CallSeen;
  /** The call before it; undefined for the first. */
  readonly previous: CallSeen | undefined;
  /**
   * - `first`: nothing is known of what was before.
   * - `grown`: by `growth`, which is below 0 where something was taken out without a compaction.
   * - `fresh`: the caller began a new context (`/clear`).
   * - `replaced`: somebody relieved it; `growth` is what came in besides, estimated.
   */
  readonly change: 'first' | 'grown' | 'fresh' | 'replaced';
  /** Tokens. */
  readonly growth: number;
  /** Who relieved it, in order, and whether a summary was written for that. */
  readonly reliefs: readonly Relief[];
  readonly beginsTurn: boolean;
  /** Estimated tokens of what was said. */
  readonly prompt: number;
  /** Results that came in for this call. */
  readonly results: readonly ResultSeen[];
  /** Share of the context before that the cache still had; undefined where that cannot be told. */
  readonly warm: number | undefined;
}

interface Relief {
  readonly by: ReliefBy;
  readonly isExact: boolean;
}

/** A recorded session as a simulation needs it. */
export interface RecordedSteps {
  readonly steps: readonly Step[];
  /** Reliefs that no call followed. */
  readonly after: readonly Relief[];
  /** Prompts are cached at all. */
  readonly caches: boolean;
}

/** @param session with its series */
export function stepsOf(session: SessionSummary): RecordedSteps {
  const series = session.series ?? [];
  const reliefs = byCall(reliefsOf(session));
  const results = byCall((session.results ?? []).map((result) => [result.call, result]));
  const steps = series.map((call, at) =>
    stepOf(call, series[at - 1], { reliefs: reliefs(at), results: results(call.number) }),
  );
  const caches = series.some(({ cacheRead, cacheCreation }) => cacheRead + cacheCreation > 0);
  return { steps, after: series.length === 0 ? [] : reliefs(series.length), caches };
}

/** With the number of calls before. */
function reliefsOf({ compactions, actions }: SessionSummary): (readonly [number, Relief])[] {
  const handoffs = actions.filter(({ kind }) => kind === 'handed-over');
  return [
    ...compactions.map(({ call, by, how }) => [call, { by, isExact: how === 'exact' }] as const),
    ...handoffs.map(({ at }) => [at.call, { by: 'handoff', isExact: false }] as const),
  ];
}

function byCall<T>(items: readonly (readonly [number, T])[]): (call: number) => readonly T[] {
  const groups = new Map<number, T[]>();
  for (const [call, item] of items) groups.set(call, [...(groups.get(call) ?? []), item]);
  return (call) => groups.get(call) ?? [];
}

function stepOf(call: CallSeen, previous: CallSeen | undefined, known: Pick<Step, 'reliefs' | 'results'>): Step {
  const change = changeOf(call, previous, known.reliefs);
  const before = previous?.context ?? 0;
  return {
    ...known,
    call,
    previous,
    change,
    growth: change === 'replaced' ? addedTokens(call) : call.context - before,
    beginsTurn: call.turn !== previous?.turn,
    prompt: call.added.prompt ?? 0,
    warm: change === 'grown' && before > 0 ? call.cacheRead / before : undefined,
  };
}

function changeOf(call: CallSeen, previous: CallSeen | undefined, reliefs: readonly Relief[]): Step['change'] {
  if (previous === undefined) return 'first';
  if (reliefs.length > 0) return 'replaced';
  return call.context < previous.context * FRESH_SHARE ? 'fresh' : 'grown';
}

/** What the lines show that came in, besides the summary itself. */
function addedTokens({ added }: CallSeen): number {
  return Object.entries(added).reduce((sum, [source, tokens]) => sum + (source === 'summary' ? 0 : tokens), 0);
}
