import { toUsd } from '../cost/cost.ts';
import { idleBeyondLife } from '../cost/prompt-cache.ts';
import { callOutput, crossedText, isGuess, predictedTokens } from '../gauge/gauge.ts';
import { handoffLevel, inTokens, isBounded } from '../policy.ts';
import { waiting } from '../prompts/mailbox.ts';
import { forecast } from '../prompts/turns.ts';
import type { GovernorState } from '../state.ts';
import { prefixOf, priceOfModel, ratesToCome, slackOf, WORST, workingSetOf } from './accounts.ts';
import { cycleCost, levelOf } from './beside-summary.ts';
import { compareCosts, momentNow, type Outlook, savedPerCall, stakeOf } from './economic-moment.ts';
import { exactIsPossible } from './exact.ts';
import {
  DOCUMENT_TOKENS,
  type Extent,
  landingOf,
  type Moment,
  mayCompact,
  payingMoment,
  USUAL_GROWTH,
  willCross,
} from './ladder.ts';
import type { WorkingSet } from './working-set.ts';

/** Fewest calls between two reliefs, or after a failed attempt. */
const TOO_SOON = 7;

/** Assumed size of the kept conversation until a compaction has been seen, in tokens; close to `npm run outcome`. */
const USUALLY_KEPT = 8_000;

/** The size of the context, its expected growth, and the moment that pays, for the ladder. */
export function extentOf(state: GovernorState): Extent {
  const { gauge, turn, relief, run } = state;
  const full = predictedTokens(gauge);
  // An exact compaction is possible within a turn, so one that does not pay waits for claude's own trigger; at the
  // terminal, which has no account, for its level.
  const isBelow = full < levelOf(state);
  const isEarly = (isBelow || relief.alone.open !== undefined) && exactIsPossible(state) && isBounded(run.policy);
  const bearable = affordableMoment(state);
  return {
    full,
    window: gauge.window.tokens,
    // After a failed attempt, another one before the next call would fail too.
    turn: relief.triedAt === gauge.calls ? undefined : forecast(turn),
    moment: isTooSoon(state) ? undefined : bearable,
    isTooEarly: isEarly && (bearable?.at ?? full + 1) > full,
    provesNothing: isGuess(gauge) || relief.fresh !== undefined,
  };
}

/** Expected context after an exact compaction, without contents that may be used again, in tokens. */
function sizeAfterExact(state: GovernorState): number {
  const { bare, exact } = state.relief;
  return bare === undefined ? prefixOf(state) + Math.max(USUALLY_KEPT, exact.size.all) : bare + exact.size.all;
}

/** The basis for comparing costs, assuming that the context grows as before. */
function outlookOf(state: GovernorState, how: Outlook['how']): Outlook & WorkingSet {
  const { gauge, relief, run } = state;
  const ceiling = inTokens(run.policy.thresholds.compact, gauge.window.tokens);
  const full = predictedTokens(gauge);
  const prefix = prefixOf(state);
  const contents = workingSetOf(state);
  const { kept } = contents;
  const landings = {
    exact: sizeAfterExact(state) + kept,
    summary: landingOf(relief.landings, ceiling),
    handoff: (relief.handed?.landing ?? prefix + DOCUMENT_TOKENS) + kept,
  };
  const landing = landings[how];
  return {
    ...contents,
    full,
    landing,
    ceiling,
    how,
    answer: how === 'exact' ? 0 : (relief.handed?.answer ?? USUAL_ANSWER),
    prefix: Math.min(prefix, landing),
    // `FEW_CALLS` calls with the growth of other sessions are included, which matter while the session has few calls.
    growth: (gauge.grown + FEW_CALLS * USUAL_GROWTH) / (Math.max(0, gauge.calls - 1) + FEW_CALLS),
    calls: callsToCome(state),
    rates: ratesToCome(state),
  };
}

const FEW_CALLS = 3;

/** The median summary of public recordings has 2,250 tokens; the thoughts before it are about as long. */
const USUAL_ANSWER = 4_000;

/**
 * Expected number of further calls: as many as so far. If all prompts are known: for each as many as the earlier turns
 * took.
 */
function callsToCome(state: GovernorState): number {
  const { mailbox, gauge, turn } = state;
  if (!mailbox.ended) return gauge.calls;
  const callsPerTurn = gauge.calls / Math.max(1, turn.ended);
  const rest = turn.phase === 'idle' ? callsPerTurn : Math.max(callsPerTurn - turn.calls, turn.calls);
  return Math.round(rest + waiting(state).length * callsPerTurn);
}

/** The size from which a relief pays, and its way; undefined if unknown, or too soon after another relief. */
export function momentOf(state: GovernorState): Moment | undefined {
  return isTooSoon(state) ? undefined : affordableMoment(state);
}

function isTooSoon({ gauge, relief }: GovernorState): boolean {
  const last = Math.max(relief.boundaries.at(-1)?.call ?? 0, relief.handed?.call ?? 0, relief.triedAt ?? 0);
  return gauge.basis !== 'measured' || relief.landing !== undefined || gauge.calls - last <= TOO_SOON;
}

/**
 * The next moment, unless a relief now risks more than the bound allows. Without an account, as at the terminal, the risk
 * counts as bearable.
 */
function affordableMoment(state: GovernorState): Moment | undefined {
  const way = profitableWay(state);
  if (way === undefined || !isBounded(state.run.policy) || state.relief.alone.open === undefined)
    return nextMoment(state);
  const outlook = outlookOf(state, OUTLOOK_BY_WAY[way]);
  const { stake, worst } = removalCosts(state, way, outlook);
  return stake <= slackOf(state) && worst <= slackOf(state, WORST) ? nextMoment(state, outlook) : undefined;
}

/** Fewest calls before the work needs all removed contents again; each of them costs less until then. */
const RETURN = 25;

/** Calls up to which a run is young. */
const YOUNG = 38;

/**
 * `stake`: loss if the run ended after a relief, the calls that are certain to come, and the expected repeated fetches,
 * in micro-dollars. Content outside of `byName` is not counted: the bound covers it for one relief, and its real cost
 * reduces the slack afterwards. `worst`: loss if all contents come back.
 */
function removalCosts(state: GovernorState, way: Moment['way'], wayOutlook: ReturnType<typeof outlookOf>) {
  const { atWorst, filesAtWorst } = wayOutlook;
  const cycle = refillsWindow(state, wayOutlook) ? cycleCost(state, wayOutlook.needed) : 0;
  const { first, saved, stake } = stakeOf(wayOutlook, {
    said: way === 'compact' ? state.relief.exact.size.all : 0,
    isCold: isCold(state),
    // A call follows the running tools, or the waiting prompt.
    isFollowed: state.turn.phase !== 'idle' || waiting(state).length > 0,
  });
  // A young run may be near its end, where it reviews all its files at once; without cache hits, few calls pay for that.
  const { gauge, session } = state;
  const callsBefore = gauge.calls < YOUNG ? RETURN * (1 - session.cache.hits) : RETURN;
  return {
    stake: stake + cycle,
    worst: Math.max(atWorst - RETURN * saved, filesAtWorst - callsBefore * saved) - first,
  };
}

/**
 * Whether the context probably comes to claude's own level within the next turn. claude then compacts in the middle of
 * the work, which fetches everything again; at its own time it may have compacted between two tasks.
 */
function refillsWindow(state: GovernorState, { landing }: Outlook): boolean {
  const { turn, gauge } = state;
  // A turn with a compaction in it has no growth of its own.
  const mean = turn.ended === 0 ? 0 : gauge.grown / turn.ended;
  return landing + Math.max(forecast(turn) ?? 0, mean) >= levelOf(state) * NEARLY;
}

/** A turn may grow more than those before it. */
const NEARLY = 0.95;

function isCold({ session: { cache }, facts: { now } }: GovernorState): boolean {
  return idleBeyondLife(cache, now) !== undefined;
}

/** Like `momentOf`, as a forecast that ignores the last relief. @param outlook of the way that can pay, if already known */
export function nextMoment(state: GovernorState, outlook?: Outlook): Moment | undefined {
  const { gauge, run } = state;
  const { moment } = run.policy.compaction;
  const way = profitableWay(state);
  // No relief happens before the window is known.
  if (way === undefined || gauge.window.tokens === undefined) return undefined;
  if (moment !== 'economic') return { way, at: inTokens(moment, gauge.window.tokens) };
  return { way, at: momentNow(outlook ?? outlookOf(state, OUTLOOK_BY_WAY[way]), isCold(state)) };
}

const OUTLOOK_BY_WAY = { compact: 'exact', handoff: 'handoff' } as const;

/** The kind of relief that can pay for itself; undefined if only levels of the window apply, as with summaries. */
function profitableWay(state: GovernorState): Moment['way'] | undefined {
  const { mode, policy } = state.run;
  const { strategy, compaction, handoff } = policy;
  if (strategy === 'handoff') {
    return mode === 'act' && handoff.enabled && compaction.how !== 'summary' ? 'handoff' : undefined;
  }
  return exactIsPossible(state) && compaction.enabled ? 'compact' : undefined;
}

/** Why the context is relieved. */
export function dueReason(state: GovernorState): string {
  const { gauge, run, relief } = state;
  const extent = extentOf(state);
  const paying = payingMoment(state, extent);
  if (paying !== undefined) return `${crossedText(gauge, paying.at)}: ${savingText(state, paying.way)}`;
  const { full, turn = 0, window } = extent;
  return relief.latch === 'compact' || !willCross(run.policy, extent)
    ? crossedText(gauge, run.policy.thresholds.compact)
    : `${full} tokens and a turn's growth of up to ${turn} would cross ${handoffLevel(run.policy, window)}`;
}

/** Saving of a relief per further call, in words; empty without a saving. */
export function savingText(state: GovernorState, way: Moment['way']): string {
  const saved = Math.round(savedPerCall(outlookOf(state, OUTLOOK_BY_WAY[way])));
  const cost = priceOfModel(state) === undefined ? `${saved} tokens` : `$${toUsd(saved).toFixed(4)}`;
  return saved > 0 ? `saves about ${cost} a call, net of its cost` : '';
}

export function minutes(ms: number): number {
  return Math.round(ms / 6_000) / 10;
}

/** Least saving, as a share of the cost and in micro-dollars, because the assumptions are not more exact. */
const MIN_SAVING = { share: 0.1, microUsd: 250_000 };

/** Whether the cache has expired, and relieving the context first costs less than reading all of it again. */
export function paysAfterPause(state: GovernorState): boolean {
  const { gauge, turn } = state;
  // Any other basis means that the context has been replaced since, or may have been.
  const isKnown = gauge.basis === 'measured' && priceOfModel(state) !== undefined && turn.ended > 0;
  if (!isKnown || !isCold(state) || !mayCompact(state)) return false;
  const outlook = outlookOf(state, exactIsPossible(state) ? 'exact' : 'summary');
  const { goOn, relieve } = compareCosts({ ...outlook, full: gauge.used + callOutput(gauge) });
  return goOn - relieve > Math.max(goOn * MIN_SAVING.share, MIN_SAVING.microUsd);
}
