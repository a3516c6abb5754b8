import { USUALLY_KEPT } from '../../core/governor/relief/outlook.ts';
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

/** What exact compactions left beside the smallest context of their session, in tokens. */
export function keptOf(sessions: readonly SessionSummary[]): readonly number[] {
  return sessions.flatMap((session) =>
    session.compactions.flatMap(({ call, how, firstAfter }) => {
      const first = how !== 'exact' || firstAfter === null ? undefined : session.series?.[call];
      if (first === undefined) return [];
      return [Math.max(0, landed(first, session.series?.[call - 1]).landing - freshOf(session))];
    }),
  );
}

/** What all sessions of a replay show, this one included. */
interface Replayed {
  readonly landings: readonly Landed[];
  readonly kept: readonly number[];
}

export function basisOf(session: SessionSummary, replayed: Replayed): Basis {
  const own = landingsOf([session]);
  const of = (key: keyof Landed) => {
    const [ownFigures, figures] = [own, replayed.landings].map((all) => all.map((one) => one[key]));
    return assumed(ownFigures ?? [], figures ?? [], { tokens: PUBLISHED[key], of: PUBLISHED.compactions });
  };
  return {
    landing: of('landing'),
    summary: of('summary'),
    prefix: of('prefix'),
    kept: assumed(keptOf([session]), replayed.kept, { tokens: USUALLY_KEPT, of: 0 }),
    fresh: freshOf(session),
  };
}

function freshOf({ series = [] }: SessionSummary): number {
  return series.reduce((least, { context }) => Math.min(least, context), Number.POSITIVE_INFINITY);
}

function assumed(own: readonly number[], replayed: readonly number[], usual: Omit<Assumed, 'from'>): Assumed {
  if (own.length > 0) return { tokens: medianOf(own), from: 'session', of: own.length };
  if (replayed.length >= ENOUGH) return { tokens: medianOf(replayed), from: 'replayed', of: replayed.length };
  return { ...usual, from: 'published' };
}

function medianOf(figures: readonly number[]): number {
  const sorted = [...figures].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? 0;
  return sorted.length % 2 === 1 ? upper : Math.round(((sorted[middle - 1] ?? 0) + upper) / 2);
}
