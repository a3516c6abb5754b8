/** What the costs of continuing unchanged, or of relieving the context first, depend on. Sizes in tokens. */
export interface Outlook {
  /** Size of the next request. */
  readonly full: number;
  /** Size of the context after a relief. */
  readonly landing: number;
  /** Part of `landing`: contents that are likely to be used again. */
  readonly kept: number;
  /** Part of `landing` that is always in the cache: the system prompt and the tools. */
  readonly prefix: number;
  /** Size at which the context is relieved in either case. */
  readonly ceiling: number;
  /** Growth of the context per call. */
  readonly growth: number;
  /** Expected number of further calls. */
  readonly calls: number;
  readonly how: 'exact' | 'summary' | 'handoff';
  /** Output of the model for the relief: the summary or the document, and the thoughts before it. */
  readonly answer: number;
  readonly missed: Missed;
  readonly rates: CallRates;
}

/** The period from one relief to the next, regardless of the current size. */
type Cycle = Omit<Outlook, 'full' | 'ceiling'>;

/** Content that is fetched again because a relief removed it. */
export interface Missed {
  readonly calls: number;
  /** Tokens of the results. */
  readonly tokens: number;
  /** Micro-dollars for the subagents that find it out again. */
  readonly cost?: number;
}

/**
 * Content that may be fetched again under another name after a relief. It is at stake with each relief, but does not
 * count for the moment, because a later relief would remove it too.
 */
const UNNAMED: Missed = { calls: 1, tokens: 2_000 };

/** Micro-dollars per million tokens, or any values in the same proportions. */
interface CallRates {
  /** Writing to the cache, for the lifetime that claude requests. */
  readonly write: number;
  readonly cacheRead: number;
  readonly output: number;
}

/** Tokens of a tool call and the text before it; an assumption. */
export const CALL_TOKENS = 150;

/** Smallest ratio of the conversation to the part that stays: below it a relief would lose evidence for little gain. */
const MIN_TIMES = 3;

/**
 * The context size, in tokens, from which a relief pays: where a cycle from relief to relief costs least per call. A
 * cycle of n calls begins at a context of L tokens, which grows by g per call. A relief costs K more than an ordinary
 * call of size L. Per call this is K ÷ n, and the call reads g × n ÷ 2 tokens more than L on average: least at n = √(2K
 * ÷ (g × price of a cached token)). If the model must read the whole context once more, for a summary or a document,
 * that is L + g × n: the L is part of K. Near the end of the work a relief must also earn its price in the remaining
 * calls.
 */
export function economicMoment(outlook: Cycle): number {
  const { growth, calls, rates } = outlook;
  const landing = outlook.landing + outlook.missed.tokens;
  const costInTokens = perCycle(outlook) / rates.cacheRead;
  const cycle = Math.sqrt(2 * costInTokens * growth);
  return Math.max(leastMoment(outlook), Math.ceil(landing + Math.max(cycle, costInTokens / Math.max(1, calls))));
}

/** Cost of a relief that does not grow with the length of the cycle, in millionths of a micro-dollar. */
function perCycle(outlook: Cycle): number {
  return reliefCost(outlook) + (outlook.how === 'exact' ? 0 : outlook.landing * outlook.rates.cacheRead);
}

/** The size below which no relief happens, regardless of costs. */
function leastMoment({ landing, kept, prefix }: Cycle): number {
  return prefix + kept + MIN_TIMES * (landing - kept - prefix);
}

/**
 * Like `economicMoment`, for a cache that may have expired: claude must then write the whole context again, or only the
 * part that stays.
 */
export function momentNow(outlook: Outlook, isCold: boolean): number {
  if (!isCold) return economicMoment(outlook);
  const { goOn, relieve } = compareCosts(outlook);
  return relieve < goOn ? leastMoment(outlook) : economicMoment(outlook);
}

/** Micro-dollars that a relief now saves per call, on average over the expected calls until the next relief. */
export function savedPerCall({ full, ...outlook }: Omit<Outlook, 'ceiling'>): number {
  const { landing, growth, calls, rates } = outlook;
  const cycle = growth > 0 ? (economicMoment(outlook) - landing) / growth : calls;
  const spread = Math.max(1, Math.min(calls, cycle));
  const reading = outlook.how === 'exact' ? 0 : full * rates.cacheRead;
  return ((full - landing) * rates.cacheRead - (reliefCost(outlook) + reading) / spread) / 1_000_000;
}

/**
 * Costs of continuing and of relieving first after the cache has expired, in micro-dollars. A summary reads the whole
 * context and writes it to the cache like any other call (seen in 2.1.197), so it does not save the first reading; an
 * exact compaction does.
 */
export function compareCosts(outlook: Outlook): { readonly goOn: number; readonly relieve: number } {
  const { full, landing, how, prefix, rates } = outlook;
  const first = (full * rates.write) / 1_000_000;
  const cold = how === 'exact' ? (prefix * (rates.write - rates.cacheRead)) / 1_000_000 : first;
  return {
    goOn: first + furtherCalls(outlook, full),
    relieve: cold + afterRelief(outlook) + furtherCalls(outlook, Math.min(landing, full)),
  };
}

/** Cost of all calls except the first, for a context that begins with `tokens`, in micro-dollars. */
function furtherCalls(outlook: Outlook, tokens: number): number {
  const { calls, growth, ceiling, landing, how, rates } = outlook;
  let context = tokens;
  let sum = 0;
  for (let call = 1; call < calls; call++) {
    sum += (context * rates.cacheRead + growth * rates.write) / 1_000_000;
    context += growth;
    if (context < ceiling || landing >= ceiling) continue;
    const reading = how === 'exact' ? 0 : (context * rates.cacheRead) / 1_000_000;
    sum += reading + afterRelief(outlook);
    context = landing;
  }
  return sum;
}

/**
 * Cost of the model's output, of the first call with the remaining context, and of repeated fetches, in micro-dollars.
 */
function afterRelief(outlook: Outlook): number {
  return (reliefCost(outlook) + outlook.landing * outlook.rates.cacheRead) / 1_000_000;
}

interface Circumstances {
  readonly isCold: boolean;
  /** A call is certain to come. */
  readonly isFollowed: boolean;
  /** Tokens of the prompts, which stay. */
  readonly said: number;
}

/**
 * Loss if the work ended after a relief, the calls that are certain to come, and the expected repeated fetches, in
 * micro-dollars. `first` and `saved` are its savings in the first call.
 */
export function stakeOf(outlook: Outlook, { isCold, isFollowed, said }: Circumstances) {
  const { full, landing, prefix, kept, rates } = outlook;
  const { calls, tokens } = outlook.missed;
  const missed = { ...outlook.missed, calls: calls + UNNAMED.calls, tokens: tokens + UNNAMED.tokens };
  const taken = Math.max(0, full - landing) / 1_000_000;
  // Without a cache, everything is written again in any case.
  const first = isCold ? taken * (rates.write - rates.cacheRead) : 0;
  // Later calls may need contents again at once.
  const saved = isFollowed ? taken * rates.cacheRead : 0;
  const cost = reliefCost({ ...outlook, landing: prefix + said + kept, missed }) / 1_000_000;
  return { first, saved, stake: cost - saved - first };
}

/** Cost of a relief beyond a call of size `landing`, in millionths of a micro-dollar. */
function reliefCost({ landing, prefix, answer, missed, rates }: Cycle): number {
  const writeCost = Math.max(0, landing - prefix) * (rates.write - rates.cacheRead);
  const repeatCost =
    missed.calls * ((landing + missed.tokens / 2) * rates.cacheRead + CALL_TOKENS * rates.output) +
    missed.tokens * rates.write +
    (missed.cost ?? 0) * 1_000_000;
  return answer * rates.output + writeCost + repeatCost;
}
