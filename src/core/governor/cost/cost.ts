import type { AssistantEvent, Event, InitEvent, ResultEvent } from '../../protocol/events.ts';
import { hasNoInput, isNewer } from '../../protocol/usage.ts';
import { isAtLeast } from '../../protocol/version.ts';
import { addContent, type Content, measureLine, NO_CONTENT, sumContent } from '../gauge/estimator.ts';
import { callMicroUsd, latestCallsMicroUsd, openMicroUsd, type PricedCall, replaceCall } from './priced-call.ts';
import {
  extraInferenceCost,
  leastPriceFor,
  PAID_ELSEWHERE,
  type Price,
  type Prices,
  priceFor,
  turnMicroUsd,
} from './prices.ts';

/**
 * Costs of a run, including subagents. All sums are whole micro-dollars (millionths of a US dollar): in floating point,
 * ten times $0.10 could be less than $1.
 *
 * claude has its own counter and reports it with each result. Later costs are computed from the usage of the calls,
 * until the next report replaces them. A report also includes calls that are not on the stream: summaries, titles.
 */
export type Cost = Readonly<typeof EMPTY_COST>;

export const EMPTY_COST = {
  /** claude's own counter, from the last report of this process. */
  reported: 0,
  /** Costs that the counter does not include: from before its reset, and from earlier processes. */
  counted: 0,
  /** Cost of calls since the last report that have ended. */
  settled: 0,
  /** The last call of each thread since the last report: the main thread and its subagents call in parallel. */
  calls: [] as readonly PricedCall[],
  /**
   * The last known report before this process, until this process reports. A resumed session's counter may begin with
   * that cost. undefined if the counter began at 0.
   */
  carried: undefined as number | undefined,
  /** Reports at the end of earlier sessions of a recording: the counter of a fork begins with that of its session. */
  ends: [] as readonly number[],
  /** Whether a part of `counted` was only computed and claude will never report it, or a call was cut off. */
  guessed: false,
  /** Whether any cost is known, by a report or by a call with a price. */
  known: false,
  /**
   * - `seen`: a call had no usage.
   * - `proved`: claude's counter did not rise by that call, because the back-end does not count its tokens.
   */
  uncounted: 'none' as 'none' | 'seen' | 'proved',
  /** A model or term without a known price. It costs nothing until claude reports the cost. */
  unpriced: undefined as string | undefined,
};

interface PriceList {
  readonly prices: Prices;
  /** Version of Claude Code, for lines that do not state it. */
  readonly version: string | undefined;
  /**
   * Whether the lines come from a recording, so that several processes may have written them. In a run, each call costs
   * at least its list price, because limits depend on the sum.
   */
  readonly isRecording?: boolean;
  /** The session before the line. */
  readonly sessionId?: string | undefined;
}

const NOTHING_OPEN = { settled: 0, calls: [] } as const;

/** Updates the cost after a line. @param written size of the model's text in the line, if already measured */
export function readCost(cost: Cost, event: Event, list: PriceList, written = sumContent(measureLine(event))): Cost {
  switch (event.kind) {
    case 'init':
      return readBeginning(cost, event, list);
    case 'assistant':
      return readCall(cost, event, list, written);
    case 'partial': {
      const call = cost.calls.find(({ thread }) => thread === event.subagent);
      if (call === undefined || event.outputTokens === undefined) return cost;
      return withCall(cost, { ...call, usage: { ...call.usage, output: event.outputTokens }, outputKnown: true });
    }
    case 'result':
      return event.costUsd === undefined ? cost : readCounter(atCounterStart(cost, event, list), event.costUsd);
    default:
      return cost;
  }
}

/**
 * Handles the start of a process in a recording. If the previous process had not ended its turn, it was killed, and no
 * report has its calls.
 */
function readBeginning(before: Cost, { version, sessionId }: InitEvent, list: PriceList): Cost {
  const hasEnded = list.isRecording && sessionId !== list.sessionId && before.reported > 0;
  const cost = hasEnded ? { ...before, ends: [...before.ends, before.reported] } : before;
  const wasKilled = list.isRecording && cost.calls.some(({ thread }) => thread === null);
  const begun = wasKilled
    ? { ...cost, ...NOTHING_OPEN, counted: cost.counted + openMicroUsd(cost), guessed: true }
    : cost;
  return version === undefined || isAtLeast(version, CARRIES_COUNTER_SINCE)
    ? begun
    : { ...begun, carried: undefined, ends: [] };
}

/** Costs so far, in micro-dollars. */
export function totalMicroUsd(cost: Cost): number {
  return cost.counted + cost.reported + openMicroUsd(cost);
}

/** A run, and its costs before it was interrupted, in micro-dollars. */
interface Spender {
  readonly limits: { readonly cost: Cost; readonly before: number };
}

/** Costs so far, in US dollars, including subagents. */
export function costUsd({ limits: { cost } }: Spender): number {
  return toUsd(totalMicroUsd(cost));
}

/** Like `costUsd`, with the costs before the run was interrupted. */
export function runCostUsd({ limits: { cost, before } }: Spender): number {
  return toUsd(totalMicroUsd(cost) + before);
}

/** Like `runCostUsd`; undefined if no cost is known. */
export function knownCostUsd(run: Spender): number | undefined {
  return run.limits.cost.known || run.limits.before > 0 ? runCostUsd(run) : undefined;
}

/** Whether a part of the total was computed by ctxb, not reported by claude. */
export function isComputed(cost: Cost): boolean {
  return cost.guessed || openMicroUsd(cost) > 0;
}

export function toUsd(microUsd: number): number {
  return microUsd / 1_000_000;
}

export function toMicroUsd(usd: number): number {
  return Math.round(usd * 1_000_000);
}

/**
 * The costs when another process continues the run. `resumed`: with `--resume` or `--continue`, also for a session of
 * an earlier run.
 */
export function costAfterRestart(cost: Cost, start: 'fresh' | 'resumed'): Cost {
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
 * Replaces the cost since claude's last report with the cost in claude's log.
 *
 * @param microUsd undefined if no log was read
 */
export function addLoggedCost(cost: Cost, microUsd = 0): Cost {
  return microUsd > openMicroUsd(cost) ? { ...cost, settled: microUsd - latestCallsMicroUsd(cost) } : cost;
}

/**
 * Reads claude's counter before the first call of a process (`get_usage`), in US dollars. It counts earlier costs only,
 * so the total stays.
 */
export function readCounterAtStart(cost: Cost, usd: number): Cost {
  const begins = toMicroUsd(usd);
  if (cost.carried === undefined || !Number.isSafeInteger(begins)) return cost;
  return { ...cost, reported: begins, counted: cost.counted - begins, carried: undefined };
}

/** Reads claude's counter, in US dollars over the whole process: from a result, or from `get_usage` within a turn. */
export function readCounter(cost: Cost, usd: number): Cost {
  const total = toMicroUsd(usd);
  if (!Number.isSafeInteger(total) || total < 0) return cost;
  if (cost.carried !== undefined) return readFirstCounter(cost, total, cost.carried);
  const open = openMicroUsd(cost);
  // An unchanged counter lacks the calls since. They are running, or the back-end does not count them.
  if (total === cost.reported && (open > 0 || cost.uncounted !== 'none'))
    return open > 0 || cost.uncounted === 'proved' ? cost : { ...cost, uncounted: 'proved' };
  // From 2.1.329 on, `/clear` resets the counter. claude then never reports the calls that it had not reported.
  const unreported = total === 0 ? open : 0;
  const before = total < cost.reported ? cost.reported + unreported : 0;
  return {
    ...cost,
    ...NOTHING_OPEN,
    reported: total,
    counted: cost.counted + before,
    guessed: cost.guessed || (before > 0 && unreported > 0),
    known: true,
    uncounted: cost.uncounted === 'seen' ? 'none' : cost.uncounted,
  };
}

/**
 * Handles a result in a recording from another process. Its counter began with the cost of an earlier session if that
 * and the turn explain it exactly; or at 0 if the turn alone explains it better than with the last report.
 */
function atCounterStart(cost: Cost, event: ResultEvent, list: PriceList): Cost {
  const total = toMicroUsd(event.costUsd ?? 0);
  const ofTurn = Math.max(openMicroUsd(cost), turnMicroUsd(event, list.prices, list.version));
  if (!list.isRecording || cost.carried !== undefined || ofTurn === 0) return cost;
  const unexplained = total - ofTurn;
  const isReset = total > cost.reported && unexplained < cost.reported / 2;
  const start = cost.ends.find((end) => Math.abs(unexplained - end) <= 1) ?? (isReset ? 0 : cost.reported);
  return { ...cost, reported: start, counted: cost.counted + cost.reported - start };
}

/**
 * Reads the first report of a process that resumes a session, in a version that may carry over the session's cost.
 * After a crash, the counter may include all of that cost, a part or nothing. So only later changes count, and the cost
 * so far is computed.
 */
function readFirstCounter(cost: Cost, total: number, carried: number): Cost {
  const computedMicroUsd = openMicroUsd(cost);
  const spentMicroUsd = cost.unpriced === undefined ? computedMicroUsd : total - (total < carried ? 0 : carried);
  return {
    ...cost,
    ...NOTHING_OPEN,
    reported: total,
    counted: cost.counted + spentMicroUsd - total,
    carried: undefined,
    guessed: cost.guessed || spentMicroUsd > 0,
    known: true,
  };
}

const NO_FIGURES = { outputKnown: false, generated: NO_CONTENT };

function readCall(cost: Cost, event: AssistantEvent, list: PriceList, written: Content): Cost {
  const { usage, messageId, subagent: thread, model } = event;
  if (event.isBilled) return cost;
  if (event.isSynthetic || usage === undefined || hasNoInput(usage)) return recordUncounted(cost, event);
  const last = cost.calls.find((call) => call.thread === thread);
  // Count each line without a message id as a call.
  const open = messageId === '' || last?.messageId !== messageId ? undefined : last;
  const figures = open ?? NO_FIGURES;
  const outputKnown = event.hasFinalOutput || figures.outputKnown;
  const generated = addContent(figures.generated, written);
  if (open !== undefined && !isNewer(usage, open.usage)) return withCall(cost, { ...open, outputKnown, generated });
  const version = event.version ?? list.version;
  const price = priceIn(list, event, version, last);
  if (price === undefined) return withUnpriced(cost, model ?? '');
  const { microUsd, unpriced } = extraInferenceCost(usage, price, list.prices, version);
  const extraMicroUsd = microUsd + paidMicroUsd(event, price);
  const call = { thread, messageId, model, version, price, usage, extraMicroUsd, outputKnown, generated };
  const settled = cost.settled + (last && last !== open ? callMicroUsd(last) : 0);
  return withUnpriced(withCalls(cost, settled, true, replaceCall(cost.calls, call)), unpriced);
}

function priceIn(
  { prices, isRecording }: PriceList,
  { model, costUsd }: AssistantEvent,
  version: string | undefined,
  last?: PricedCall,
) {
  if (last !== undefined && last.price !== PAID_ELSEWHERE && last.model === model && last.version === version)
    return last.price;
  return (
    (isRecording ? priceFor : leastPriceFor)(model, prices, version) ??
    (costUsd === undefined ? undefined : PAID_ELSEWHERE)
  );
}

function paidMicroUsd({ costUsd = 0 }: AssistantEvent, price: Price): number {
  return price === PAID_ELSEWHERE ? toMicroUsd(costUsd) : 0;
}

/** Records a call without usage of the main thread. A subagent's call may still run when ctxb reads the counter. */
function recordUncounted(cost: Cost, { isSynthetic, subagent }: AssistantEvent): Cost {
  return isSynthetic || subagent !== null || cost.uncounted !== 'none' ? cost : { ...cost, uncounted: 'seen' };
}

function withUnpriced(cost: Cost, unpriced: string | undefined): Cost {
  return unpriced === undefined || cost.unpriced !== undefined ? cost : { ...cost, unpriced };
}

function withCall(cost: Cost, call: PricedCall): Cost {
  return withCalls(cost, cost.settled, cost.known, replaceCall(cost.calls, call));
}

/** Copies field by field for speed; `draftOf` has the measurement. */
function withCalls(cost: Cost, settled: number, known: boolean, calls: Cost['calls']): Cost {
  const { reported, counted, carried, ends, guessed, uncounted, unpriced } = cost;
  return { reported, counted, settled, calls, carried, ends, guessed, known, uncounted, unpriced };
}

/**
 * The first version whose counter begins with the session's cost when a process resumes a session, according to others.
 * Measured: 2.1.330 does (`--continue`). 2.1.197 begins at 0 (`--resume`, `--continue`, `--fork-session`).
 */
export const CARRIES_COUNTER_SINCE = '2.1.277';
