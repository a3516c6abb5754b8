import { countOf, type Fields, fieldsOf, isFields } from './fields.ts';

/** Token counts of one API call, or a sum of them. Missing counts are 0. */
export interface Usage {
  readonly input: number;
  readonly cacheCreation: number;
  /** The part of it that is kept for an hour, not for five minutes; missing: none, or the line does not say. */
  readonly cacheCreationHour?: number;
  readonly cacheRead: number;
  readonly output: number;
  /** Of a call that is billed by more than its tokens; missing in nearly all, and in sums. */
  readonly terms?: Terms;
}

/** What changes the price of a call. */
export interface Terms {
  readonly fast: boolean;
  /** Only computed in the United States, which costs more. */
  readonly inTheUs: boolean;
  readonly webSearches: number;
}

/**
 * Token counts out of a `usage` object, or undefined when it carries none. A count may be a numeric string; an
 * explicit null is 0.
 */
export function readUsage(value: unknown): Usage | undefined {
  if (!isFields(value)) return undefined;
  const input = countOf(value.input_tokens);
  if (input === undefined) return undefined;
  const usage = {
    input,
    cacheCreation: countOf(value.cache_creation_input_tokens) ?? 0,
    cacheRead: countOf(value.cache_read_input_tokens) ?? 0,
    output: countOf(value.output_tokens) ?? 0,
  };
  const cacheCreationHour = countOf(fieldsOf(value.cache_creation).ephemeral_1h_input_tokens) ?? 0;
  const terms = readTerms(value);
  // Spreading would take as long as all the rest of a call's line.
  if (cacheCreationHour === 0 && terms === undefined) return usage;
  return { ...usage, ...(cacheCreationHour > 0 && { cacheCreationHour }), ...(terms && { terms }) };
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

/** All-zero usage stands for "not known": API errors, local commands, some back-ends. */
export function saysNothing(usage: Usage): boolean {
  return contextOf(usage) === 0;
}

/** The last entry of `usage.iterations`: the turn's last API call, in versions that fill it. */
export function readLastIteration(usage: unknown): Usage | undefined {
  const { iterations } = fieldsOf(usage);
  return Array.isArray(iterations) ? readUsage(iterations.at(-1)) : undefined;
}
