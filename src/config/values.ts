import * as v from 'valibot';
import { toMicroUsd } from '../core/governor/cost/cost.ts';
import { type Price, USUAL_RATIOS } from '../core/governor/cost/prices.ts';

/** A day; timers beyond 2^31 ms would fire at once. */
const MAX_SECONDS = 86_400;
/** More than any run costs, and little enough for sums in micro-dollars to stay exact. */
const MAX_USD = 1_000_000;

// The message of each part says what is expected; findings are built round it.
const TOKENS = 'a whole number of tokens, 1000 or more';
const SHARE = 'a fraction of the window (0 < x <= 1), a percentage such as "78%" or a whole number of tokens above 100';
const SECONDS = `a number of seconds above 0, at most ${MAX_SECONDS}`;
const DURATION = `a duration such as "90s", "15m", "6h" or "2d", or a number of seconds; at most 30 days`;
const PART = 'a fraction (0 < x <= 1) or a percentage such as "90%"';
const DOLLARS = `a number of US dollars above 0, at most ${MAX_USD}`;
const RESTORE = 'a whole number of tokens from 0 to 2000';
const PATTERN = 'a regular expression';
const COUNT = 'a whole number, 0 or more';
const CHARACTERS = 'a whole number of characters, 0 or more';

const UNITS = { s: 1, m: 60, h: 3_600, d: 86_400 } as const;
const MAX_WAIT_SECONDS = 30 * UNITS.d;

const PERCENTAGE = /^(?:100(?:\.0+)?|(?!0+(?:\.0+)?%)\d{1,2}(?:\.\d+)?)%$/;

export const flag = v.boolean('true or false');
export const text = v.string('a text');
/** No system takes a zero in a path, and the other control characters would steer a terminal that shows it. */
const folder = v.pipe(
  v.string('a path'),
  v.nonEmpty('a path'),
  v.check((path) => !/\p{Cc}/u.test(path), 'a path'),
);
const pattern = v.pipe(v.string(PATTERN), v.nonEmpty(PATTERN), v.check(isPattern, PATTERN));
const tokens = v.pipe(v.number(TOKENS), v.integer(TOKENS), v.minValue(1000, TOKENS));
export const seconds = v.pipe(v.number(SECONDS), v.gtValue(0, SECONDS), v.maxValue(MAX_SECONDS, SECONDS));
/** A time that a run may wait; 0: it does not. */
const duration = v.union(
  [
    v.pipe(v.number(DURATION), v.minValue(0, DURATION), v.maxValue(MAX_WAIT_SECONDS, DURATION)),
    v.pipe(
      v.string(DURATION),
      v.regex(/^\d+(?:\.\d+)?[smhd]$/, DURATION),
      v.check((text) => toSeconds(text) <= MAX_WAIT_SECONDS, DURATION),
    ),
  ],
  DURATION,
);
const PRICES =
  'prices in US dollars for a million tokens by the beginning of a model id: {"claude-opus": {"input": 5, "output": 25}}';
const rate = v.pipe(v.number(PRICES), v.minValue(0, PRICES), v.maxValue(MAX_USD, PRICES));

const prices = v.record(
  v.string(PRICES),
  v.strictObject(
    {
      input: rate,
      output: rate,
      cacheWrite: v.optional(rate),
      cacheWriteHour: v.optional(rate),
      cacheRead: v.optional(rate),
    },
    PRICES,
  ),
  PRICES,
);

const dollars = v.pipe(v.number(DOLLARS), v.gtValue(0, DOLLARS), v.maxValue(MAX_USD, DOLLARS));
const DOLLARS_OR_OFF = `a number of US dollars, 0 or more and at most ${MAX_USD}, or "off"`;
const dollarsOrOff = v.union(
  [
    v.pipe(v.number(DOLLARS_OR_OFF), v.minValue(0, DOLLARS_OR_OFF), v.maxValue(MAX_USD, DOLLARS_OR_OFF)),
    v.literal('off', DOLLARS_OR_OFF),
  ],
  DOLLARS_OR_OFF,
);
/** A level of the window. Nothing fits into 100 tokens: who writes 60 means 60%. */
const share = v.union(
  [fraction(SHARE), v.pipe(v.number(SHARE), v.integer(SHARE), v.gtValue(100, SHARE)), percentage(SHARE)],
  SHARE,
);
const part = v.union([fraction(PART), percentage(PART)], PART);
const MOMENT = `"economic", or ${SHARE}`;
/** When to compact: where it pays, or a level of the window. */
const moment = v.union(
  [
    v.picklist(['economic'], MOMENT),
    fraction(MOMENT),
    v.pipe(v.number(MOMENT), v.integer(MOMENT), v.gtValue(100, MOMENT)),
    percentage(MOMENT),
  ],
  MOMENT,
);
// Evidence and a running prompt share the 9,000 characters that claude takes whole.
const restoreTokens = v.pipe(v.number(RESTORE), v.integer(RESTORE), v.minValue(0, RESTORE), v.maxValue(2000, RESTORE));

const count = v.pipe(v.number(COUNT), v.safeInteger(COUNT), v.minValue(0, COUNT));
const characters = v.pipe(v.number(CHARACTERS), v.safeInteger(CHARACTERS), v.minValue(0, CHARACTERS));

const PRIORITY_NAMES = ['critical', 'high', 'medium', 'low'] as const;
const PRIORITIES =
  'a priority ("critical", "high", "medium" or "low") by the name of each agent: {"test-author": "high"}';

export const priority = choice(PRIORITY_NAMES);
const priorities = v.record(
  // A list passes for an object with numbers for names.
  v.pipe(v.string(PRIORITIES), v.regex(/\D/, PRIORITIES)),
  v.picklist(PRIORITY_NAMES, PRIORITIES),
  PRIORITIES,
);

/** The kinds of values, by the names that the keys have for them. */
const KINDS = {
  tokens,
  share,
  moment,
  restoreTokens,
  characters,
  count,
  flag,
  text,
  folder,
  pattern,
  seconds,
  duration,
  part,
  dollars,
  dollarsOrOff,
  prices,
  priorities,
} as const satisfies Record<string, v.GenericSchema>;

export type Kind = keyof typeof KINDS;

/** The schema of what a key takes. */
export function schemaOf(takes: Kind | readonly string[]): v.GenericSchema {
  return typeof takes === 'string' ? KINDS[takes] : choice(takes);
}

/** Brings a checked value into the one form the program works with: `"78%"` is 0.78, prices are in micro-dollars. */
export function normalised(takes: Kind | readonly string[], value: unknown): unknown {
  if (takes === 'duration') return toSeconds(value as number | string);
  if (takes === 'share' || takes === 'part') return toShare(value as number | string);
  if (takes === 'moment') return value === 'economic' ? value : toShare(value as number | string);
  if (takes !== 'prices') return value;
  const models = Object.entries(value as v.InferOutput<typeof prices>);
  return Object.fromEntries(models.map(([model, rates]) => [model, inMicroUsd(rates)]));
}

/** `"78%"` is 0.78; numbers are what they are. */
export function toShare(value: number | string): number {
  return typeof value === 'number' ? value : Number(value.slice(0, -1)) / 100;
}

/** `"15m"` is 900; numbers are seconds. */
function toSeconds(value: number | string): number {
  return typeof value === 'number' ? value : Number(value.slice(0, -1)) * UNITS[value.slice(-1) as keyof typeof UNITS];
}

/** What is not said of the prompt cache is what the API takes for it in most models. */
function inMicroUsd({ input, output, cacheWrite, cacheWriteHour, cacheRead }: Rates): Price {
  return {
    input: toMicroUsd(input),
    output: toMicroUsd(output),
    cacheWrite: toMicroUsd(cacheWrite ?? input * USUAL_RATIOS.cacheWrite),
    cacheWriteHour: toMicroUsd(cacheWriteHour ?? input * USUAL_RATIOS.cacheWriteHour),
    cacheRead: toMicroUsd(cacheRead ?? input * USUAL_RATIOS.cacheRead),
  };
}

type Rates = v.InferOutput<typeof prices>[string];

export function choice<const T extends readonly string[]>(options: T) {
  return v.picklist(options, `one of ${options.map((option) => `"${option}"`).join(', ')}`);
}

// A union whose kind of value is clear reports the fault of that part, so each part says what is expected of the whole.
function fraction(expected: string) {
  return v.pipe(v.number(expected), v.gtValue(0, expected), v.maxValue(1, expected));
}

function percentage(expected: string) {
  return v.pipe(v.string(expected), v.regex(PERCENTAGE, expected));
}

function isPattern(text: string): boolean {
  try {
    return Boolean(new RegExp(text, 'm'));
  } catch {
    return false;
  }
}
