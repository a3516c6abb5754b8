/** What it costs to go on as it is, or to relieve the context first; sizes in tokens. */
export interface Outlook {
  /** The next request. */
  readonly full: number;
  /** What a relief would leave. */
  readonly landing: number;
  /** What of that is contents that are likely to be used again. */
  readonly kept: number;
  /** What of that the cache has in any case: the system prompt and the tools. */
  readonly prefix: number;
  /** Where the context is relieved in either case. */
  readonly ceiling: number;
  /** By how much a call makes it grow. */
  readonly growth: number;
  /** Calls to come. */
  readonly calls: number;
  readonly how: 'exact' | 'summary' | 'handoff';
  /** What the model writes for it: the summary or the document, and the thoughts before it. */
  readonly answer: number;
  readonly missed: Missed;
  readonly rates: CallRates;
}

/** From one relief to the next, wherever the first call is. */
type Cycle = Omit<Outlook, 'full' | 'ceiling'>;

/** What is fetched again after a relief, because the relief took it away. */
export interface Missed {
  readonly calls: number;
  /** Tokens of the results. */
  readonly tokens: number;
}

/** What a relief or a summary takes that is fetched again under another name; near what follows those of `npm run outcome`. */
export const USUALLY_MISSED: Missed = { calls: 1, tokens: 2_000 };

/** Micro-dollars for a million tokens, or any figures in the same proportions. */
interface CallRates {
  /** Written to the cache, for as long as claude has it kept. */
  readonly write: number;
  readonly cacheRead: number;
  readonly output: number;
}

/** A call of a tool, and the words before it: an assumption. */
export const CALL_TOKENS = 150;

/** The conversation must be at least so many times what stays of it: else evidence goes for little. */
const LEAST_TIMES = 3;

/**
 * The context, in tokens, from which a relief pays: where a cycle from relief to relief costs least for each of its
 * calls. A context that lands at L, and that a relief costs K more than an ordinary call of that size, costs K ÷ n for
 * each of n calls, and reads g × n ÷ 2 tokens more than L in each: least at n = √(2K ÷ (g × price of a cached token)).
 * Where the model must read all of it once more, for a summary or a document, that is L + g × n: the L is part of K.
 * Near the end of the work a relief must also earn its price in the calls that are left.
 */
export function economicMoment(outlook: Cycle): number {
  const { growth, calls, rates } = outlook;
  const landing = outlook.landing + outlook.missed.tokens;
  const inReads = perCycle(outlook) / rates.cacheRead;
  const cycle = Math.sqrt(2 * inReads * growth);
  return Math.max(leastMoment(outlook), Math.ceil(landing + Math.max(cycle, inReads / Math.max(1, calls))));
}

/** What a call costs on an average where each relief comes at its moment, in micro-dollars; without what comes in. */
export function costPerCall(outlook: Cycle): number {
  const { landing, growth, how, rates } = outlook;
  const cycle = economicMoment(outlook) - landing;
  const reads = landing + cycle / 2 + (how === 'exact' ? 0 : growth);
  return (reads * rates.cacheRead + (perCycle(outlook) * growth) / Math.max(1, cycle)) / 1_000_000;
}

/** What a relief costs beside what grows with the length of the cycle. */
function perCycle(outlook: Cycle): number {
  return onceMore(outlook) + (outlook.how === 'exact' ? 0 : outlook.landing * outlook.rates.cacheRead);
}

/** Below it none comes, whatever it costs. */
function leastMoment({ landing, kept, prefix }: Cycle): number {
  return prefix + kept + LEAST_TIMES * (landing - kept - prefix);
}

/** The same where the cache may have expired: then all must be bought again, or only what stays of it. */
export function momentNow(outlook: Outlook, isCold: boolean): number {
  if (!isCold) return economicMoment(outlook);
  const { goOn, relieve } = compareWays(outlook);
  return relieve < goOn ? leastMoment(outlook) : economicMoment(outlook);
}

/** What a relief now makes each call cheaper by, on an average over the calls to come, at most until the next relief. */
export function savedPerCall({ full, ...outlook }: Omit<Outlook, 'ceiling'>): number {
  const { landing, growth, calls, rates } = outlook;
  const cycle = growth > 0 ? (economicMoment(outlook) - landing) / growth : calls;
  const spread = Math.max(1, Math.min(calls, cycle));
  const reading = outlook.how === 'exact' ? 0 : full * rates.cacheRead;
  return ((full - landing) * rates.cacheRead - (onceMore(outlook) + reading) / spread) / 1_000_000;
}

/**
 * What either way costs after the cache has expired, in micro-dollars. A summary reads the whole context, and writes it
 * to the cache as any other call does (seen in 2.1.197), so it does not spare the first reading; an exact compaction
 * does.
 */
export function compareWays(outlook: Outlook): { readonly goOn: number; readonly relieve: number } {
  const { full, landing, how, prefix, rates } = outlook;
  const first = (full * rates.write) / 1_000_000;
  const cold = how === 'exact' ? (prefix * (rates.write - rates.cacheRead)) / 1_000_000 : first;
  return {
    goOn: first + furtherCalls(outlook, full),
    relieve: cold + afterRelief(outlook) + furtherCalls(outlook, Math.min(landing, full)),
  };
}

/** Cost of all calls but the first, of a context that begins with `tokens`. */
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

/** What the model writes, the first call with what is left, and what is fetched again. */
function afterRelief(outlook: Outlook): number {
  return (onceMore(outlook) + outlook.landing * outlook.rates.cacheRead) / 1_000_000;
}

/** What a relief costs beyond a call of the size that it leaves, in millionths of a micro-dollar. */
export function onceMore({ landing, prefix, answer, missed, rates }: Cycle): number {
  const written = Math.max(0, landing - prefix) * (rates.write - rates.cacheRead);
  const again = missed.calls * (landing * rates.cacheRead + CALL_TOKENS * rates.output) + missed.tokens * rates.write;
  return answer * rates.output + written + again;
}
