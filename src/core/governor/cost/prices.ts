import type { ResultEvent } from '../../protocol/events.ts';
import { ownOf } from '../../protocol/fields.ts';
import { modelName } from '../../protocol/model-name.ts';
import { contextOf, FAST, type Terms, type Usage } from '../../protocol/usage.ts';
import { isAtLeast } from '../../protocol/version.ts';

/** Prices of tokens, in micro-dollars (millionths of a US dollar) per million tokens, whole numbers. */
export interface Rates {
  readonly input: number;
  readonly output: number;
  /** Written to the prompt cache for five minutes, the default of a usage without a lifetime. */
  readonly cacheWrite: number;
  /** Written to the prompt cache for an hour. */
  readonly cacheWriteHour: number;
  readonly cacheRead: number;
}

export interface Price extends Rates {
  /** Rates of a call with a prompt of more than `above` tokens, or in fast mode of more than `fastAbove`. */
  readonly longPrompt?: { readonly above: number; readonly fastAbove?: number; readonly rates: Rates };
  /** Factor of the price in fast mode; undefined if the price is the same. */
  readonly fastFactor?: number;
  /** The prices of Claude Code before `version`, if they differ. */
  readonly before?: { readonly version: string; readonly price: Price };
}

/** Prices by the beginning of a model's id, or by the whole id. The longest match counts. */
export type Prices = Readonly<Record<string, Price>>;

/** The ratios to the input price for most models. They replace missing prices. */
export const USUAL_RATIOS = { input: 1, output: 5, cacheWrite: 1.25, cacheWriteHour: 2, cacheRead: 0.1 } as const;

const IN_FAST = { fastFactor: 2 };
const IN_FAST_BEFORE = { fastFactor: 6 };

/** Maximum tokens of a prompt. */
const MAX_PROMPT_TOKENS = 1_000_000;

/** Prices while the window of 1,000,000 tokens was a beta: prompts above 200,000 tokens cost more. */
const withBeta = (dollars: number, more: Partial<Price> = {}): Price => {
  const rates = { ...ratesFrom(2 * dollars), output: 7_500_000 * dollars };
  const longPrompt = { above: 200_000, rates };
  const price = { ...ratesFrom(dollars), ...more };
  const before = { version: '2.1.50', price: { ...price, longPrompt } };
  return {
    ...price,
    before: {
      version: '2.1.75',
      price: { ...price, longPrompt: { ...longPrompt, fastAbove: MAX_PROMPT_TOKENS }, before },
    },
  };
};

/**
 * List prices as Claude Code itself uses them. Source of each figure: test/e2e/prices.test.ts asks claude, 2.1.332 and
 * 2.1.197, for each model, standard and fast, with a thousand and with 150,000 tokens of each kind; prices.test.ts
 * compares them with every `costUSD` and `total_cost_usd` of the recordings, from 1.0.128 on. Sonnet 5 changed with
 * 2.1.239 (its catalog beside that of 2.1.238), the cache reads of Sonnet 5.5 with 2.1.296, long prompts with 2.1.75
 * (its code beside that of 2.1.74), in fast mode with 2.1.50 (beside 2.1.49). Up to 2.1.87 claude counted the one-hour
 * cache like the five-minute cache; the API never did. Opus 3, Sonnet 3 and Haiku 3, which claude no longer knows, have
 * the last list prices of the API.
 *
 * A model that is not in this table has no price; Claude Code counts it like a current Opus.
 */
export const PRICES: Prices = {
  'claude-fable-5': ratesFrom(10),
  'claude-fable-5-1': ratesFrom(10, 1 / 40),
  'claude-fable-5-2': { ...ratesFrom(8, 1 / 40), ...IN_FAST },
  'claude-mythos-5': ratesFrom(10),
  'claude-mythos-5-1': ratesFrom(10, 1 / 40),
  'claude-mythos-5-2': { ...ratesFrom(8, 1 / 40), ...IN_FAST },
  'claude-opus-4-0': ratesFrom(15),
  'claude-opus-4-1': ratesFrom(15),
  'claude-opus-4-5': withBeta(5),
  'claude-opus-4-6': withBeta(5, IN_FAST_BEFORE),
  'claude-opus-4-7': { ...ratesFrom(5), ...IN_FAST_BEFORE },
  'claude-opus-4-8': { ...ratesFrom(5), ...IN_FAST },
  'claude-opus-5': { ...ratesFrom(5), ...IN_FAST },
  'claude-opus-5-5': { ...ratesFrom(4, 1 / 20), ...IN_FAST },
  'claude-3-opus': ratesFrom(15),
  'claude-3-sonnet': ratesFrom(3),
  'claude-3-5-sonnet': ratesFrom(3),
  'claude-3-7-sonnet': ratesFrom(3),
  'claude-sonnet-4': withBeta(3),
  'claude-sonnet-4-5': withBeta(3),
  'claude-sonnet-4-6': withBeta(3),
  'claude-sonnet-5': { ...ratesFrom(2), before: { version: '2.1.239', price: ratesFrom(3) } },
  'claude-sonnet-5-5': { ...ratesFrom(2, 1 / 20), before: { version: '2.1.296', price: ratesFrom(2) } },
  'claude-3-haiku': { ...ratesFrom(0.25), cacheWrite: 300_000, cacheRead: 30_000 },
  'claude-3-5-haiku': ratesFrom(0.8),
  'claude-haiku-4-5': ratesFrom(1),
  'claude-haiku-5-5': { ...ratesFrom(0.1), longPrompt: { above: 100_000, rates: ratesFrom(0.5) } },
};

/** The price of tokens whose cost is counted elsewhere. */
export const PAID_ELSEWHERE: Price = ratesFrom(0);

/** Micro-dollars of a web search; claude counts it since 2.1.49 at the latest. */
const WEB_SEARCH = 10_000;

/**
 * Factors of the price by term. Fast mode has its own factor for each model. claude counts a US region since 2.1.239 at
 * the latest. It never sends a batch, but gateways can.
 */
const PRICE_FACTORS: Readonly<Record<string, number>> = { [FAST]: 1, us: 1.1, batch: 0.5 };

/** Rates with the usual ratios. @param dollars US dollars per million tokens of input */
function ratesFrom(dollars: number, cacheRead: number = USUAL_RATIOS.cacheRead): Rates {
  const ratios = { ...USUAL_RATIOS, cacheRead };
  return ratesBy((name) => Math.round(dollars * ratios[name] * 1_000_000));
}

export function ratesBy(rate: (name: keyof Rates) => number): Rates {
  return {
    input: rate('input'),
    output: rate('output'),
    cacheWrite: rate('cacheWrite'),
    cacheWriteHour: rate('cacheWriteHour'),
    cacheRead: rate('cacheRead'),
  };
}

/** Prices of a call with a prompt of `promptTokens`. */
export function priceAt(price: Price, promptTokens: number, terms?: Terms): Rates {
  const { longPrompt, fastFactor = 1 } = price;
  const isFast = terms?.names.includes(FAST);
  const isLong = longPrompt !== undefined && promptTokens > ((isFast && longPrompt.fastAbove) || longPrompt.above);
  return multiply(isLong ? longPrompt.rates : price, isFast ? fastFactor : 1);
}

export function multiply(rates: Rates, factor: number): Rates {
  return factor === 1 ? rates : ratesBy((name) => rates[name] * factor);
}

/** The price of a model; undefined if unknown. @param model an id, in the spelling of any host */
export function priceOf(model: string, prices: Prices): Price | undefined {
  const id = modelName(model);
  let longest: string | undefined;
  for (const { name, known } of prices === PRICES ? LISTED : namesIn(prices)) {
    const isMatch = known === id || isBeginning(name, model) || isBeginning(name, id);
    if (isMatch && name.length > (longest?.length ?? -1)) longest = name;
  }
  return longest === undefined ? undefined : prices[longest];
}

interface Name {
  readonly name: string;
  /** The model's name in reports; undefined if `name` is only the beginning of a model id. */
  readonly known: string | undefined;
}

function namesIn(prices: Prices): readonly Name[] {
  return Object.keys(prices).map((name) => ({ name, known: name.startsWith('claude-') ? modelName(name) : undefined }));
}

/** Computed once, because every call needs its price several times. */
const LISTED = namesIn(PRICES);

/**
 * The price from `prices`, or else the list price.
 * @param version version of the Claude Code that counted; undefined: the current one
 */
export function priceFor(
  model: string | null | undefined,
  prices: Prices,
  version: string | null | undefined,
): Price | undefined {
  return priceOf(model ?? '', prices) ?? listPrice(model ?? '', version);
}

/** Like `priceFor`, for limits: no rate is below the list price, so that a configured price cannot lift a limit. */
export function leastPriceFor(model = '', prices: Prices, version: string | undefined) {
  const [own, listed] = [priceOf(model, prices), listPrice(model, version)];
  if (own === undefined || listed === undefined) return own ?? listed;
  return { ...listed, ...ratesBy((name) => Math.max(own[name], listed[name])) };
}

/** Some gateways offer the fast mode as a model of its own. */
const FAST_ID = /-fast(?::|$)/;

function listPrice(model: string, version: string | null | undefined): Price | undefined {
  const price = priceOf(model, PRICES);
  if (price?.fastFactor !== undefined && FAST_ID.test(model)) return multiply(price, price.fastFactor);
  return price && version != null ? priceInVersion(price, version) : price;
}

function priceInVersion(price: Price, version: string): Price {
  const { before } = price;
  return before === undefined || isAtLeast(version, before.version) ? price : priceInVersion(before.price, version);
}

/**
 * Whether `name` is the beginning of the model id, followed by nothing or a date. So `claude-opus-4-1` does not match
 * `claude-opus-4-10`, nor `claude-opus-5` a later `claude-opus-5-6`.
 */
function isBeginning(name: string, id: string): boolean {
  return id.startsWith(name) && !(/\d$/.test(name) && /^(?:\d|-\d{1,2}(?!\d))/.test(id.slice(name.length)));
}

/** Cost of a call, in micro-dollars, rounded once. @param output its output tokens, if the usage has a placeholder */
export function microUsdOf(usage: Usage, listPrice: Price, output = usage.output): number {
  const { names = [], webSearches = 0 } = usage.terms ?? {};
  const price = priceAt(listPrice, contextOf(usage), usage.terms);
  const hour = Math.min(usage.cacheCreationHour ?? 0, usage.cacheCreation);
  const sum =
    usage.input * price.input +
    output * price.output +
    (usage.cacheCreation - hour) * price.cacheWrite +
    hour * price.cacheWriteHour +
    usage.cacheRead * price.cacheRead;
  const times = names.reduce((product, name) => product * (ownOf(PRICE_FACTORS, name) ?? 1), 1);
  return Math.min(Math.round((sum / 1_000_000) * times + webSearches * WEB_SEARCH), Number.MAX_SAFE_INTEGER);
}

/** Cost of a turn in micro-dollars, from the usage in its result; 0 if the result names several models. */
export function turnMicroUsd({ usage, windows }: ResultEvent, prices: Prices, version: string | undefined): number {
  const [model, ...others] = Object.keys(windows);
  const price = others.length > 0 ? undefined : priceFor(model, prices, version);
  if (usage === undefined || price === undefined) return 0;
  // The usage sums several calls, so it does not show which of them have the rates of long prompts.
  const rates = ratesBy((name) => price[name]);
  return microUsdOf(usage, rates);
}

/**
 * Micro-dollars of further model runs in a call. `unpriced`: a model or term without a known price, which the sum
 * lacks.
 */
export function extraInferenceCost(
  { extraInferences = [], terms }: Usage,
  own: Price,
  prices: Prices,
  version: string | undefined,
) {
  let microUsd = 0;
  let unpriced = terms?.names.find((name) => !Object.hasOwn(PRICE_FACTORS, name));
  for (const { model, usage } of extraInferences) {
    const price = model === undefined ? own : priceFor(model, prices, version);
    if (price === undefined) unpriced ??= model;
    else microUsd += microUsdOf(usage, price);
  }
  return { microUsd, unpriced };
}
