import type { CallSeen } from '../items-seen.ts';
import type { SessionSummary } from '../summary.ts';
import type { Assumed, Basis } from './what-if.ts';

/**
 * Medians over the 14 compactions in the published sessions of Claude Code 2.0.76 to 2.1.29 that this was measured on:
 * the first calls after them had 33,441 to 62,755 tokens. Recordings against a scripted API are left out, whose usage
 * figures are made up.
 */
const PUBLISHED = { landing: 50_821, summary: 2_581, prefix: 33_334, compactions: 14 } as const;

/** With fewer, compactions of other sessions in the same replay say less than the published ones. */
const ENOUGH = 5;

/** What one compaction shows. */
interface Landed {
  readonly landing: number;
  readonly summary: number;
  readonly prefix: number;
}

/** What the summaries of some sessions show. */
export function landingsOf(sessions: readonly SessionSummary[]): readonly Landed[] {
  return sessions.flatMap(({ compactions, series = [] }) =>
    compactions.flatMap(({ call, how, firstAfter }) => {
      const first = firstAfter === null || how === 'exact' ? undefined : series[call];
      return first === undefined ? [] : [landed(first, series[call - 1])];
    }),
  );
}

function landed(first: CallSeen, last: CallSeen | undefined): Landed {
  const prompt = first.turn === last?.turn ? 0 : (first.added.prompt ?? 0);
  return { landing: first.context - prompt, summary: first.added.summary ?? 0, prefix: first.cacheRead };
}

/** @param replayed of all sessions of the replay, this one included */
export function basisOf(session: SessionSummary, replayed: readonly Landed[]): Basis {
  const own = landingsOf([session]);
  return {
    landing: assumed('landing', own, replayed),
    summary: assumed('summary', own, replayed),
    prefix: assumed('prefix', own, replayed),
    fresh: (session.series ?? []).reduce((least, { context }) => Math.min(least, context), Number.POSITIVE_INFINITY),
  };
}

function assumed(of: keyof Landed, own: readonly Landed[], replayed: readonly Landed[]): Assumed {
  if (own.length > 0) return { tokens: medianOf(of, own), from: 'session', of: own.length };
  if (replayed.length >= ENOUGH) return { tokens: medianOf(of, replayed), from: 'replayed', of: replayed.length };
  return { tokens: PUBLISHED[of], from: 'published', of: PUBLISHED.compactions };
}

function medianOf(of: keyof Landed, landings: readonly Landed[]): number {
  const sorted = landings.map((landing) => landing[of]).sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? 0;
  return sorted.length % 2 === 1 ? upper : Math.round(((sorted[middle - 1] ?? 0) + upper) / 2);
}
