import * as v from 'valibot';

/** A day; timers beyond 2^31 ms would fire at once. */
const MAX_SECONDS = 86_400;
const MAX_MINUTES = MAX_SECONDS / 60;
/** More than any run costs, and little enough for sums in micro-dollars to stay exact. */
const MAX_USD = 1_000_000;

// The message of each part says what is expected; findings are built round it.
const TOKENS = 'a whole number of tokens, 1000 or more';
const ANY_TOKENS = 'a whole number of tokens, 0 or more';
const SHARE = 'a fraction of the window (0 < x <= 1), a percentage such as "78%" or a whole number of tokens above 100';
const PORTION = 'a fraction (0 < x <= 1) or a percentage such as "80%"';
const SECONDS = `a number of seconds above 0, at most ${MAX_SECONDS}`;
const MINUTES = `a number of minutes above 0, at most ${MAX_MINUTES}`;
const DOLLARS = `a number of US dollars above 0, at most ${MAX_USD}`;
const ATTEMPTS = 'a whole number, 1 or more';
const TIMES = 'a whole number, 0 or more';
const RESTORE = 'a whole number of tokens from 0 to 2000';
const PATTERN = 'a regular expression';
const CHARACTERS = 'a whole number of characters, 0 or more';

const PERCENTAGE = /^(?:100(?:\.0+)?|(?!0+(?:\.0+)?%)\d{1,2}(?:\.\d+)?)%$/;

export const flag = v.boolean('true or false');
export const text = v.string('a text');
/** No system takes a zero in a path, and the other control characters would steer a terminal that shows it. */
export const folder = v.pipe(
  v.string('a path'),
  v.nonEmpty('a path'),
  v.check((path) => !/\p{Cc}/u.test(path), 'a path'),
);
export const pattern = v.pipe(v.string(PATTERN), v.nonEmpty(PATTERN), v.check(isPattern, PATTERN));
export const tokens = v.pipe(v.number(TOKENS), v.integer(TOKENS), v.minValue(1000, TOKENS));
export const anyTokens = v.pipe(v.number(ANY_TOKENS), v.integer(ANY_TOKENS), v.minValue(0, ANY_TOKENS));
export const seconds = v.pipe(v.number(SECONDS), v.gtValue(0, SECONDS), v.maxValue(MAX_SECONDS, SECONDS));
export const minutes = v.pipe(v.number(MINUTES), v.gtValue(0, MINUTES), v.maxValue(MAX_MINUTES, MINUTES));
const PRICES =
  'prices in US dollars for a million tokens by the beginning of a model id: {"claude-opus": {"input": 5, "output": 25}}';
const rate = v.pipe(v.number(PRICES), v.minValue(0, PRICES), v.maxValue(MAX_USD, PRICES));

export const prices = v.record(
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

export const dollars = v.pipe(v.number(DOLLARS), v.gtValue(0, DOLLARS), v.maxValue(MAX_USD, DOLLARS));
const DOLLARS_OR_OFF = `a number of US dollars, 0 or more and at most ${MAX_USD}, or "off"`;
export const dollarsOrOff = v.union(
  [
    v.pipe(v.number(DOLLARS_OR_OFF), v.minValue(0, DOLLARS_OR_OFF), v.maxValue(MAX_USD, DOLLARS_OR_OFF)),
    v.literal('off', DOLLARS_OR_OFF),
  ],
  DOLLARS_OR_OFF,
);
export const attempts = v.pipe(v.number(ATTEMPTS), v.integer(ATTEMPTS), v.minValue(1, ATTEMPTS));
export const times = v.pipe(v.number(TIMES), v.integer(TIMES), v.minValue(0, TIMES));
/** A level of the window. Nothing fits into 100 tokens: who writes 60 means 60%. */
export const share = v.union(
  [fraction(SHARE), v.pipe(v.number(SHARE), v.integer(SHARE), v.gtValue(100, SHARE)), percentage(SHARE)],
  SHARE,
);
/** A part of something that has no tokens. */
export const portion = v.union([fraction(PORTION), percentage(PORTION)], PORTION);
// Evidence and a running prompt share the 9,000 characters that claude takes whole.
export const restoreTokens = v.pipe(
  v.number(RESTORE),
  v.integer(RESTORE),
  v.minValue(0, RESTORE),
  v.maxValue(2000, RESTORE),
);

export const characters = v.pipe(v.number(CHARACTERS), v.safeInteger(CHARACTERS), v.minValue(0, CHARACTERS));

const PRIORITY_NAMES = ['critical', 'high', 'medium', 'low'] as const;
const PRIORITIES =
  'a priority ("critical", "high", "medium" or "low") by the name of each agent: {"test-author": "high"}';

export const priority = choice(PRIORITY_NAMES);
export const priorities = v.record(
  // A list passes for an object with numbers for names.
  v.pipe(v.string(PRIORITIES), v.regex(/\D/, PRIORITIES)),
  v.picklist(PRIORITY_NAMES, PRIORITIES),
  PRIORITIES,
);

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
