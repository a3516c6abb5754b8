import { predicted } from '../gauge/gauge.ts';
import { inTokens } from '../policy.ts';
import type { GovernorState } from '../state.ts';

/** Median first call after a compaction, in tokens; until the session has compactions of its own. */
const USUAL_LANDING = 50_000;

/** A handoff document, and what the agent reads again because of it, in tokens. */
export const DOCUMENT_TOKENS = 6_000;

/** Until the session has turns of its own. Median growth from call to call, in tokens. */
const USUAL_GROWTH = 617;

/** Compacting is wanted and has not proved useless. */
export function mayCompact({ compaction, relief, session, run }: GovernorState): boolean {
  const { enabled, maxAttempts } = run.policy.compaction;
  return enabled && !session.commandsOff && !relief.blocked && compaction.failures < maxAttempts;
}

export interface Sums {
  /** Tokens read until the context is as full again. */
  readonly compact: number;
  readonly handoff: number;
  /** The same in words. */
  readonly text: string;
}

/** What is known when the way is chosen, in tokens. */
export interface Known {
  /** The context now, and where it counts as full. */
  readonly full: number;
  readonly ceiling: number;
  /** First calls after compactions. */
  readonly landings: readonly number[];
  /** The very first call. */
  readonly first: number;
  /** By how much a call makes it grow; 0: nothing is known yet. */
  readonly growth: number;
}

/** The sums of a session under way. */
export function sumsOf({ gauge, relief, turn, run }: GovernorState): Sums {
  return sumsFrom({
    full: predicted(gauge),
    ceiling: inTokens(run.policy.thresholds.compact, gauge.window.tokens),
    landings: relief.landings,
    first: gauge.first ?? 0,
    growth: Math.max(0, turn.growth.tokens) / Math.max(1, gauge.calls),
  });
}

/**
 * What either way of relieving the context costs, in tokens that are read: the one reading that makes the summary or
 * the document, and then what it leaves behind at each call until the context is full again.
 */
export function sumsFrom({ full, ceiling, landings, first, growth }: Known): Sums {
  const landing = landingOf(landings, ceiling);
  const fresh = Math.min(first + DOCUMENT_TOKENS, ceiling);
  const perCall = Math.max(1, growth > 0 ? growth : USUAL_GROWTH);
  const calls = Math.max(1, Math.round((ceiling - Math.max(landing, fresh)) / perCall));
  const compact = full + landing * calls;
  const handoff = 2 * full + fresh * calls;
  const text = `over ${calls} calls compacting reads ${full} + ${calls} × ${landing} = ${compact} tokens, handing over 2 × ${full} + ${calls} × ${fresh} = ${handoff}`;
  return { compact, handoff, text };
}

/** Context of the first call after a compaction, as far as it can be told before it, in tokens. */
export function landingOf(landings: readonly number[], ceiling: number): number {
  return median(landings) ?? Math.min(USUAL_LANDING, Math.round(ceiling / 2));
}

function median(values: readonly number[]): number | undefined {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
}
