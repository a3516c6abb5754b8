/** The figures that decide between continuing and a relief. Sizes in tokens. */
export interface ReliefForecast {
  /** Size of the next request. */
  readonly full: number;
  /** Size of the context after a relief. */
  readonly sizeAfter: number;
  /** The part of `sizeAfter` for contents that are likely to be used again. */
  readonly kept: number;
  /** The part of `sizeAfter` that prompts carry besides their texts: pictures, documents, mentioned files. */
  readonly attached: number;
  /** The part of `sizeAfter` that is always in the cache: the system prompt and the tools. */
  readonly prefix: number;
  /** Size at which a relief happens in any case. */
  readonly ceiling: number;
  /** Growth of the context per call. */
  readonly growth: number;
  /** Expected number of further calls. */
  readonly calls: number;
  readonly how: 'exact' | 'summary' | 'handoff';
  /** Output tokens of the relief: the summary or document, and the thoughts before it. */
  readonly answerTokens: number;
  readonly refetched: Refetched;
  /** Tokens of a call that fetches something. */
  readonly callTokens: number;
  readonly rates: CallRates;
}

/** The figures of the period from one relief to the next, which do not depend on the current size. */
type Cycle = Omit<ReliefForecast, 'full' | 'ceiling'>;

/** Expected fetches of content that a relief removed. */
export interface Refetched {
  readonly calls: number;
  /** Tokens of the results. */
  readonly tokens: number;
  /** Micro-dollars of the subagents that must answer again. */
  readonly cost?: number;
}

/**
 * Content that may be fetched again under another name, so that no past use predicts it. Part of the loss that a relief
 * risks. Not part of the economic moment, because a later relief would remove it too.
 */
const RENAMED_REFETCH: Refetched = { calls: 1, tokens: 2_000 };

/** Micro-dollars per million tokens, or other values in the same ratios. */
interface CallRates {
  /** Writing to the cache, for the cache lifetime that claude requests. */
  readonly write: number;
  readonly cacheRead: number;
  readonly output: number;
}

/** Tokens of a tool call and the text before it; an assumption. */
export const CALL_TOKENS = 150;

/**
 * Minimum ratio of the conversation before a relief to the conversation after it. A smaller one would lose evidence for
 * little gain.
 */
const MIN_SHRINK_FACTOR = 3;

/**
 * The context size, in tokens, at which a relief pays: there a cycle from relief to relief costs least per call. A
 * cycle of n calls begins at a context of L tokens, which grows by g per call. A relief costs K more than an ordinary
 * call of size L. The cost per call is K ÷ n for the relief, and reading g × n ÷ 2 tokens more than L. The sum is least
 * at n = √(2K ÷ (g × price of a cached token)). For a summary or a document, the model reads the whole context once
 * more, which is L + g × n; the part L is in K. Near the end of the work, the remaining calls must also earn the price
 * of the relief.
 */
export function economicMoment(outlook: Cycle): number {
  const { growth, calls, rates } = outlook;
  const sizeAfter = outlook.sizeAfter + outlook.refetched.tokens;
  // The part that does not depend on the length of the cycle, in millionths of a micro-dollar.
  const cost = reliefCost(outlook) + (outlook.how === 'exact' ? 0 : outlook.sizeAfter * rates.cacheRead);
  const costInTokens = cost / rates.cacheRead;
  const cycle = Math.sqrt(2 * costInTokens * growth);
  return Math.max(minMoment(outlook), Math.ceil(sizeAfter + Math.max(cycle, costInTokens / Math.max(1, calls))));
}

/** Minimum size for a relief, regardless of costs. */
function minMoment({ sizeAfter, kept, attached, prefix }: Cycle): number {
  const staying = prefix + kept + attached;
  return staying + MIN_SHRINK_FACTOR * (sizeAfter - staying);
}

/**
 * Like `economicMoment`, for a cache that may have expired. Then claude writes the context to the cache again: all of
 * it, or after a relief only the rest.
 */
export function cacheAwareMoment(outlook: ReliefForecast, isCold: boolean): number {
  if (!isCold) return economicMoment(outlook);
  const { continuing, relieving } = compareCosts(outlook);
  return relieving < continuing ? minMoment(outlook) : economicMoment(outlook);
}

/** Saving of a relief per further call until the next relief, in micro-dollars. */
export function savedPerCall({ full, ...outlook }: Omit<ReliefForecast, 'ceiling'>): number {
  const { sizeAfter, growth, calls, rates } = outlook;
  const cycle = growth > 0 ? (economicMoment(outlook) - sizeAfter) / growth : calls;
  const spread = Math.max(1, Math.min(calls, cycle));
  const reading = outlook.how === 'exact' ? 0 : full * rates.cacheRead;
  return ((full - sizeAfter) * rates.cacheRead - (reliefCost(outlook) + reading) / spread) / 1_000_000;
}

/**
 * Costs of continuing and of a relief after the cache has expired, in micro-dollars. A summary first reads the whole
 * context and writes it to the cache (seen in 2.1.197). An exact compaction avoids that.
 */
export function compareCosts(outlook: ReliefForecast): { readonly continuing: number; readonly relieving: number } {
  const { full, sizeAfter, how, prefix, rates } = outlook;
  const first = (full * rates.write) / 1_000_000;
  const cold = how === 'exact' ? (prefix * (rates.write - rates.cacheRead)) / 1_000_000 : first;
  return {
    continuing: first + costOfFurtherCalls(outlook, full),
    relieving: cold + costAfterRelief(outlook) + costOfFurtherCalls(outlook, Math.min(sizeAfter, full)),
  };
}

/** Cost of all calls after the first, in micro-dollars. @param tokens size of the context at the first call */
function costOfFurtherCalls(outlook: ReliefForecast, tokens: number): number {
  const { calls, growth, ceiling, sizeAfter, how, rates } = outlook;
  let context = tokens;
  let sum = 0;
  for (let call = 1; call < calls; call++) {
    sum += (context * rates.cacheRead + growth * rates.write) / 1_000_000;
    context += growth;
    if (context < ceiling || sizeAfter >= ceiling) continue;
    const reading = how === 'exact' ? 0 : (context * rates.cacheRead) / 1_000_000;
    sum += reading + costAfterRelief(outlook);
    context = sizeAfter;
  }
  return sum;
}

/** Cost of a relief and of the first call after it, in micro-dollars. */
function costAfterRelief(outlook: ReliefForecast): number {
  return (reliefCost(outlook) + outlook.sizeAfter * outlook.rates.cacheRead) / 1_000_000;
}

interface StakeConditions {
  readonly isCold: boolean;
  /** Whether a further call is certain. */
  readonly isFollowed: boolean;
  /** Tokens of the prompts. They stay in the context. */
  readonly promptTokens: number;
}

/**
 * `stake`: the loss in micro-dollars if the work ends after a relief, the calls that are certain, and the expected
 * repeated fetches. `first` and `saved`: savings in the first call.
 */
export function stakesOfRelief(outlook: ReliefForecast, { isCold, isFollowed, promptTokens }: StakeConditions) {
  const { full, sizeAfter, prefix, kept, rates } = outlook;
  const { calls, tokens } = outlook.refetched;
  const refetched = {
    ...outlook.refetched,
    calls: calls + RENAMED_REFETCH.calls,
    tokens: tokens + RENAMED_REFETCH.tokens,
  };
  const taken = Math.max(0, full - sizeAfter) / 1_000_000;
  // With an empty cache, all tokens are written again in any case.
  const first = isCold ? taken * (rates.write - rates.cacheRead) : 0;
  // Later calls may fetch contents again, so only one call counts.
  const saved = isFollowed ? taken * rates.cacheRead : 0;
  const cost = reliefCost({ ...outlook, sizeAfter: prefix + promptTokens + kept, refetched }) / 1_000_000;
  return { first, saved, stake: cost - saved - first };
}

/** Cost of a relief beyond a call of size `sizeAfter`, in millionths of a micro-dollar. */
function reliefCost({ sizeAfter, prefix, answerTokens, refetched, callTokens, rates }: Cycle): number {
  const writeCost = Math.max(0, sizeAfter - prefix) * (rates.write - rates.cacheRead);
  const repeatCost =
    refetched.calls * ((sizeAfter + refetched.tokens / 2) * rates.cacheRead + callTokens * rates.output) +
    refetched.tokens * rates.write +
    (refetched.cost ?? 0) * 1_000_000;
  return answerTokens * rates.output + writeCost + repeatCost;
}
