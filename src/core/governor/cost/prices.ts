import type { Usage } from '../../protocol/events.ts';
import { contextOf } from '../../protocol/usage.ts';

/** What tokens cost: micro-dollars (millionths of a US dollar) for a million of them, in whole numbers. */
export interface Price {
  readonly input: number;
  readonly output: number;
  /** Written to the prompt cache for five minutes, which is what a usage without further words means. */
  readonly cacheWrite: number;
  /** Written to the prompt cache for an hour. */
  readonly cacheWriteHour: number;
  readonly cacheRead: number;
  /** A call with a prompt of more than `above` tokens costs `times` as much, all of it. */
  readonly longPrompt?: { readonly above: number; readonly times: number };
}

/** Prices by the beginning of a model's id, which may be the whole id. The longest that fits counts. */
export type Prices = Readonly<Record<string, Price>>;

/**
 * List prices as Claude Code 2.1.330 itself counts them, measured with a thousand and with 150,000 tokens of each kind
 * and model; those of models that it has retired are as 2.1.197 counts them. They meet the `costUSD` figures of the
 * recordings, from 1.0.128 to 2.1.330, to the micro-dollar. Two things differ between versions: 2.1.197 counts Sonnet 5
 * at 3 and 15 dollars, and up to 2.1.87 an hour's cache was counted as five minutes'.
 *
 * Not told apart: fast mode (twice to six times as much), the surcharge for a region, web searches. A model that is
 * not named here has no price; Claude Code takes it for an Opus of today.
 */
export const PRICES: Prices = {
  'claude-fable-5': listed(10_000_000, 50_000_000),
  'claude-fable-5-1': listed(10_000_000, 50_000_000, 40),
  'claude-fable-5-2': listed(8_000_000, 40_000_000, 40),
  'claude-mythos-5': listed(10_000_000, 50_000_000),
  'claude-mythos-5-1': listed(10_000_000, 50_000_000, 40),
  'claude-mythos-5-2': listed(8_000_000, 40_000_000, 40),
  'claude-opus-4-0': listed(15_000_000, 75_000_000),
  'claude-opus-4-1': listed(15_000_000, 75_000_000),
  'claude-opus-4-20250514': listed(15_000_000, 75_000_000),
  'claude-opus-4-5': listed(5_000_000, 25_000_000),
  'claude-opus-4-6': listed(5_000_000, 25_000_000),
  'claude-opus-4-7': listed(5_000_000, 25_000_000),
  'claude-opus-4-8': listed(5_000_000, 25_000_000),
  'claude-opus-5': listed(5_000_000, 25_000_000),
  'claude-opus-5-5': listed(4_000_000, 20_000_000, 20),
  'claude-3-5-sonnet': listed(3_000_000, 15_000_000),
  'claude-3-7-sonnet': listed(3_000_000, 15_000_000),
  'claude-sonnet-4': listed(3_000_000, 15_000_000),
  'claude-sonnet-4-0': listed(3_000_000, 15_000_000),
  'claude-sonnet-4-5': listed(3_000_000, 15_000_000),
  'claude-sonnet-4-6': listed(3_000_000, 15_000_000),
  'claude-sonnet-5': listed(2_000_000, 10_000_000),
  'claude-sonnet-5-5': listed(2_000_000, 10_000_000, 20),
  'claude-3-5-haiku': listed(800_000, 4_000_000),
  'claude-haiku-4-5': listed(1_000_000, 5_000_000),
  'claude-haiku-5-5': { ...listed(100_000, 500_000), longPrompt: { above: 100_000, times: 5 } },
};

/** The price of writing to the cache is the same multiple of the input price in every model; reading is `1 / readParts`. */
function listed(input: number, output: number, readParts = 10): Price {
  return { input, output, cacheWrite: (input * 5) / 4, cacheWriteHour: input * 2, cacheRead: input / readParts };
}

/** What tokens cost in a call whose whole prompt has `promptTokens`. */
export function priceAt(price: Price, promptTokens: number): Price {
  const { longPrompt } = price;
  if (longPrompt === undefined || promptTokens <= longPrompt.above) return price;
  const { times } = longPrompt;
  return {
    input: price.input * times,
    output: price.output * times,
    cacheWrite: price.cacheWrite * times,
    cacheWriteHour: price.cacheWriteHour * times,
    cacheRead: price.cacheRead * times,
  };
}

/**
 * The price of a model, or undefined when none is known.
 *
 * @param model an id as claude names it: with or without a date, `[1m]`, or the region and maker before it
 */
export function priceOf(model: string, prices: Prices): Price | undefined {
  const id = model.replace(/^.*anthropic\./, '');
  const fitting = Object.keys(prices).filter((name) => isBeginning(name, id));
  const [longest] = fitting.sort((a, b) => b.length - a.length);
  return longest === undefined ? undefined : prices[longest];
}

/** The same where some prices count before the built-in ones. */
export function priceFor(model: string | null | undefined, prices: Prices): Price | undefined {
  return priceOf(model ?? '', prices) ?? priceOf(model ?? '', PRICES);
}

/** `claude-opus-4-1` does not match `claude-opus-4-10`, nor `claude-opus-5` a later `claude-opus-5-6`: only a date follows. */
function isBeginning(name: string, id: string): boolean {
  return id.startsWith(name) && !(/\d$/.test(name) && /^(?:\d|-\d{1,2}(?!\d))/.test(id.slice(name.length)));
}

/** What a call costs, in micro-dollars, rounded once. @param output its output where the usage holds a placeholder */
export function microUsdOf(usage: Usage, listPrice: Price, output = usage.output): number {
  const price = priceAt(listPrice, contextOf(usage));
  const hour = Math.min(usage.cacheCreationHour ?? 0, usage.cacheCreation);
  const sum =
    usage.input * price.input +
    output * price.output +
    (usage.cacheCreation - hour) * price.cacheWrite +
    hour * price.cacheWriteHour +
    usage.cacheRead * price.cacheRead;
  return Math.min(Math.round(sum / 1_000_000), Number.MAX_SAFE_INTEGER);
}
