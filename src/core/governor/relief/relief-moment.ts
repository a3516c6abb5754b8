import { toUsd } from '../cost/cost.ts';
import { expiredIdleMs } from '../cost/prompt-cache.ts';
import { callOutput, crossedText, isGuess, predictedTokens, prefixOf, thoughtsPerCall } from '../gauge/gauge.ts';
import { handoffLevel, inTokens, isBounded } from '../policy.ts';
import { waiting } from '../prompts/mailbox.ts';
import { forecastGrowth } from '../prompts/turns.ts';
import type { GovernorState } from '../state.ts';
import { allowedLoss, namedFiles, priceOfModel, ratesToCome, WORST_CASE_BOUND, workingSetOf } from './accounts.ts';
import { compactionLevel, cycleCost } from './beside-summary.ts';
import {
  CALL_TOKENS,
  cacheAwareMoment,
  compareCosts,
  type ReliefForecast,
  savedPerCall,
  stakesOfRelief,
} from './economic-moment.ts';
import { isExactPossible } from './exact.ts';
import {
  type ContextExtent,
  DOCUMENT_TOKENS,
  expectedSizeAfter,
  mayCompact,
  payingMoment,
  type ReliefMoment,
  USUAL_GROWTH,
  willCross,
} from './ladder.ts';
import type { WorkingSet } from './working-set.ts';

/** Minimum number of calls between two reliefs, or after a failed attempt. */
const MIN_CALLS_BETWEEN = 7;

/** Assumed size of the kept conversation until the session has a compaction, in tokens; close to `npm run outcome`. */
const USUAL_KEPT_TOKENS = 8_000;

/** Measures the context for the choice of a relief. */
export function extentOf(state: GovernorState): ContextExtent {
  const { gauge, turn, relief, run } = state;
  const full = predictedTokens(gauge);
  // An exact compaction is also possible within a turn. So one that does not pay waits for claude's own trigger. At the
  // terminal, which has no baseline, it waits for its level.
  const isBelow = full < compactionLevel(state);
  const isEarly = (isBelow || relief.baseline.open !== undefined) && isExactPossible(state) && isBounded(run.policy);
  const affordable = affordableMoment(state);
  return {
    full,
    window: gauge.window.tokens,
    // After a failed attempt, another one before the next call would fail too.
    turnGrowth: relief.triedAt === gauge.calls ? undefined : forecastGrowth(turn),
    moment: isTooSoon(state) ? undefined : affordable,
    isTooEarly: isEarly && (affordable?.at ?? full + 1) > full,
    isUnreliable: isGuess(gauge) || relief.openingDocument !== undefined,
  };
}

/** Expected context after an exact compaction, without contents that may be used again, in tokens. */
function sizeAfterExact(state: GovernorState): number {
  const { sizeWithoutContents, exact } = state.relief;
  return sizeWithoutContents === undefined
    ? prefixOf(state.gauge) + Math.max(USUAL_KEPT_TOKENS, exact.size.all)
    : sizeWithoutContents + exact.size.all;
}

/** The figures for comparing costs. Assumes that the context grows as before. */
function outlookOf(state: GovernorState, how: ReliefForecast['how']): ReliefForecast & WorkingSet {
  const { gauge, relief, run } = state;
  const ceiling = inTokens(run.policy.thresholds.compact, gauge.window.tokens);
  const full = predictedTokens(gauge);
  const prefix = prefixOf(state.gauge);
  const contents = workingSetOf(state);
  const { kept } = contents;
  const sizes = {
    exact: sizeAfterExact(state) + kept,
    summary: expectedSizeAfter(relief.sizesAfter, ceiling),
    handoff: (relief.lastHandoff?.sizeAfter ?? prefix + DOCUMENT_TOKENS) + kept,
  };
  const sizeAfter = sizes[how];
  return {
    ...contents,
    full,
    sizeAfter,
    attached: how === 'exact' ? relief.exact.size.unseen : 0,
    ceiling,
    how,
    answerTokens: how === 'exact' ? 0 : (relief.lastHandoff?.answerTokens ?? USUAL_ANSWER),
    prefix: Math.min(prefix, sizeAfter),
    // `ASSUMED_CALLS` calls with the usual growth are included. They matter while the session has few calls.
    growth: (gauge.grown + ASSUMED_CALLS * USUAL_GROWTH) / (Math.max(0, gauge.calls - 1) + ASSUMED_CALLS),
    calls: callsToCome(state),
    callTokens: CALL_TOKENS + thoughtsPerCall(gauge),
    rates: ratesToCome(state),
  };
}

const ASSUMED_CALLS = 3;

/**
 * Assumed output of a relief: the median summary of public recordings has 2,250 tokens, and the thoughts before it
 * about as many.
 */
const USUAL_ANSWER = 4_000;

/**
 * Expected number of further calls: as many as so far. If no further prompts can come, the usual number for each
 * prompt.
 */
function callsToCome(state: GovernorState): number {
  const { mailbox, gauge, turn } = state;
  if (!mailbox.hasInputEnded) return gauge.calls;
  const callsPerTurn = gauge.calls / Math.max(1, turn.ended);
  const rest = turn.phase === 'idle' ? callsPerTurn : Math.max(callsPerTurn - turn.calls, turn.calls);
  return Math.round(rest + waiting(state).length * callsPerTurn);
}

/** The size from which a relief pays, and its kind; undefined if unknown, or too soon after another relief. */
export function reliefMoment(state: GovernorState): ReliefMoment | undefined {
  return isTooSoon(state) ? undefined : affordableMoment(state);
}

function isTooSoon({ gauge, relief }: GovernorState): boolean {
  const last = Math.max(relief.boundaries.at(-1)?.call ?? 0, relief.lastHandoff?.call ?? 0, relief.triedAt ?? 0);
  return gauge.basis !== 'measured' || relief.unmeasured !== undefined || gauge.calls - last <= MIN_CALLS_BETWEEN;
}

/**
 * The next moment of a relief; undefined if a relief now would risk more than the bound allows. Without a baseline, as
 * at the terminal, every risk is allowed.
 */
function affordableMoment(state: GovernorState): ReliefMoment | undefined {
  const way = profitableWay(state);
  if (way === undefined || !isBounded(state.run.policy) || state.relief.baseline.open === undefined)
    return nextReliefMoment(state);
  const outlook = outlookOf(state, OUTLOOK_BY_WAY[way]);
  const { stake, worst } = removalCosts(state, way, outlook);
  const isBearable = stake <= allowedLoss(state) && worst <= allowedLoss(state, WORST_CASE_BOUND);
  return isBearable && outweighsReview(state, outlook) ? nextReliefMoment(state, outlook) : undefined;
}

/** Assumed chance that the work needs all removed files again. */
const REVIEW_CHANCE = 1 / 3;

/**
 * Whether a relief gains more, by its chances, than the work loses if it needs all removed files again. With a large
 * system prompt, a relief makes each call only a little cheaper, but each fetch is a call that reads all of it.
 */
function outweighsReview({ gauge }: GovernorState, outlook: ReturnType<typeof outlookOf>): boolean {
  const { full, sizeAfter, rates, refetchFilesCost } = outlook;
  const saved = (gauge.calls * Math.max(0, full - sizeAfter) * rates.cacheRead) / 1_000_000;
  return REVIEW_CHANCE * refetchFilesCost <= (1 - REVIEW_CHANCE) * saved;
}

/** Calls before the work needs all removed contents again: an assumption. A relief saves something on each of them. */
const CALLS_BEFORE_REFETCH = 25;

/** Number of calls up to which a run counts as young. */
const YOUNG_RUN_CALLS = 44;

/** Share of the rest of a turn that passes before the work needs its files again, unless its prompt names others. */
const REST_BEFORE_REVIEW = 1 / 3;

/**
 * `stake`: the loss in micro-dollars if the run ends after a relief, the calls that are certain, and the expected
 * repeated fetches. `worst`: the loss if the work needs all contents again. Content that has no name yet does not
 * count: the bound allows for it once, and its real cost then reduces the allowed loss.
 */
function removalCosts(state: GovernorState, way: ReliefMoment['way'], wayOutlook: ReturnType<typeof outlookOf>) {
  const { refetchAllCost, refetchFilesCost } = wayOutlook;
  const cycle = refillsWindow(state, wayOutlook) ? cycleCost(state, wayOutlook.needed) : 0;
  const { first, saved, stake } = stakesOfRelief(wayOutlook, {
    promptTokens: way === 'compact' ? state.relief.exact.size.all : 0,
    isCold: isCold(state),
    // The running tools or a waiting prompt make a further call certain.
    isFollowed: state.turn.phase !== 'idle' || waiting(state).length > 0,
  });
  const lossOfAll = refetchAllCost - CALLS_BEFORE_REFETCH * saved;
  const lossOfFiles = refetchFilesCost - callsBeforeReview(state) * saved;
  return { stake: stake + cycle, worst: Math.max(lossOfAll, lossOfFiles) - first };
}

/**
 * Number of calls before the work may need all removed files again. A young run may be near its end, where it reviews
 * them: only calls of the running turn come before that. A prompt that names files does not ask for a review. Without
 * cache hits, few calls pay for it.
 */
function callsBeforeReview(state: GovernorState): number {
  const { gauge, turn, session, work } = state;
  if (gauge.calls >= YOUNG_RUN_CALLS) return CALLS_BEFORE_REFETCH;
  const paths = [...work.tools.contents.byName.values()].flatMap(({ path }) => path ?? []);
  const share = paths.some(namedFiles(state)) ? 1 : REST_BEFORE_REVIEW;
  const callsPerTurn = turn.ended === 0 ? 0 : (gauge.calls - turn.calls) / turn.ended;
  return Math.max((callsPerTurn - turn.calls) * share, CALLS_BEFORE_REFETCH * (1 - session.cache.hits));
}

/**
 * Whether the context probably reaches claude's own level within the next turn. Then claude compacts in the middle of
 * the work, which fetches everything again. Without the relief, claude might have compacted between two tasks.
 */
function refillsWindow(state: GovernorState, { sizeAfter }: ReliefForecast): boolean {
  const { turn, gauge } = state;
  // A turn that contains a compaction does not show its growth.
  const mean = turn.ended === 0 ? 0 : gauge.grown / turn.ended;
  return sizeAfter + Math.max(forecastGrowth(turn) ?? 0, mean) >= compactionLevel(state) * NEARLY_FULL;
}

/** Share of the level that counts as reached, because a turn may grow more than earlier ones. */
const NEARLY_FULL = 0.95;

function isCold({ session: { cache }, facts: { now } }: GovernorState): boolean {
  return expiredIdleMs(cache, now) !== undefined;
}

/** Like `reliefMoment`, but also soon after a relief. @param outlook figures of the relief that can pay, if known */
export function nextReliefMoment(state: GovernorState, outlook?: ReliefForecast): ReliefMoment | undefined {
  const { gauge, run } = state;
  const { moment } = run.policy.compaction;
  const way = profitableWay(state);
  // No relief happens before the window is known.
  if (way === undefined || gauge.window.tokens === undefined) return undefined;
  if (moment !== 'economic') return { way, at: inTokens(moment, gauge.window.tokens) };
  return { way, at: cacheAwareMoment(outlook ?? outlookOf(state, OUTLOOK_BY_WAY[way]), isCold(state)) };
}

const OUTLOOK_BY_WAY = { compact: 'exact', handoff: 'handoff' } as const;

/** The kind of relief that can pay for itself. Undefined if only levels of the window apply, as with summaries. */
function profitableWay(state: GovernorState): ReliefMoment['way'] | undefined {
  const { mode, policy } = state.run;
  const { strategy, compaction, handoff } = policy;
  if (strategy === 'handoff') {
    return mode === 'act' && handoff.enabled && compaction.how !== 'summary' ? 'handoff' : undefined;
  }
  return isExactPossible(state) && compaction.enabled ? 'compact' : undefined;
}

/** The reason for a relief, as users see it. */
export function reliefReason(state: GovernorState): string {
  const { gauge, run, relief } = state;
  const extent = extentOf(state);
  const paying = payingMoment(state, extent);
  if (paying !== undefined) return `${crossedText(gauge, paying.at)}: ${savingText(state, paying.way)}`;
  const { full, turnGrowth = 0, window } = extent;
  return relief.latch === 'compact' || !willCross(run.policy, extent)
    ? crossedText(gauge, run.policy.thresholds.compact)
    : `${full} tokens and a turn's growth of up to ${turnGrowth} would cross ${handoffLevel(run.policy, window)}`;
}

/** The saving per further call in words; empty without a saving. */
export function savingText(state: GovernorState, way: ReliefMoment['way']): string {
  const saved = Math.round(savedPerCall(outlookOf(state, OUTLOOK_BY_WAY[way])));
  const cost = priceOfModel(state) === undefined ? `${saved} tokens` : `$${toUsd(saved).toFixed(4)}`;
  return saved > 0 ? `saves about ${cost} per call, net of its cost` : '';
}

export function msToMinutes(ms: number): number {
  return Math.round(ms / 6_000) / 10;
}

/**
 * Minimum saving for a relief after a pause: a share of the cost, and micro-dollars. A smaller one is within the error
 * of the assumptions.
 */
const MIN_SAVING = { share: 0.1, microUsd: 250_000 };

/** Whether the cache has expired, and a relief costs less than writing the whole context to it again. */
export function paysAfterPause(state: GovernorState): boolean {
  const { gauge, turn } = state;
  // With any other basis, the context was or may have been replaced since.
  const isKnown = gauge.basis === 'measured' && priceOfModel(state) !== undefined && turn.ended > 0;
  if (!isKnown || !isCold(state) || !mayCompact(state)) return false;
  const outlook = outlookOf(state, isExactPossible(state) ? 'exact' : 'summary');
  const { continuing, relieving } = compareCosts({ ...outlook, full: gauge.used + callOutput(gauge) });
  return continuing - relieving > Math.max(continuing * MIN_SAVING.share, MIN_SAVING.microUsd);
}
