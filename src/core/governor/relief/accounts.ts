import { contextOf, type Usage } from '../../protocol/usage.ts';
import { toUsd } from '../cost/cost.ts';
import { multiply, type Price, priceAt, priceFor, type Rates, USUAL_RATIOS } from '../cost/prices.ts';
import { idleBeyondLife, writePrice } from '../cost/prompt-cache.ts';
import type { Replaced } from '../facts.ts';
import { predictedTokens } from '../gauge/gauge.ts';
import { claudesLevel } from '../policy.ts';
import { promptsInTurn, waiting } from '../prompts/mailbox.ts';
import type { GovernorState } from '../state.ts';
import { changedIn, isHandingOver } from '../steps.ts';
import {
  type Alone,
  accountsOf,
  aloneAfterCall,
  aloneAfterReplacing,
  callCost,
  summaryCost,
  withCost,
} from './alone.ts';
import { type Contents, tailOf } from './content.ts';
import { endStep, forgetContents, measuredContents } from './contents.ts';
import { roomOfContents } from './exact.ts';
import { heldTokens, reshownContents, type WorkingSet, withShown, workingSet } from './working-set.ts';

/** Rates for a model without a price: tokens, weighted like most list prices. */
const UNPRICED: Rates = multiply(USUAL_RATIOS, 1_000_000);

/** The price of the main thread's last model; undefined if it is unknown, or if cached tokens are free. */
export function priceOfModel({ gauge, session, run }: GovernorState): Price | undefined {
  const price = priceFor(gauge.call?.model ?? session.model, run.policy.cost.prices, session.version);
  return price?.cacheRead === 0 ? undefined : price;
}

/** The price of calls to come: without a hit, the tokens of a context are written to the cache again. */
export function priceToCome(state: GovernorState): Price {
  const { cache } = state.session;
  const price = priceOfModel(state) ?? UNPRICED;
  return { ...price, cacheRead: price.cacheRead * cache.hits + writePrice(cache, price) * (1 - cache.hits) };
}

/** The rates of `priceToCome` for the next call. */
export function ratesToCome(state: GovernorState) {
  const rates = priceAt(priceToCome(state), predictedTokens(state.gauge));
  return { write: writePrice(state.session.cache, rates), cacheRead: rates.cacheRead, output: rates.output };
}

/**
 * Maximum cost of a run, as a factor of the cost with claude alone, besides one relief that keeps no contents. The
 * documentation promises 1.05; the difference covers errors of the account.
 */
const BOUND = 1.04;

/** The same if the work needs all contents again that a relief removed. */
export const WORST = 1.25;

/**
 * Amount that the run may still lose within a bound, in micro-dollars. What claude alone would have fetched again does not
 * count, because it may not have: other contents, or at another time.
 */
export function slackOf({ relief, gauge }: GovernorState, bound = BOUND): number {
  const { alone, real } = accountsOf(relief.alone, gauge);
  return (alone - relief.alone.owed) * bound - real - relief.given.cost;
}

/** Smallest saving or loss that the accounts can distinguish from zero, as a share of the cost. */
const LEAST_SHARE = 0.02;

/**
 * Savings of reliefs compared with claude alone, in US dollars; below 0 if they cost more. 0 without a price, or if both
 * cost about the same.
 */
export function savedUsd(state: GovernorState): number {
  const { alone, real } = accountsOf(state.relief.alone, state.gauge);
  const saved = alone + state.relief.alone.lost - real;
  const isReportable = Math.abs(saved) >= LEAST_SHARE * real;
  return isReportable && priceOfModel(state) !== undefined ? toUsd(Math.round(saved)) : 0;
}

/** Updates the account of claude alone after a line. */
export function followAccount(before: GovernorState, state: GovernorState): GovernorState {
  const { alone } = state.relief;
  const { call, replaced, isInjected, now } = state.facts;
  const { gauge, work } = before;
  const isIdle = idleBeyondLife(before.session.cache, now) !== undefined;
  if (replaced) {
    const isOwn = isClaudesOwn(before, replaced) && !isAhead(before);
    const isPaid = replaced === 'boundary' && isSummary(before);
    const paid = isPaid && alone.open ? summaryCost(gauge.used, alone.open.price, isIdle) : 0;
    const paying = withCost(alone, paid, isOwn ? paid : 0);
    const after = aloneAfterReplacing(paying, gauge, work.tools.contents, isOwn);
    const { contents } = state.work.tools;
    const left = isOwn ? forgetContents(contents, []) : contents;
    if (!isPaid) return withAccount(state, after, left);
    const shown = reshownContents(work.tools.contents, levelAlone(gauge), 'tokens');
    return withAccount(state, after, withShown(left, work.tools.contents, shown, isOwn));
  }
  if (call?.kind !== 'assistant') return state;
  const contents = measured(before, call.usage);
  const after = aloneAfterCall(alone, {
    usage: call.usage,
    gauge,
    contents,
    isOwn: isInjected,
    price: priceOfModel(state) ?? UNPRICED,
    // After a relief no earlier call names the model.
    level: Math.max(levelAlone({ call: state.gauge.call, window: gauge.window }), passedSize(before, call.usage)),
    isIdle,
    given: state.relief.given.tokens,
  });
  const { summary } = after;
  return withAccount(state, after, endStep(summary === undefined ? contents : forgetContents(contents, summary.names)));
}

/** The contents before a call, with the sizes that its usage shows. */
function measured({ gauge, relief: { alone }, work }: GovernorState, usage: Usage): Contents {
  const { contents } = work.tools;
  const growth = (contextOf(usage) - gauge.used) / (predictedTokens(gauge) - gauge.used);
  return alone.replaced ? contents : measuredContents(contents, growth);
}

function withAccount(state: GovernorState, alone: Alone, contents: Contents): GovernorState {
  return changedIn(changedIn(state, 'relief', { alone }), 'tools', { contents });
}

/** Whether claude has written a summary by itself. */
function isSummary({ relief: { exact }, operation }: GovernorState): boolean {
  return exact.receipt?.answered !== true && operation.phase !== 'compacting';
}

/** Whether the context would have been replaced without ctxb too. */
function isClaudesOwn(state: GovernorState, replaced: Replaced): boolean {
  const { gauge } = state;
  const { trigger } = state.process.control;
  if (replaced !== 'boundary') return !isHandingOver(state);
  if (!isSummary(state)) return false;
  return typeof trigger !== 'number' || trigger >= levelAlone(gauge);
}

/** Whether text given with a summary made the run reach claude's level earlier than claude alone would. */
function isAhead({ gauge, relief: { alone } }: GovernorState): boolean {
  const { context, open } = alone;
  const level = levelAlone(gauge);
  const full = predictedTokens(gauge);
  return open !== undefined && full >= level && context + open.growth + full - gauge.used < level * NEARLY;
}

/**
 * The size of a call that claude has made instead of compacting, in tokens: by its own count of the new input, which a
 * long prompt makes too small, the call was below its level. 0 if ctxb has set a higher level.
 */
function passedSize({ process: { control }, gauge }: GovernorState, usage: Usage): number {
  const isRaised = typeof control.trigger === 'number' && control.trigger > levelAlone(gauge);
  return isRaised ? 0 : contextOf(usage) / NEARLY;
}

/** The level at which claude alone compacts, in tokens. */
function levelAlone({ call, window }: Pick<GovernorState['gauge'], 'call' | 'window'>): number {
  return claudesLevel(call?.model, window.tokens);
}

/** Smaller differences are errors of the account. */
const NEARLY = 0.995;

/** System prompt and tools in published sessions, in tokens. The first call of a resumed session has more. */
const USUAL_PREFIX = 33_000;

/** Tokens of the system prompt and the tools; a resumed session begins with more than these. */
export function prefixOf({ gauge: { first = 0 }, run }: GovernorState): number {
  return run.resumes ? Math.min(first, USUAL_PREFIX) : first;
}

/** The contents that a relief should keep whole, and the expected repeated fetches of the others. */
export function workingSetOf(state: GovernorState): WorkingSet {
  const { gauge, relief } = state;
  const { contents } = state.work.tools;
  const price = priceToCome(state);
  const { write, cacheRead } = ratesToCome(state);
  // Between two reliefs the context is on average about half as large.
  const call = callCost(predictedTokens(gauge) / 2, price);
  const held = [...contents.byName.values()].filter(({ tokens }) => tokens > 0);
  // Keeping a small result keeps its whole step, so the text and thoughts beside the results count too.
  const beside =
    Math.max(0, predictedTokens(gauge) - (gauge.first ?? 0) - heldTokens(contents)) / Math.max(1, held.length);
  const prompts = relief.bare === undefined ? [...promptsInTurn(state), ...waiting(state)] : [];
  return workingSet(contents, gauge.calls, {
    fetching: (tokens) => (tokens * write) / 1_000_000 + call,
    holding: (tokens, calls) => (Math.max(tokens, beside) * (write + (calls - 1) * cacheRead)) / 1_000_000,
    minShare: (path) => (prompts.some(({ text }) => text.includes(tailOf(path))) ? NAMED_SHARE : 0),
    slack: slackOf(state, WORST),
    room: (wanted) => roomOfContents(state, wanted),
  });
}

/**
 * A job that loops over its files uses no file twice at first. Until a compaction has shown which files are read again,
 * this share of the files that the prompts name is expected back.
 */
const NAMED_SHARE = 0.2;
