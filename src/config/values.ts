import * as v from 'valibot';
import { toMicroUsd } from '../core/governor/cost/cost.ts';
import { type Price, ratesBy, USUAL_RATIOS } from '../core/governor/cost/prices.ts';

const MAX_SECONDS = 86_400;
/**
 * Maximum of an amount in US dollars: more than any run costs, and low enough that sums in micro-dollars stay exact.
 */
const MAX_USD = 1_000_000;
/** Minimum of an amount in US dollars: the unit of all sums. */
const MIN_USD = '0.000001';

const UNITS = { s: 1, m: 60, h: 3_600, d: 86_400 } as const;
/** Maximum of a wait. Node fires a timer of more than 2^31 ms, nearly 25 days, at once. */
const MAX_WAIT_SECONDS = 24 * UNITS.d;

const PERCENTAGE = /^(?:100(?:\.0+)?|(?!0+(?:\.0+)?%)\d{1,2}(?:\.\d+)?)%$/;

// Each schema's message describes the expected value, and findings are built from it. If the type of a value is clear,
// a union reports the fault of that branch, so each branch has the message of the whole union.
const SHARE = 'a fraction of the window (0 < x <= 1), a percentage such as "78%" or a whole number of tokens above 100';
const LEVEL =
  'a fraction of the window (0 < x <= 1), a percentage such as "78%" or a whole number of tokens, 1000 or more';
const MOMENT_FORM = `"economic", or ${LEVEL}`;
const DURATION = 'a duration such as "90s", "15m", "6h" or "2d", or a number of seconds; at most 24 days';
const MIN_SILENCE = 30;
const SILENCE = `a duration with its unit, such as "90s", "15m" or "2h", of at least ${MIN_SILENCE}s and at most 24 days; 0: never`;
const PRICES =
  'prices in US dollars for a million tokens by the beginning of a model id: {"claude-opus": {"input": 5, "output": 25}}';

const rate = numberBetween(PRICES, 0, MAX_USD);
const cacheRate = v.optional(rate);
const rates = v.strictObject(
  { input: rate, output: rate, cacheWrite: cacheRate, cacheWriteHour: cacheRate, cacheRead: cacheRate },
  PRICES,
);

/** The accepted forms of each type, converted to the form that the program uses: `"78%"` is 0.78, `"15m"` is 900. */
const KINDS = {
  tokens: wholeNumber('a whole number of tokens, 1000 or more', 1000),
  share: v.union(sizes(SHARE, 101), SHARE),
  level: v.union(sizes(LEVEL, 1000), LEVEL),
  moment: v.union([v.picklist(['economic'], MOMENT_FORM), ...sizes(MOMENT_FORM, 1000)], MOMENT_FORM),
  characters: wholeNumber('a whole number of characters, 0 or more', 0),
  count: wholeNumber('a whole number, 0 or more', 0),
  flag: v.boolean('true or false'),
  text: v.string('a text'),
  // No file system accepts NUL in a path, and other control characters could control the terminal that shows it.
  folder: v.pipe(
    v.string('a path'),
    v.nonEmpty('a path'),
    v.check((path) => !/\p{Cc}/u.test(path), 'a path'),
  ),
  seconds: positiveNumber(`a number of seconds above 0, at most ${MAX_SECONDS}`, MAX_SECONDS),
  duration: v.union([numberBetween(DURATION, 0, MAX_WAIT_SECONDS), secondsAtLeast(DURATION, 0)], DURATION),
  // The API may take half a minute before it starts an answer, so a shorter silence would end a working claude.
  silence: v.union([v.literal(0, SILENCE), secondsAtLeast(SILENCE, MIN_SILENCE)], SILENCE),
  dollars: numberBetween(`a number of US dollars from ${MIN_USD} to ${MAX_USD}`, 1e-6, MAX_USD),
  prices: v.record(v.string(PRICES), v.pipe(rates, v.transform(priceInMicroUsd)), PRICES),
} as const satisfies Record<string, v.GenericSchema>;

export const { flag, seconds } = KINDS;

export const priority = choice(['critical', 'high', 'medium', 'low']);

export type ValueKind = keyof typeof KINDS;

export function schemaOf(takes: ValueKind | readonly string[]): v.GenericSchema {
  return typeof takes === 'string' ? KINDS[takes] : choice(takes);
}

/** Converts prices to micro-dollars. Missing prices of the prompt cache follow the API's usual ratios. */
function priceInMicroUsd(given: v.InferOutput<typeof rates>): Price {
  return ratesBy((name) => toMicroUsd(given[name] ?? given.input * USUAL_RATIOS[name]));
}

export function choice<const T extends readonly string[]>(options: T) {
  return v.picklist(options, `one of ${options.map((option) => `"${option}"`).join(', ')}`);
}

function wholeNumber(expected: string, min: number) {
  return v.pipe(v.number(expected), v.safeInteger(expected), v.minValue(min, expected));
}

function numberBetween(expected: string, min: number, max: number) {
  return v.pipe(v.number(expected), v.minValue(min, expected), v.maxValue(max, expected));
}

function secondsAtLeast(expected: string, min: number) {
  return v.pipe(
    v.string(expected),
    v.regex(/^\d+(?:\.\d+)?[smhd]$/, expected),
    v.transform((text) => Number(text.slice(0, -1)) * UNITS[text.slice(-1) as keyof typeof UNITS]),
    v.minValue(min, expected),
    v.maxValue(MAX_WAIT_SECONDS, expected),
  );
}

function positiveNumber(expected: string, max: number) {
  return v.pipe(v.number(expected), v.gtValue(0, expected), v.maxValue(max, expected));
}

/** The schema of a size. @param min tokens: lower numbers are probably percentages (60 means 60%, 170 means 70%) */
function sizes(expected: string, min: number) {
  const percentage = v.pipe(
    v.string(expected),
    v.regex(PERCENTAGE, expected),
    v.transform((text) => Number(text.slice(0, -1)) / 100),
  );
  return [positiveNumber(expected, 1), wholeNumber(expected, min), percentage] as const;
}
