import { countOf, type Fields, fieldsOf, isFields, listOf, textOf } from './fields.ts';

/** Token counts of one API call, or a sum of them. Missing counts are 0. */
export interface Usage {
  readonly input: number;
  readonly cacheCreation: number;
  /** The part with a lifetime of an hour instead of five minutes; missing: none, or unknown. */
  readonly cacheCreationHour?: number;
  readonly cacheRead: number;
  readonly output: number;
  /** For a call that is billed by more than its tokens; missing in nearly all, and in sums. */
  readonly terms?: Terms;
  /** Further inferences billed with the call; these counts are those of the last one. */
  readonly besides?: readonly Inference[];
}

/** An inference that is part of a call: a step before an answer of claude's own tools, or an adviser's. */
export interface Inference {
  /** undefined: the model of the call. */
  readonly model: string | undefined;
  readonly usage: Usage;
}

/** Terms that change the price of a call. */
export interface Terms {
  readonly fast: boolean;
  /** Only computed in the United States, which costs more. */
  readonly inTheUs: boolean;
  readonly webSearches: number;
}

/**
 * Token counts of a `usage` object, or undefined without counts. A count may be a numeric string; one that is missing,
 * null or negative is 0.
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
  const cacheCreationHour = countOf(split.ephemeral_1h_input_tokens) ?? 0;
  const usage = {
    input: input ?? 0,
    cacheCreation: written ?? cacheCreationHour + (countOf(split.ephemeral_5m_input_tokens) ?? 0),
    cacheRead: cacheRead ?? 0,
    output: countOf(value.output_tokens) ?? 0,
  };
  const terms = readTerms(value);
  // Spreading would take as long as all the rest of a call's line.
  if (cacheCreationHour === 0 && terms === undefined) return usage;
  return { ...usage, ...(cacheCreationHour > 0 && { cacheCreationHour }), ...(terms && { terms }) };
}

const MESSAGE = 'message';
/** Compactions and answers that were given up are not billed (2.1.332). */
const ADVICE = 'advisor_message';

/** The counts at the top are the sum of the model's own iterations, where they are that; each has read what came before it. */
function ofLast(sum: Usage, iterations: readonly Fields[]): Usage {
  const own = iterations.filter(({ type = MESSAGE }) => type === MESSAGE).flatMap((each) => readCounts(each) ?? []);
  const advice = iterations.filter(({ type }) => type === ADVICE).flatMap((each) => inferenceOf(each));
  const last = own.at(-1);
  const isSum = last !== undefined && contextOf(own.reduce(addUsage)) === contextOf(sum);
  const before = isSum ? own.slice(0, -1).map((usage) => ({ model: undefined, usage })) : [];
  const besides = [...before, ...advice];
  if (besides.length === 0) return sum;
  return { ...(isSum ? last : sum), ...(sum.terms && { terms: sum.terms }), besides };
}

function inferenceOf(iteration: Fields): Inference[] {
  const usage = readCounts(iteration);
  return usage === undefined ? [] : [{ model: textOf(iteration.model), usage }];
}

function readTerms({ speed, inference_geo, server_tool_use }: Fields): Terms | undefined {
  const webSearches = countOf(fieldsOf(server_tool_use).web_search_requests) ?? 0;
  const [fast, inTheUs] = [speed === 'fast', inference_geo === 'us'];
  return fast || inTheUs || webSearches > 0 ? { fast, inTheUs, webSearches } : undefined;
}

export const NO_USAGE: Usage = { input: 0, cacheCreation: 0, cacheRead: 0, output: 0 };

export function addUsage(a: Usage, b: Usage): Usage {
  const cacheCreationHour = (a.cacheCreationHour ?? 0) + (b.cacheCreationHour ?? 0);
  return {
    input: a.input + b.input,
    cacheCreation: a.cacheCreation + b.cacheCreation,
    ...(cacheCreationHour > 0 && { cacheCreationHour }),
    cacheRead: a.cacheRead + b.cacheRead,
    output: a.output + b.output,
  };
}

/** Input side of a call: what was in the context when it was sent. */
export function contextOf(usage: Usage): number {
  return usage.input + usage.cacheCreation + usage.cacheRead;
}

/** The context of a call as claude shows it; for several inferences it is their sum. */
export function shownContext(usage: Usage): number {
  const own = (usage.besides ?? []).filter(({ model }) => model === undefined);
  return own.reduce((sum, each) => sum + contextOf(each.usage), contextOf(usage));
}

/** All-zero usage means "unknown": API errors, local commands, some back-ends. */
export function saysNothing(usage: Usage): boolean {
  return contextOf(usage) === 0;
}

/** Whether a line of a call counts instead of the one before it: it does unless it was written earlier. */
export function isNewer(said: Usage | undefined, known: Usage): said is Usage {
  return said !== undefined && !saysNothing(said) && said.output >= known.output;
}

/** The last of `usage.iterations` that is no adviser's: the turn's last API call, in versions that fill it. */
export function readLastIteration(usage: unknown): Usage | undefined {
  const iterations = listOf(fieldsOf(usage).iterations).map(fieldsOf);
  return readCounts(iterations.findLast(({ type }) => type !== ADVICE));
}
