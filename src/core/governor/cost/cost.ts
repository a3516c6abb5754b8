import type { AssistantEvent, Event, ResultEvent } from '../../protocol/events.ts';
import { isNewer, saysNothing, type Usage } from '../../protocol/usage.ts';
import { isAtLeast } from '../../protocol/version.ts';
import { addContent, type Content, measureLine, NO_CONTENT, nativeTokens, sumContent } from '../gauge/estimator.ts';
import { costBeside, leastPriceFor, microUsdOf, type Price, type Prices, priceFor } from './prices.ts';

/** One API call since claude's last report. */
interface PricedCall {
  /** The subagent it belongs to, or null. */
  readonly thread: string | null;
  readonly messageId: string;
  readonly model: string | undefined;
  /** Of the Claude Code that made it, where that is known. */
  readonly version: string | undefined;
  readonly price: Price;
  readonly usage: Usage;
  /** What was billed with it, where it is more than one inference, in micro-dollars. */
  readonly besides: number;
  /** The output count in `usage` is the true one, not a placeholder of 1 to 8. */
  readonly outputKnown: boolean;
  /** What the model wrote, for an estimate while the count is a placeholder. */
  readonly generated: Content;
}

/**
 * What a run has cost, subagents included. All sums are whole micro-dollars (millionths of a US dollar): binary
 * fractions of dollars would let ten times $0.10 be less than $1.
 *
 * claude counts by itself and reports its counter with each result. What came since is computed from the usage of the
 * calls, and replaced by the next report, which also knows what the stream does not show: summaries, titles.
 */
export type Cost = Readonly<typeof EMPTY_COST>;

export const EMPTY_COST = {
  /** claude's own counter as this process last reported it. */
  reported: 0,
  /** What comes on top of the counter: from before it was set back, and from earlier processes. */
  counted: 0,
  /** Calls since the last report that are over. */
  settled: 0,
  /** The last call of each thread since then: the main thread and its subagents call side by side. */
  calls: [] as readonly PricedCall[],
  /**
   * Undefined: the counter began at 0. Else this process went on with a session and has reported nothing yet, so that
   * its counter may begin with what the session had cost; the number is the last report that is known of it.
   */
  carried: undefined as number | undefined,
  /** Some of `counted` was only computed, and no report will come for it. */
  guessed: false,
  /** Something is known: there was a report, or a call with a price. */
  known: false,
  /**
   * While nothing is known:
   *
   * - `call`: calls came without figures.
   * - `all`: claude's own counter has stayed at 0. The back-end counts nothing.
   */
  uncounted: 'none' as 'none' | 'call' | 'all',
  /** A model without a price: its calls cost nothing until claude reports them. */
  unpriced: undefined as string | undefined,
};

/** Where prices are looked up. */
interface PriceList {
  /** Those that count before the built-in ones. */
  readonly prices: Prices;
  /** Of the Claude Code whose line it is, where the line does not say. */
  readonly version: string | undefined;
  /**
   * Which process wrote a line is not known: a file may hold lines of several. Nor is a limit kept by the sum, as it is in a
   * run, where what is listed costs at least that.
   */
  readonly isRecording?: boolean;
}

const NOTHING_OPEN = { settled: 0, calls: [] } as const;

/**
 * What a line of claude's says about money.
 *
 * @param written what the model wrote in it, where that has been measured already
 */
export function readCost(cost: Cost, event: Event, list: PriceList, written = sumContent(measureLine(event))): Cost {
  switch (event.kind) {
    case 'init':
      return event.version === undefined || isAtLeast(event.version, FIRST_TO_CARRY_ON)
        ? cost
        : { ...cost, carried: undefined };
    case 'assistant':
      return readCall(cost, event, list, written);
    case 'partial': {
      const call = cost.calls.find(({ thread }) => thread === event.subagent);
      if (call === undefined || event.outputTokens === undefined) return cost;
      return withCall(cost, { ...call, usage: { ...call.usage, output: event.outputTokens }, outputKnown: true });
    }
    case 'result':
      return event.costUsd === undefined ? cost : readReport(beganAgain(cost, event, list), event.costUsd);
    default:
      return cost;
  }
}

/** Micro-dollars so far. */
export function totalMicroUsd(cost: Cost): number {
  return cost.counted + cost.reported + openMicroUsd(cost);
}

/** US dollars so far, subagents included. */
export function costUsd({ cost }: { readonly cost: Cost }): number {
  return toUsd(totalMicroUsd(cost));
}

/** A run, and what it had spent before it was broken off, in micro-dollars. */
interface ResumableRun {
  readonly cost: Cost;
  readonly spending: { readonly before: number };
}

/** Also from before it was broken off. */
export function runMicroUsd({ cost, spending }: ResumableRun): number {
  return totalMicroUsd(cost) + spending.before;
}

/** The same in US dollars. */
export function runCostUsd(run: ResumableRun): number {
  return toUsd(runMicroUsd(run));
}

/** The same as far as anything is known; undefined: nothing is. */
export function knownCostUsd(run: ResumableRun): number | undefined {
  return run.cost.known || run.spending.before > 0 ? runCostUsd(run) : undefined;
}

/** Whether some of the total is only computed, not reported by claude. */
export function isComputed(cost: Cost): boolean {
  return cost.guessed || openMicroUsd(cost) > 0;
}

/** Dollars, to be shown: sums are made of micro-dollars. */
export function toUsd(microUsd: number): number {
  return microUsd / 1_000_000;
}

export function toMicroUsd(usd: number): number {
  return Math.round(usd * 1_000_000);
}

/**
 * Another process continues the run; also for a run that resumes an earlier session.
 *
 * @param start `resumed`: with `--resume` or `--continue`
 */
export function restarted(cost: Cost, start: 'fresh' | 'resumed'): Cost {
  const open = openMicroUsd(cost);
  return {
    ...cost,
    ...NOTHING_OPEN,
    reported: 0,
    counted: cost.counted + cost.reported + open,
    carried: start === 'resumed' ? cost.reported : undefined,
    guessed: cost.guessed || open > 0,
  };
}

/**
 * claude's own counter before the first call of a process, where it was asked (`get_usage`). What it begins with is
 * from before this process and changes nothing.
 *
 * @param usd dollars
 */
export function readOpening(cost: Cost, usd: number): Cost {
  const begins = toMicroUsd(usd);
  if (cost.carried === undefined || !Number.isSafeInteger(begins)) return cost;
  return { ...cost, reported: begins, counted: cost.counted - begins, carried: undefined };
}

/**
 * claude's own counter, with a result or because it was asked (`get_usage`, which answers in the middle of a turn).
 *
 * @param usd dollars, cumulative over the process
 */
export function readReport(cost: Cost, usd: number): Cost {
  const total = toMicroUsd(usd);
  if (!Number.isSafeInteger(total) || total < 0) return cost;
  if (cost.carried !== undefined) return readFirstReport(cost, total, cost.carried);
  if (total === 0 && !cost.known && cost.uncounted !== 'none')
    return cost.uncounted === 'all' ? cost : { ...cost, uncounted: 'all' };
  const open = openMicroUsd(cost);
  // A counter that stands still does not know of the calls since: they are under way, or the back-end never counts.
  if (total === cost.reported && open > 0) return cost;
  // 2.1.329 and later set it to 0 with `/clear`; calls it had not reported by then never will be.
  const lost = total === 0 ? open : 0;
  const before = total < cost.reported ? cost.reported + lost : 0;
  return {
    ...cost,
    ...NOTHING_OPEN,
    reported: total,
    counted: cost.counted + before,
    guessed: cost.guessed || (before > 0 && lost > 0),
    known: true,
    uncounted: 'none',
  };
}

/**
 * In a recording a result may be another process's, whose counter began at 0. It is, where the turn itself explains the
 * counter better than the turn together with what was reported before it.
 */
function beganAgain(cost: Cost, event: ResultEvent, list: PriceList): Cost {
  const total = toMicroUsd(event.costUsd ?? 0);
  if (!list.isRecording || cost.carried !== undefined || total <= cost.reported) return cost;
  const ofTurn = Math.max(openMicroUsd(cost), turnMicroUsd(event, list));
  const unexplained = total - ofTurn;
  if (ofTurn === 0 || unexplained >= cost.reported / 2) return cost;
  return { ...cost, reported: 0, counted: cost.counted + cost.reported };
}

/** From the sum of the turn's calls, where the result names one model. */
function turnMicroUsd({ usage, windows }: ResultEvent, { prices, version }: PriceList): number {
  const [model, ...others] = Object.keys(windows);
  const price = others.length > 0 ? undefined : priceFor(model, prices, version);
  return usage === undefined || price === undefined ? 0 : microUsdOf(usage, price);
}

/**
 * The first report of a process that resumes a session, in a version that may have carried the session's cost
 * over: after a crash it may be all of it, a part or none. So the counter only begins here, and what this process has
 * spent so far is taken as computed.
 */
function readFirstReport(cost: Cost, total: number, carried: number): Cost {
  const computed = openMicroUsd(cost);
  const spent = cost.unpriced === undefined ? computed : total - (total < carried ? 0 : carried);
  return {
    ...cost,
    ...NOTHING_OPEN,
    reported: total,
    counted: cost.counted + spent - total,
    carried: undefined,
    guessed: cost.guessed || spent > 0,
    known: true,
  };
}

const NOTHING_SAID = { outputKnown: false, generated: NO_CONTENT };

function readCall(cost: Cost, event: AssistantEvent, list: PriceList, written: Content): Cost {
  const { usage, messageId, subagent: thread, model } = event;
  if (event.isBilled) return cost;
  if (event.synthetic || usage === undefined || saysNothing(usage)) return noteUncounted(cost, event);
  const last = cost.calls.find((call) => call.thread === thread);
  // Without an id each line is a call of its own.
  const open = messageId === '' || last?.messageId !== messageId ? undefined : last;
  const said = open ?? NOTHING_SAID;
  const outputKnown = event.outputFinal || said.outputKnown;
  const generated = addContent(said.generated, written);
  if (open !== undefined && !isNewer(usage, open.usage)) return withCall(cost, { ...open, outputKnown, generated });
  const version = event.version ?? list.version;
  const price = priceIn(list, model, version, last);
  if (price === undefined) return withGap(cost, model ?? '');
  const { microUsd: besides, unpriced } = costBeside(usage, price, list.prices, version);
  const call = { thread, messageId, model, version, price, usage, besides, outputKnown, generated };
  const settled = cost.settled + (last && last !== open ? callMicroUsd(last) : 0);
  return withGap(withCalls(cost, settled, true, replaced(cost.calls, call)), unpriced);
}

function priceIn(
  { prices, isRecording }: PriceList,
  model: string | undefined,
  version: string | undefined,
  last?: PricedCall,
) {
  if (last !== undefined && last.model === model && last.version === version) return last.price;
  return (isRecording ? priceFor : leastPriceFor)(model, prices, version);
}

function noteUncounted(cost: Cost, { synthetic }: AssistantEvent): Cost {
  return synthetic || cost.known || cost.uncounted !== 'none' ? cost : { ...cost, uncounted: 'call' };
}

function withGap(cost: Cost, unpriced: string | undefined): Cost {
  return unpriced === undefined || cost.unpriced !== undefined ? cost : { ...cost, unpriced };
}

function withCall(cost: Cost, call: PricedCall): Cost {
  return withCalls(cost, cost.settled, cost.known, replaced(cost.calls, call));
}

/** Field by field for the same reason as in `draftOf`. */
function withCalls(cost: Cost, settled: number, known: boolean, calls: Cost['calls']): Cost {
  const { reported, counted, carried, guessed, unpriced } = cost;
  const uncounted = known ? 'none' : cost.uncounted;
  return { reported, counted, settled, calls, carried, guessed, known, uncounted, unpriced };
}

/** One call is open in each thread. */
function replaced(calls: readonly PricedCall[], call: PricedCall): readonly PricedCall[] {
  if (calls.length === 1 && calls[0]?.thread === call.thread) return [call];
  return [...calls.filter(({ thread }) => thread !== call.thread), call];
}

/** The last call of a thread since claude's last report, in micro-dollars; undefined: none, or one without a price. */
export function openCall({ calls }: Cost, thread: string) {
  const call = calls.find((each) => each.thread === thread);
  if (call === undefined) return undefined;
  return { messageId: call.messageId, output: billedOutput(call.usage.output, call), microUsd: callMicroUsd(call) };
}

/** What the last call of each thread since claude's last report has cost, in micro-dollars. */
export function latestCallsMicroUsd({ calls }: Cost): number {
  return calls.reduce((sum, call) => sum + callMicroUsd(call), 0);
}

function openMicroUsd(cost: Cost): number {
  return cost.settled + latestCallsMicroUsd(cost);
}

/** Output tokens of a call as they are paid for, as far as is known: rather too few than too many. */
export function billedOutput(
  output: number,
  { outputKnown, generated }: Pick<PricedCall, 'outputKnown' | 'generated'>,
) {
  return outputKnown ? output : Math.max(output, nativeTokens(generated));
}

export function callMicroUsd({ usage, besides, outputKnown, generated, price }: PricedCall): number {
  const output = billedOutput(usage.output, { outputKnown, generated });
  return microUsdOf(usage, price, output) + besides;
}

/**
 * The first version whose counter begins, in a process that resumes a session, with what the session had cost at
 * its exit, as others measured it; 2.1.330 does so (measured with `--continue`). In 2.1.197 it begins at 0 (measured
 * with `--resume`, `--continue` and `--fork-session`).
 */
const FIRST_TO_CARRY_ON = '2.1.277';
