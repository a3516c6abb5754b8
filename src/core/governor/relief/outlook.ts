import { toUsd } from '../cost/cost.ts';
import { priceOfModel } from '../cost/model-price.ts';
import { multiplied, priceAt, type Rates, USUAL_RATIOS } from '../cost/prices.ts';
import { idleBeyondLife, writePrice } from '../cost/prompt-cache.ts';
import { predicted } from '../gauge/gauge.ts';
import { inTokens } from '../policy.ts';
import { forecast } from '../prompts/turns.ts';
import type { GovernorState } from '../state.ts';
import { momentNow, type Outlook, savedPerCall } from './economic-moment.ts';
import { exactIsPossible } from './exact.ts';
import { type Extent, landingOf, USUAL_GROWTH } from './ladder.ts';
import { missedAfterRelief } from './missed.ts';

/** No relief comes within so many calls of the one before, or of one that was tried in vain. */
export const TOO_SOON = 10;

/** An assumption until a compaction was seen, in tokens: near what stays of a conversation in `npm run outcome`. */
export const USUALLY_KEPT = 12_000;

/** System prompt and tools in published sessions, in tokens: the first call of a resumed one has more. */
const USUAL_PREFIX = 33_000;

/** What is known of the context of a session under way. */
export function extentOf(state: GovernorState): Extent {
  const { gauge, turn, relief, compaction } = state;
  // After a break there is only an estimate, which in a resumed session holds all that was there before.
  const isGuess = gauge.basis === 'none' || (gauge.basis === 'estimated' && gauge.calls > 0);
  return {
    full: predicted(gauge),
    window: gauge.window.tokens,
    first: gauge.first ?? 0,
    growth: Math.max(0, turn.growth.tokens) / Math.max(1, gauge.calls),
    // Where one has just failed, another before the next call would fail as well.
    turn: triedAt(compaction) === gauge.calls ? undefined : forecast(turn)?.p90,
    moment: momentOf(state),
    provesNothing: isGuess || relief.fresh !== undefined,
  };
}

/** What is known of the cost of going on. It is assumed that the context grows as it did. */
export function outlookOf(state: GovernorState, how: Outlook['how']): Outlook {
  const { gauge, relief, run, cache } = state;
  const ceiling = inTokens(run.policy.thresholds.compact, gauge.window.tokens);
  const full = predicted(gauge);
  const first = gauge.first ?? 0;
  const prefix = run.resumes ? Math.min(first, USUAL_PREFIX) : first;
  const landing =
    how === 'summary' ? landingOf(relief.landings, ceiling) : (relief.landings.at(-1) ?? prefix + USUALLY_KEPT);
  const price = priceOfModel(state);
  const rates = price === undefined ? UNPRICED : priceAt(price, full);
  return {
    ...{ full, landing, ceiling, how },
    prefix: Math.min(prefix, landing),
    // As long as few calls were seen, much like those of other sessions.
    growth: (gauge.grown + FEW_CALLS * USUAL_GROWTH) / (Math.max(0, gauge.calls - 1) + FEW_CALLS),
    calls: callsToCome(state),
    missed: missedAfterRelief(state.fetches),
    rates: { write: writePrice(cache, rates), cacheRead: rates.cacheRead, output: rates.output },
  };
}

const FEW_CALLS = 3;

/** A model without a price: tokens count as list prices weigh them. */
export const UNPRICED: Rates = multiplied({ input: 1, ...USUAL_RATIOS }, 1_000_000);

/**
 * It is assumed that as many calls follow as there were; where all prompts are known, as many for each of them as the
 * turns before took.
 */
function callsToCome({ mailbox, gauge, turn }: GovernorState): number {
  if (!mailbox.ended) return gauge.calls;
  const usual = gauge.calls / Math.max(1, turn.ended);
  const rest = turn.phase === 'idle' ? usual : Math.max(usual - turn.calls, turn.calls);
  return Math.round(rest + mailbox.waiting.length * usual);
}

/** From how many tokens on an exact compaction pays; undefined: it can't be told, or another is not to follow yet. */
export function momentOf(state: GovernorState): number | undefined {
  const { gauge, relief, compaction, run } = state;
  const { enabled, moment } = run.policy.compaction;
  if (!exactIsPossible(state) || !enabled || run.policy.strategy === 'handoff') return undefined;
  // Nothing acts while it is not known how much fits.
  if (gauge.window.tokens === undefined) return undefined;
  const last = Math.max(relief.boundaries.at(-1)?.call ?? 0, triedAt(compaction));
  if (gauge.basis !== 'measured' || relief.isLanding || gauge.calls - last <= TOO_SOON) return undefined;
  if (moment !== 'economic') return inTokens(moment, gauge.window.tokens);
  return momentNow(outlookOf(state, 'exact'), idleBeyondLife(state.cache, state.now) !== undefined);
}

/** Calls that were measured when one was tried in vain. */
function triedAt(compaction: GovernorState['compaction']): number {
  return 'triedAt' in compaction ? (compaction.triedAt ?? 0) : 0;
}

/** What a relief makes each further call cheaper by, in words; empty: it does not. */
export function savingText(state: GovernorState): string {
  const saved = savedPerCall(outlookOf(state, 'exact'));
  if (saved <= 0) return '';
  if (priceOfModel(state) === undefined) return `saves about ${Math.round(saved)} tokens a call`;
  return `saves about $${toUsd(Math.round(saved)).toFixed(3)} a call`;
}
