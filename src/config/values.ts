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

// Findings are built from the message of a schema, which describes the expected value.
const LEVEL =
  'a fraction of the window (0 < x <= 1), a percentage such as "78%" or a whole number of tokens, 1000 or more';
const MIN_SILENCE = 30;

const rate = numberBetween(0, MAX_USD);
const cacheRate = v.optional(rate);
const rates = v.strictObject({
  input: rate,
  output: rate,
  cacheWrite: cacheRate,
  cacheWriteHour: cacheRate,
  cacheRead: cacheRate,
});

/** The accepted forms of each type, converted to the form that the program uses: `"78%"` is 0.78, `"15m"` is 900. */
const KINDS = {
  tokens: v.message(wholeNumber(1000), 'a whole number of tokens, 1000 or more'),
  share: v.message(
    v.union(sizes(101)),
    'a fraction of the window (0 < x <= 1), a percentage such as "78%" or a whole number of tokens above 100',
  ),
  level: v.message(v.union(sizes(1000)), LEVEL),
  moment: v.message(v.union([v.picklist(['economic']), ...sizes(1000)]), `"economic", or ${LEVEL}`),
  characters: v.message(wholeNumber(0), 'a whole number of characters, 0 or more'),
  count: v.message(wholeNumber(0), 'a whole number, 0 or more'),
  flag: v.boolean('true or false'),
  text: v.string('a text'),
  // No file system accepts NUL in a path, and other control characters could control the terminal that shows it.
  folder: v.message(
    v.pipe(
      v.string(),
      v.nonEmpty(),
      v.check((path) => !/\p{Cc}/u.test(path)),
    ),
    'a path',
  ),
  seconds: v.message(positiveNumber(MAX_SECONDS), `a number of seconds above 0, at most ${MAX_SECONDS}`),
  duration: v.message(
    v.union([numberBetween(0, MAX_WAIT_SECONDS), secondsAtLeast(0)]),
    'a duration such as "90s", "15m", "6h" or "2d", or a number of seconds; at most 24 days',
  ),
  // The API may take half a minute before it starts an answer, so a shorter silence would end a working claude.
  silence: v.message(
    v.union([v.literal(0), secondsAtLeast(MIN_SILENCE)]),
    `a duration with its unit, such as "90s", "15m" or "2h", of at least ${MIN_SILENCE}s and at most 24 days; 0: never`,
  ),
  dollars: v.message(numberBetween(1e-6, MAX_USD), `a number of US dollars from ${MIN_USD} to ${MAX_USD}`),
  prices: v.message(
    v.record(v.string(), v.pipe(rates, v.transform(priceInMicroUsd))),
    'prices in US dollars for a million tokens by the beginning of a model id: {"claude-opus": {"input": 5, "output": 25}}',
  ),
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

function wholeNumber(min: number) {
  return v.pipe(v.number(), v.safeInteger(), v.minValue(min));
}

function numberBetween(min: number, max: number) {
  return v.pipe(v.number(), v.minValue(min), v.maxValue(max));
}

function secondsAtLeast(min: number) {
  return v.pipe(
    v.string(),
    v.regex(/^\d+(?:\.\d+)?[smhd]$/),
    v.transform((text) => Number(text.slice(0, -1)) * UNITS[text.slice(-1) as keyof typeof UNITS]),
    v.minValue(min),
    v.maxValue(MAX_WAIT_SECONDS),
  );
}

function positiveNumber(max: number) {
  return v.pipe(v.number(), v.gtValue(0), v.maxValue(max));
}

/** The schemas of a size. @param min tokens: lower numbers are probably percentages (60 means 60%, 170 means 70%) */
function sizes(min: number) {
  const percentage = v.pipe(
    v.string(),
    v.regex(PERCENTAGE),
    v.transform((text) => Number(text.slice(0, -1)) / 100),
  );
  return [positiveNumber(1), wholeNumber(min), percentage] as const;
}
