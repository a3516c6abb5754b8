import type { Event } from '../../protocol/events.ts';
import { contextOf, type Usage } from '../../protocol/usage.ts';
import { toUsd } from '../cost/cost.ts';
import { multiply, type Price, priceAt, priceFor, type Rates, USUAL_RATIOS } from '../cost/prices.ts';
import { expiredIdleMs, isUsuallyHit, writePrice } from '../cost/prompt-cache.ts';
import type { Replaced } from '../facts.ts';
import { predictedTokens, prefixOf, thoughtsPerCall } from '../gauge/gauge.ts';
import { claudesLevel } from '../policy.ts';
import { promptsInTurn, waiting } from '../prompts/mailbox.ts';
import type { GovernorState } from '../state.ts';
import { changedIn, isHandingOver, type Line } from '../steps.ts';
import {
  type Baseline,
  baselineAfterCall,
  baselineAfterReplacing,
  costsSoFar,
  countSummary,
  withCost,
} from './baseline.ts';
import { callCost, summaryCost } from './call-cost.ts';
import { type Contents, endStep, forgetContents, pathTail, withMeasuredSizes } from './content.ts';

import { roomForContents } from './exact.ts';
import { contentTokens, reshownContents, type WorkingSet, withReshown, workingSet } from './working-set.ts';

/** Rates of a model without a price, in tokens: the usual ratios between the prices of input, output and cache. */
const UNPRICED: Rates = multiply(USUAL_RATIOS, 1_000_000);

/** The price of the main thread's last model. Undefined if the price is unknown, or if cached tokens are free. */
export function priceOfModel({ gauge, session, run }: GovernorState): Price | undefined {
  const price = priceFor(gauge.call?.model ?? session.model, run.policy.cost.prices, session.version);
  return price?.cacheRead === 0 ? undefined : price;
}

/** The expected price of later calls: the share of tokens that misses the cache costs as much as writing them again. */
export function priceToCome(state: GovernorState): Price {
  const { cache } = state.session;
  const price = priceOfModel(state) ?? UNPRICED;
  return { ...price, cacheRead: price.cacheRead * cache.hits + writePrice(cache, price) * (1 - cache.hits) };
}

/** The rates of `priceToCome` that apply to a context of today's size. */
export function ratesToCome(state: GovernorState) {
  const rates = priceAt(priceToCome(state), predictedTokens(state.gauge));
  return { write: writePrice(state.session.cache, rates), cacheRead: rates.cacheRead, output: rates.output };
}

/**
 * Maximum cost of a run, as a factor of the baseline's cost. One relief that keeps no contents may cost more. The
 * documentation promises 1.05; the difference covers errors of the estimate.
 */
const COST_BOUND = 1.04;

/** Maximum factor if the work fetches again everything that a relief removed. */
export const WORST_CASE_BOUND = 1.25;

/**
 * The amount that a relief may lose, in micro-dollars, so that the run stays within `bound` times the baseline. The
 * uncertain part of the baseline does not count.
 */
export function allowedLoss({ relief, gauge }: GovernorState, bound = COST_BOUND): number {
  const { baseline, real } = costsSoFar(relief.baseline, gauge);
  return (baseline - relief.baseline.uncertain) * bound - real - relief.givenBack.cost;
}

/** Smallest difference of the two costs that is reported, as a share of the cost. Smaller ones are within the error. */
const MIN_REPORTED_SHARE = 0.02;

/**
 * The saving compared with the baseline, in US dollars; negative if ctxb cost more. 0 if the costs are about equal, or
 * cannot be compared.
 */
export function savedUsd(state: GovernorState): number {
  const { baseline, real } = costsSoFar(state.relief.baseline, state.gauge);
  const saved = baseline + state.relief.baseline.retryCost - real;
  const isReportable = Math.abs(saved) >= MIN_REPORTED_SHARE * real;
  return isReportable && isComparable(state) ? toUsd(Math.round(saved)) : 0;
}

/** Whether the cost of the same work with claude alone is known: claude alone can do it, and the model has a price. */
export function isComparable(state: GovernorState): boolean {
  return priceOfModel(state) !== undefined && !state.relief.baseline.gaveUp;
}

/** Updates the baseline after a line from claude. */
export function updateBaseline(state: GovernorState, { before, event }: Line): GovernorState {
  const { baseline } = state.relief;
  const { call, replaced, isInjected, now } = state.facts;
  const { gauge } = before;
  const isIdle = expiredIdleMs(before.session.cache, now) !== undefined;
  if (replaced) return replaceBaseline(before, state, replaced, event);
  if (call?.kind !== 'assistant') return state;
  const contents = contentsBeforeCall(before, call.usage);
  const after = baselineAfterCall(baseline, {
    usage: call.usage,
    model: call.model,
    gauge,
    contents,
    isOwn: isInjected,
    price: priceOfModel(state) ?? UNPRICED,
    turn: before.turn.ended,
    // After a relief, only the new call has a model.
    level: Math.max(
      baselineLevel({ ...before, gauge: { ...gauge, call: state.gauge.call } }),
      sizeWithoutCompaction(before, call.usage),
    ),
    isIdle,
    endsAtLevel: before.process.control.isAutoCompactOff,
    isUsuallyCached: isUsuallyHit(before.session.cache),
    given: state.relief.givenBack.tokens,
  });
  const { summary } = after;
  return withBaseline(
    state,
    after,
    endStep(summary === undefined ? contents : forgetContents(contents, summary.names)),
  );
}

/** Updates the baseline after the context was replaced. */
function replaceBaseline(before: GovernorState, state: GovernorState, replaced: Replaced, event: Event): GovernorState {
  const { gauge, work, session } = before;
  const { baseline } = state.relief;
  const isIdle = expiredIdleMs(session.cache, state.facts.now) !== undefined;
  const isOwn = replacesBaseline(before, replaced) && !isLevelReachedEarly(before);
  const isPaid = replaced === 'boundary' && isSummary(before);
  const paid = isPaid && baseline.open ? summaryCost(gauge.used, baseline.open.price, isIdle) : 0;
  const paying = withCost(baseline, paid, isOwn ? paid : 0);
  // claude's breaker does not count the compactions that the user asks for.
  const isAutomatic = event.kind === 'boundary' && event.trigger === 'auto';
  const replacing = baselineAfterReplacing(paying, gauge, work.tools.contents, isOwn);
  const counted = isPaid && isOwn && isAutomatic ? countSummary(replacing, before.turn.ended) : replacing;
  const after = { ...counted, isAtLevel: isExactAtLevel(before) };
  const { contents } = state.work.tools;
  const left = isOwn ? forgetContents(contents, []) : contents;
  if (!isPaid) return withBaseline(state, after, left);
  const shown = reshownContents(work.tools.contents, baselineLevel(before), 'tokens');
  return withBaseline(state, after, withReshown(left, work.tools.contents, shown, isOwn));
}

/** The contents before a call. Its usage corrects their estimated sizes. */
function contentsBeforeCall({ gauge, relief: { baseline }, work }: GovernorState, usage: Usage): Contents {
  const { contents } = work.tools;
  const growth = (contextOf(usage) - gauge.used) / (predictedTokens(gauge) - gauge.used);
  return baseline.wasReplaced ? contents : withMeasuredSizes(contents, growth);
}

function withBaseline(state: GovernorState, baseline: Baseline, contents: Contents): GovernorState {
  return changedIn(changedIn(state, 'relief', { baseline }), 'tools', { contents });
}

/** Whether the model wrote a summary, instead of an exact answer by the mod or a compaction by ctxb. */
function isSummary({ relief: { exact }, operation }: GovernorState): boolean {
  return exact.receipt?.answered !== true && operation.phase !== 'compacting';
}

/** Whether the baseline's context is replaced too. */
function replacesBaseline(state: GovernorState, replaced: Replaced): boolean {
  if (replaced !== 'boundary') return !isHandingOver(state);
  return isSummary(state) && isAtClaudesLevel(state);
}

/** Whether claude's own trigger is not below the level at which claude alone compacts. */
export function isAtClaudesLevel(state: GovernorState): boolean {
  const { trigger } = state.process.control;
  return typeof trigger !== 'number' || trigger >= baselineLevel(state);
}

/**
 * Whether the mod has answered claude's own compaction, and the baseline is as full as the run. claude's estimate can
 * be a little higher than ctxb's. Far below the level, it was a compaction of ctxb.
 */
function isExactAtLevel(state: GovernorState): boolean {
  const isAnswered = state.relief.exact.receipt?.answered === true && state.operation.phase !== 'compacting';
  const size = sizeOfBaseline(state);
  const isAsFull = size >= predictedTokens(state.gauge) * LEVEL_TOLERANCE;
  return isAnswered && isAsFull && size >= baselineLevel(state) * ESTIMATE_TOLERANCE && isAtClaudesLevel(state);
}

/** Share of the level from which claude's estimate, which is higher than ctxb's, can have reached it. */
const ESTIMATE_TOLERANCE = 0.97;

/** Tokens of the next request with claude alone. */
function sizeOfBaseline({ gauge, relief: { baseline } }: GovernorState): number {
  return baseline.context + (baseline.open?.growth ?? 0) + predictedTokens(gauge) - gauge.used;
}

/** Whether the run reached claude's level before the baseline, because ctxb added text to an earlier summary. */
function isLevelReachedEarly(state: GovernorState): boolean {
  const { gauge, relief } = state;
  const level = baselineLevel(state);
  const isFull = relief.baseline.open !== undefined && predictedTokens(gauge) >= level;
  return isFull && sizeOfBaseline(state) < level * LEVEL_TOLERANCE;
}

/**
 * The size that shows how high claude's level is at least, in tokens: claude made this call without compacting. It only
 * estimates new input, so the call may exceed the level by the tolerance. 0 if ctxb has raised the level.
 */
function sizeWithoutCompaction(state: GovernorState, usage: Usage): number {
  const { trigger } = state.process.control;
  const isRaised = typeof trigger === 'number' && trigger > baselineLevel(state);
  return isRaised ? 0 : contextOf(usage) / LEVEL_TOLERANCE;
}

/** The level at which claude compacts without ctxb, or refuses prompts, in tokens. */
function baselineLevel({ gauge, process: { control } }: GovernorState): number {
  const level =
    control.callersLevel ?? claudesLevel(gauge.call?.model, gauge.window.claudesTokens ?? gauge.window.tokens);
  return level + (control.isAutoCompactOff ? REFUSED_ABOVE_LEVEL : 0);
}

/** Tokens above its level at which claude refuses prompts if it never compacts by itself (2.1.332). */
const REFUSED_ABOVE_LEVEL = 9_000;

/** Share of the level below which two sizes differ by more than the error of the estimate. */
const LEVEL_TOLERANCE = 0.995;

/** Chooses the contents that a relief keeps whole, and estimates how often the others are fetched again. */
export function workingSetOf(state: GovernorState): WorkingSet {
  const { gauge, relief } = state;
  const { contents } = state.work.tools;
  const price = priceToCome(state);
  const { write, cacheRead } = ratesToCome(state);
  // One call often fetches several contents, so each costs about half a call.
  const call = callCost(predictedTokens(gauge) / 2, price, thoughtsPerCall(gauge));
  const held = [...contents.byName.values()].filter(({ tokens }) => tokens > 0);
  // A small result keeps its whole step, so the text and thoughts beside it count too.
  const besideResult =
    Math.max(0, predictedTokens(gauge) - prefixOf(gauge) - contentTokens(contents)) / Math.max(1, held.length);
  const isNamed = relief.sizeWithoutContents === undefined ? namedFiles(state) : () => false;
  return workingSet(contents, gauge.calls, {
    fetchCost: (tokens) => (tokens * write) / 1_000_000 + call,
    keepCost: (tokens, calls) => (Math.max(tokens, besideResult) * (write + (calls - 1) * cacheRead)) / 1_000_000,
    minChance: (path) => (isNamed(path) ? NAMED_FILE_CHANCE : 0),
    allowedLoss: allowedLoss(state, WORST_CASE_BOUND),
    fittingTokens: (wanted) => roomForContents(state, wanted),
  });
}

/** Tests whether a prompt of the turn or a waiting one names a file. */
export function namedFiles(state: GovernorState): (path: string) => boolean {
  const prompts = [...promptsInTurn(state), ...waiting(state)];
  return (path) => prompts.some(({ text }) => text.includes(pathTail(path)));
}

/**
 * Chance that a file named in the prompts is used again. Counts until the first compaction: a job that visits one file
 * after the other shows no second use until then.
 */
const NAMED_FILE_CHANCE = 0.2;
