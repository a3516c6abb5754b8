import { countOf, countOrZero, type Fields, fieldsOf, isFields, listOf, stringOf, textOf } from './fields.ts';

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
  readonly extraInferences?: readonly Inference[];
}

/** An additional inference of a call: a step before the final one, or an adviser's. */
export interface Inference {
  /** undefined for the model of the call. */
  readonly model: string | undefined;
  readonly usage: Usage;
}

/** Terms that change the price of a call. */
export interface Terms {
  /**
   * Values that are not the usual ones: `fast`; `us` (computed only in the United States); `batch` (answered within a
   * day); any other speed, region or tier, or lifetime in the prompt cache.
   */
  readonly names: readonly string[];
  readonly webSearches: number;
}

/** Usage of one of the account's limits. */
export interface LimitUse {
  /** 0 to 1; undefined if not reported. */
  readonly share: number | undefined;
  /** Milliseconds since the epoch. */
  readonly resetsAt: number | undefined;
}

/**
 * Reads usage; undefined without counts. A count may be a numeric string. Missing, null and negative counts become 0.
 */
export function readUsage(value: unknown): Usage | undefined {
  const usage = readCounts(value);
  const iterations = listOf(fieldsOf(value).iterations);
  return usage === undefined || iterations.length < 2 ? usage : usageOfLast(usage, iterations.map(fieldsOf));
}

function readCounts(value: unknown): Usage | undefined {
  if (!isFields(value)) return undefined;
  const input = countOf(value.input_tokens);
  const written = countOf(value.cache_creation_input_tokens);
  const cacheRead = countOf(value.cache_read_input_tokens);
  if ((input ?? written ?? cacheRead) === undefined) return undefined;
  const split = fieldsOf(value.cache_creation);
  const cacheCreationHour = countOrZero(split.ephemeral_1h_input_tokens);
  const usage = {
    input: input ?? 0,
    // Some gateways fill in only the parts.
    cacheCreation: written || cacheCreationHour + countOrZero(split.ephemeral_5m_input_tokens),
    cacheRead: cacheRead ?? 0,
    output: countOrZero(value.output_tokens),
  };
  return withTerms(usage, cacheCreationHour, readTerms(value));
}

/** Adds the parts that most calls lack. */
export function withTerms(usage: Usage, cacheCreationHour: number, terms?: Terms): Usage {
  // A spread would double the time for the line of a call.
  if (cacheCreationHour === 0 && terms === undefined) return usage;
  return { ...usage, ...(cacheCreationHour > 0 && { cacheCreationHour }), ...(terms && { terms }) };
}

/** The term of fast mode. Only the answer itself is fast. */
export const FAST = 'fast';

const MESSAGE = 'message';
/** An adviser's inference. Other types, compactions and abandoned answers, are not billed (2.1.332). */
const ADVISOR_TYPE = 'advisor_message';

/**
 * The usage of the last inference, if the inferences add up to the total: each reads the output of the previous one.
 */
function usageOfLast(sum: Usage, iterations: readonly Fields[]): Usage {
  const { terms } = sum;
  const inferencesOf = (kind: string, shared: Terms | undefined) =>
    iterations.flatMap((each) => {
      const usage = (each.type ?? MESSAGE) === kind && readCounts(each);
      const model = kind === ADVISOR_TYPE ? textOf(each.model) : undefined;
      return usage ? [{ model, usage: withTerms(usage, 0, shared) }] : [];
    });
  const sharedTerms = terms && { ...terms, webSearches: 0 };
  const own = inferencesOf(MESSAGE, sharedTerms);
  const last = own.at(-1)?.usage;
  const isSum = last && contextOf(own.map(({ usage }) => usage).reduce(addUsage)) === contextOf(sum);
  const extraInferences = [
    ...(isSum ? own.slice(0, -1) : []),
    ...inferencesOf(
      ADVISOR_TYPE,
      sharedTerms && { ...sharedTerms, names: sharedTerms.names.filter((name) => name !== FAST) },
    ),
  ];
  return extraInferences.length === 0 ? sum : { ...withTerms(isSum ? last : sum, 0, terms), extraInferences };
}

/** claude counts `priority` like `standard` (2.1.332). */
const USUAL_TERM = /^(standard|priority|global|not_available|ephemeral_[15][hm].+)?$/;

function readTerms({ speed, inference_geo, service_tier, server_tool_use, cache_creation }: Fields): Terms | undefined {
  const webSearches = countOrZero(fieldsOf(server_tool_use).web_search_requests);
  const lifetimes = fieldsOf(cache_creation);
  const written = Object.keys(lifetimes).filter((name) => countOrZero(lifetimes[name]) > 0);
  const names = [speed, inference_geo, service_tier, ...written].map(stringOf).filter((name) => !USUAL_TERM.test(name));
  return names.length + webSearches > 0 ? { names, webSearches } : undefined;
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

/** Input tokens: the context that was sent. */
export function contextOf(usage: Usage): number {
  return usage.input + usage.cacheCreation + usage.cacheRead;
}

/** The context of a call as claude displays it: the sum over its inferences. */
export function displayedContext(usage: Usage): number {
  const own = (usage.extraInferences ?? []).filter(({ model }) => model === undefined);
  return own.reduce((sum, each) => sum + contextOf(each.usage), contextOf(usage));
}

/** Whether a usage has no input tokens. Then it is unknown: API errors, local commands, some back-ends. */
export function hasNoInput(usage: Usage): boolean {
  return contextOf(usage) === 0;
}

export function isNewer(reported: Usage | undefined, known: Usage): reported is Usage {
  return reported !== undefined && !hasNoInput(reported) && reported.output >= known.output;
}

/** The turn's last API call, in versions that fill `usage.iterations`. */
export function readLastIteration(usage: unknown): Usage | undefined {
  const iterations = listOf(fieldsOf(usage).iterations).map(fieldsOf);
  return readCounts(iterations.findLast(({ type }) => type !== ADVISOR_TYPE));
}
