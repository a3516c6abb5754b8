import { toUsd } from '../cost/cost.ts';
import { priceAt } from '../cost/prices.ts';
import { idleBeyondLife, rewriteCost, writePrice } from '../cost/prompt-cache.ts';
import type { Saving } from '../decisions.ts';
import { callOutput, crossedText, isGuess, predicted } from '../gauge/gauge.ts';
import type { Prompt } from '../input.ts';
import { handoffLevel, inTokens, nativeLevel, type Policy } from '../policy.ts';
import { waiting } from '../prompts/mailbox.ts';
import { relievesContext } from '../prompts/prompt.ts';
import { forecast } from '../prompts/turns.ts';
import type { GovernorState } from '../state.ts';
import { changed, decided, keep, type Step } from '../steps.ts';
import { priceOfModel, slackOf, UNPRICED, workingSetOf } from './accounts.ts';
import {
  compareWays,
  costPerCall,
  momentNow,
  type Outlook,
  onceMore,
  savedPerCall,
  USUALLY_MISSED,
} from './economic-moment.ts';
import { exactIsPossible } from './exact.ts';
import {
  compareStrategies,
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

/** No relief comes within so many calls of the one before, or of one that was tried in vain. */
export const TOO_SOON = 10;

/** An assumption until a compaction was seen, in tokens: near what stays of a conversation in `npm run outcome`. */
export const USUALLY_KEPT = 12_000;

/** System prompt and tools in published sessions, in tokens: the first call of a resumed one has more. */
const USUAL_PREFIX = 33_000;

/** What is known of the context of a session under way. */
export function extentOf(state: GovernorState): Extent {
  const { gauge, turn, relief, run } = state;
  const full = predicted(gauge);
  // An exact compaction can come in the middle of a turn, so one that does not pay waits for claude's own level.
  const isBelow = full < nativeLevel(run.policy, gauge.window.tokens ?? 0, gauge.call?.model);
  const isEarly = isBelow && exactIsPossible(state) && isBounded(run.policy);
  return {
    full,
    window: gauge.window.tokens,
    first: gauge.first ?? 0,
    growth: Math.max(0, turn.growth.tokens) / Math.max(1, gauge.calls),
    // Where one has just failed, another before the next call would fail as well.
    turn: relief.triedAt === gauge.calls ? undefined : forecast(turn),
    moment: momentOf(state),
    isTooEarly: isEarly && (bearableMoment(state)?.at ?? full + 1) > full,
    provesNothing: isGuess(gauge) || relief.fresh !== undefined,
  };
}

/** Tokens of the system prompt and the tools; a resumed session begins with more than these. */
export function prefixOf({ gauge: { first = 0 }, run }: GovernorState): number {
  return run.resumes ? Math.min(first, USUAL_PREFIX) : first;
}

/** What is known of the cost of going on. It is assumed that the context grows as it did. */
function outlookOf(state: GovernorState, how: Outlook['how']): Outlook & Pick<WorkingSet, 'atStake'> {
  const { gauge, relief, run, cache } = state;
  const ceiling = inTokens(run.policy.thresholds.compact, gauge.window.tokens);
  const full = predicted(gauge);
  const prefix = prefixOf(state);
  const { kept, missed, atStake } = workingSetOf(state);
  const landings = {
    exact: (relief.bare ?? prefix + USUALLY_KEPT) + kept,
    summary: landingOf(relief.landings, ceiling),
    handoff: (relief.handed?.landing ?? prefix + DOCUMENT_TOKENS) + kept,
  };
  const landing = landings[how];
  const price = priceOfModel(state);
  const rates = price === undefined ? UNPRICED : priceAt(price, full);
  return {
    ...{ full, landing, ceiling, how },
    answer: how === 'exact' ? 0 : (relief.handed?.answer ?? USUAL_ANSWER),
    prefix: Math.min(prefix, landing),
    // As long as few calls were seen, much like those of other sessions.
    growth: (gauge.grown + FEW_CALLS * USUAL_GROWTH) / (Math.max(0, gauge.calls - 1) + FEW_CALLS),
    calls: callsToCome(state),
    ...{ kept, missed, atStake },
    rates: { write: writePrice(cache, rates), cacheRead: rates.cacheRead, output: rates.output },
  };
}

const FEW_CALLS = 3;

/** The median summary of public recordings is 2,250 tokens; the model thinks about as long before it writes it. */
const USUAL_ANSWER = 4_000;

/**
 * It is assumed that as many calls follow as there were; where all prompts are known, as many for each of them as the
 * turns before took.
 */
function callsToCome(state: GovernorState): number {
  const { mailbox, gauge, turn } = state;
  if (!mailbox.ended) return gauge.calls;
  const usual = gauge.calls / Math.max(1, turn.ended);
  const rest = turn.phase === 'idle' ? usual : Math.max(usual - turn.calls, turn.calls);
  return Math.round(rest + waiting(state).length * usual);
}

/** From how many tokens on which relief pays; undefined: it can't be told, or another is not to follow yet. */
export function momentOf(state: GovernorState): Moment | undefined {
  const { gauge, relief } = state;
  const last = Math.max(relief.boundaries.at(-1)?.call ?? 0, relief.handed?.call ?? 0, relief.triedAt ?? 0);
  if (gauge.basis !== 'measured' || relief.landing !== undefined || gauge.calls - last <= TOO_SOON) return undefined;
  return bearableMoment(state);
}

/** The next moment, unless a relief now puts more at stake than the bound leaves. */
function bearableMoment(state: GovernorState): Moment | undefined {
  const moment = nextMoment(state);
  const isBearable = moment === undefined || !isBounded(state.run.policy) || !isUnbearable(state, moment.way);
  return isBearable ? moment : undefined;
}

/** A relief now puts more at stake than the bound leaves. Without an account, as at the terminal, nothing is known to. */
function isUnbearable(state: GovernorState, way: Moment['way']): boolean {
  return state.relief.alone.open !== undefined && stakeOf(state, way) > slackOf(state);
}

/** Who sets a level, or wants handoffs, gets them whatever they cost. */
function isBounded({ compaction, strategy }: Policy): boolean {
  return compaction.moment === 'economic' && strategy !== 'handoff';
}

/**
 * What the run would have lost if it ended behind a relief, in micro-dollars: at once, with what is usually fetched again;
 * or after the calls that are certain to come, with all of that. What stays beside contents is not counted: so much the
 * bound leaves for one relief, and what that has cost is missing the next time.
 */
function stakeOf(state: GovernorState, way: Moment['way']): number {
  const told = outlookOf(state, HOW[way]);
  const { full, landing, rates, atStake } = told;
  const outlook = { ...told, landing: told.prefix + told.kept };
  const taken = Math.max(0, full - landing) / 1_000_000;
  // Without a cache all is written again in any case.
  const first = isCold(state) ? taken * (rates.write - rates.cacheRead) : 0;
  const atMost = onceMore({ ...outlook, missed: USUALLY_MISSED }) / 1_000_000 + atStake;
  return Math.min(onceMore(outlook) / 1_000_000, atMost - certainCalls(state) * taken * rates.cacheRead) - first;
}

/** Each prompt that waits is a call at least, and so are the results of tools under way. */
function certainCalls(state: GovernorState): number {
  return waiting(state).length + (state.turn.phase === 'idle' ? 0 : 1);
}

function isCold({ cache, now }: GovernorState): boolean {
  return idleBeyondLife(cache, now) !== undefined;
}

/** The same as a forecast, also where another is not to follow yet. */
export function nextMoment(state: GovernorState): Moment | undefined {
  const { gauge, run } = state;
  const way = payingWay(state);
  // Nothing acts while it is not known how much fits.
  if (way === undefined || gauge.window.tokens === undefined) return undefined;
  const { moment } = run.policy.compaction;
  if (moment !== 'economic') return { way, at: inTokens(moment, gauge.window.tokens) };
  return { way, at: momentNow(outlookOf(state, HOW[way]), isCold(state)) };
}

const HOW = { compact: 'exact', handoff: 'handoff' } as const;

/** A handoff loses more than its price shows, so it must be cheaper by this share to be chosen for it. */
const LEAST_GAIN = 0.1;

/** Who asks for summaries gets the levels of the window. */
function payingWay(state: GovernorState): Moment['way'] | undefined {
  const { mode, policy } = state.run;
  const { strategy, compaction, handoff } = policy;
  const mayHandOver = mode === 'act' && handoff.enabled && compaction.how !== 'summary';
  if (strategy === 'handoff') return mayHandOver ? 'handoff' : undefined;
  if (!exactIsPossible(state) || !compaction.enabled) return undefined;
  if (strategy === 'compact' || !mayHandOver) return 'compact';
  return callCost(state, 'handoff') < callCost(state, 'compact') * (1 - LEAST_GAIN) ? 'handoff' : 'compact';
}

/** In micro-dollars. */
function callCost(state: GovernorState, way: Moment['way']): number {
  return costPerCall(outlookOf(state, HOW[way]));
}

/** Why the context is relieved; where the way had to be chosen, also the sums. */
export function dueReason(state: GovernorState): string {
  const { gauge, run, relief } = state;
  const { thresholds, strategy } = run.policy;
  const extent = extentOf(state);
  const paying = payingMoment(state, extent);
  if (paying !== undefined) return `${crossedText(gauge, paying.at)}: ${savingText(state, paying.way)}`;
  const { full, turn = 0, window } = extent;
  const why =
    relief.latch === 'compact' || !willCross(run.policy, extent)
      ? crossedText(gauge, thresholds.compact)
      : `${full} tokens and a turn's growth of up to ${turn} would cross ${handoffLevel(run.policy, window)}`;
  return strategy === 'auto' ? `${why}; ${compareStrategies(state, extent).text}` : why;
}

/** What a relief makes each further call cheaper by, in words; empty: it does not. `auto` also says what it compared. */
export function savingText(state: GovernorState, way: Moment['way']): string {
  const saved = savedPerCall(outlookOf(state, HOW[way]));
  const text = saved > 0 ? `saves about ${costText(state, saved)} a call, net of its cost` : '';
  if (state.run.policy.strategy !== 'auto') return text;
  const [compact, handoff] = (['compact', 'handoff'] as const).map((each) => costText(state, callCost(state, each)));
  const compared = `with exact compactions a call costs about ${compact}, with handoffs ${handoff}`;
  return [text, compared].filter((part) => part !== '').join('; ');
}

function costText(state: GovernorState, micro: number): string {
  return priceOfModel(state) === undefined ? `${Math.round(micro)} tokens` : `$${toUsd(Math.round(micro)).toFixed(4)}`;
}

/** Announces before a prompt what an expired cache will cost, above the configured amount. */
export function announceExpiry(state: GovernorState, prompt: Prompt | 'unseen'): Step {
  const { gauge, cache, now, run } = state;
  const idleMs = idleBeyondLife(cache, now);
  const least = run.policy.cost.expiredCacheUsd;
  const listPrice = priceOfModel(state);
  // Another basis says that the context has been replaced since, or may have been.
  if (idleMs === undefined || gauge.basis !== 'measured' || typeof least !== 'number' || listPrice === undefined) {
    return keep(state);
  }
  if (prompt !== 'unseen' && relievesContext(prompt)) return keep(state);
  const tokens = gauge.used + callOutput(gauge);
  const { usd, cachedUsd } = rewriteCost(tokens, cache, priceAt(listPrice, tokens));
  if (usd - cachedUsd < least) return keep(state);
  const { lifetimeMs } = cache;
  const reason = `the prompt cache has probably expired (no call for ${minutes(idleMs)} minutes, it is kept for ${minutes(lifetimeMs)})`;
  const saving = relieveFirst(state, tokens);
  return keep(changed(state, { cache: { ...cache, foretold: true } }), [
    decided(state, 'cache-expired', reason, { idleMs, lifetimeMs, tokens, usd, cachedUsd, saving }),
  ]);
}

export function minutes(ms: number): number {
  return Math.round(ms / 6_000) / 10;
}

/** Least saving as a share of the cost: the assumptions are no more exact than that. */
const LEAST_SHARE = 0.1;

/**
 * Whether relieving the context first is cheaper, now that the cache is gone.
 *
 * @param full tokens that are to be read again
 * @returns undefined when it is not cheaper, or when there is nothing yet to tell it from
 */
function relieveFirst(state: GovernorState, full: number): Saving | undefined {
  if (state.turn.ended === 0 || !mayCompact(state)) return undefined;
  const outlook = { ...outlookOf(state, exactIsPossible(state) ? 'exact' : 'summary'), full };
  const { goOn, relieve } = compareWays(outlook);
  const saved = { usd: toUsd(Math.round(goOn - relieve)), calls: outlook.calls };
  return relieve < goOn * (1 - LEAST_SHARE) ? saved : undefined;
}
