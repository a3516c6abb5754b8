import { countOf, countOrZero, type Fields, fieldsOf, isFields, listOf, ownOf, stringOf, textOf } from './fields.ts';

/** Token counts of one API call, or a sum of them. Missing counts are 0. */
export interface Usage {
  readonly input: number;
  readonly cacheCreation: number;
  /** Cache writes with a lifetime of an hour instead of five minutes; undefined for zero or unknown. */
  readonly cacheCreationHour?: number;
  readonly cacheRead: number;
  readonly output: number;
  /** Terms that change the price; undefined in sums and in calls at list price. */
  readonly terms?: Terms;
  /** Additional inferences billed with the call; the other counts belong to the last one. */
  readonly besides?: readonly Inference[];
}

/** An additional inference of a call: a step before the final one, or an adviser's. */
export interface Inference {
  /** undefined for the model of the call. */
  readonly model: string | undefined;
  readonly usage: Usage;
}

/** Terms that change the price of a call. */
export interface Terms {
  readonly fast: boolean;
  /** Factor of the price of the tokens: of a US region, and of a batch, which is answered within a day. */
  readonly times: number;
  readonly webSearches: number;
  /** A term without a known price: the call costs at least as much as without it. */
  readonly unpriced?: string | undefined;
}

/**
 * Reads the token counts of a `usage` object; undefined without counts. A count may be a numeric string; missing, null
 * and negative counts become 0.
 */
export function readUsage(value: unknown): Usage | undefined {
  const usage = readCounts(value);
  const iterations = listOf(fieldsOf(value).iterations);
  return usage === undefined || iterations.length < 2 ? usage : ofLast(usage, iterations.map(fieldsOf));
}

function readCounts(value: unknown): Usage | undefined {
  if (!isFields(value)) return undefined;
  const input = countOf(value.input_tokens);
  const written = countOf(value.cache_creation_input_tokens);
  const cacheRead = countOf(value.cache_read_input_tokens);
  if (input === undefined && written === undefined && cacheRead === undefined) return undefined;
  const split = fieldsOf(value.cache_creation);
  const usage = {
    input: input ?? 0,
    // Some gateways fill in only the parts.
    cacheCreation: written || Object.values(split).reduce((sum: number, count) => sum + countOrZero(count), 0),
    cacheRead: cacheRead ?? 0,
    output: countOrZero(value.output_tokens),
  };
  return withTerms(usage, countOrZero(split[HOUR]), readTerms(value));
}

/** Adds the parts that most calls lack. */
export function withTerms(usage: Usage, cacheCreationHour: number, terms?: Terms): Usage {
  // Spreading would double the time for a call's line.
  if (cacheCreationHour === 0 && terms === undefined) return usage;
  return { ...usage, ...(cacheCreationHour > 0 && { cacheCreationHour }), ...(terms && { terms }) };
}

const MESSAGE = 'message';
/** An adviser's inference. Other types, compactions and abandoned answers, are not billed (2.1.332). */
const ADVICE = 'advisor_message';

/**
 * Splits the total into the last inference and the ones before it, if the iterations add up to the total. Each
 * inference reads the output of the previous one. Only the total has the terms of the call.
 */
function ofLast(sum: Usage, iterations: readonly Fields[]): Usage {
  const { terms } = sum;
  const inferencesOf = (kind: string, shared: Terms | undefined) =>
    iterations.flatMap((each) => {
      const usage = (each.type ?? MESSAGE) === kind && readCounts(each);
      const model = kind === ADVICE ? textOf(each.model) : undefined;
      return usage ? [{ model, usage: withTerms(usage, 0, shared) }] : [];
    });
  const once = terms && { ...terms, webSearches: 0 };
  const own = inferencesOf(MESSAGE, once);
  const last = own.at(-1)?.usage;
  const isSum = last && contextOf(own.map(({ usage }) => usage).reduce(addUsage)) === contextOf(sum);
  const besides = [...(isSum ? own.slice(0, -1) : []), ...inferencesOf(ADVICE, once && { ...once, fast: false })];
  return besides.length === 0 ? sum : { ...withTerms(isSum ? last : sum, 0, terms), besides };
}

const HOUR = 'ephemeral_1h_input_tokens';

/**
 * Factors of the price, by the value of a term. Speed and lifetime have rates of their own; claude counts `priority`
 * like `standard` (2.1.332), and never sends a batch, but gateways can.
 */
const TIMES: Readonly<Record<string, number>> = {
  ...{ '': 1, standard: 1, priority: 1, not_available: 1, global: 1, fast: 1, ephemeral_5m_input_tokens: 1, [HOUR]: 1 },
  // claude counts a US region since 2.1.239 at the latest.
  us: 1.1,
  batch: 0.5,
};

function readTerms({ speed, inference_geo, service_tier, server_tool_use, cache_creation }: Fields): Terms | undefined {
  const lifetimes = Object.entries(fieldsOf(cache_creation)).flatMap(([name, count]) =>
    countOrZero(count) > 0 ? name : [],
  );
  const terms = [speed, inference_geo, service_tier].map(stringOf).concat(lifetimes);
  const fast = speed === 'fast';
  const times = terms.reduce((product, term) => product * (ownOf(TIMES, term) ?? 1), 1);
  const webSearches = countOrZero(fieldsOf(server_tool_use).web_search_requests);
  const unpriced = terms.find((term) => !Object.hasOwn(TIMES, term));
  return fast || times !== 1 || webSearches > 0 || unpriced ? { fast, times, webSearches, unpriced } : undefined;
}

export const NO_USAGE: Usage = { input: 0, cacheCreation: 0, cacheRead: 0, output: 0 };

export function addUsage(a: Usage, b: Usage): Usage {
  const sum = {
    input: a.input + b.input,
    cacheCreation: a.cacheCreation + b.cacheCreation,
    cacheRead: a.cacheRead + b.cacheRead,
    output: a.output + b.output,
  };
  return withTerms(sum, (a.cacheCreationHour ?? 0) + (b.cacheCreationHour ?? 0));
}

/** Input tokens of a call: the context that was sent. */
export function contextOf(usage: Usage): number {
  return usage.input + usage.cacheCreation + usage.cacheRead;
}

/** The context of a call as claude displays it: the sum over its inferences. */
export function shownContext(usage: Usage): number {
  const ownModel = (usage.besides ?? []).filter(({ model }) => model === undefined);
  return ownModel.reduce((sum, each) => sum + contextOf(each.usage), contextOf(usage));
}

/** All-zero usage means "unknown": API errors, local commands, some back-ends. */
export function saysNothing(usage: Usage): boolean {
  return contextOf(usage) === 0;
}

/** Whether the counts of a line are newer than the known counts of its call. */
export function isNewer(reported: Usage | undefined, known: Usage): reported is Usage {
  return reported !== undefined && !saysNothing(reported) && reported.output >= known.output;
}

/**
 * The last inference in `usage.iterations` that is not an adviser's: the turn's last API call, in versions that fill
 * the list.
 */
export function readLastIteration(usage: unknown): Usage | undefined {
  const iterations = listOf(fieldsOf(usage).iterations).map(fieldsOf);
  return readCounts(iterations.findLast(({ type }) => type !== ADVICE));
}
