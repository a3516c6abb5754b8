import type { Usage } from '../../protocol/usage.ts';
import { sumOf } from '../../text/sum-of.ts';
import { type Content, nativeTokens } from '../gauge/estimator.ts';
import { microUsdOf, type Price } from './prices.ts';

/** One API call since claude's last report. */
export interface PricedCall {
  /** The subagent that made the call; null for the main thread. */
  readonly thread: string | null;
  readonly messageId: string;
  readonly model: string | undefined;
  readonly version: string | undefined;
  readonly price: Price;
  readonly usage: Usage;
  /** Cost of further model runs that were billed with the call, in micro-dollars. */
  readonly extraMicroUsd: number;
  /** Whether the output count in `usage` is final, not a placeholder of 1 to 8. */
  readonly outputKnown: boolean;
  /** Size of the model's text, for an estimate while the count is a placeholder. */
  readonly generated: Content;
}

/** Calls since claude's last report: the last one of each thread, and the cost of the others in micro-dollars. */
interface OpenCalls {
  readonly calls: readonly PricedCall[];
  readonly settled: number;
}

export function replaceCall(calls: readonly PricedCall[], call: PricedCall): readonly PricedCall[] {
  if (calls.length === 1 && calls[0]?.thread === call.thread) return [call];
  return [...calls.filter(({ thread }) => thread !== call.thread), call];
}

/** The last call of a thread since claude's last report; undefined if no call of the thread has a price. */
export function openCall({ calls }: OpenCalls, thread: string) {
  const call = calls.find((each) => each.thread === thread);
  if (call === undefined) return undefined;
  return { messageId: call.messageId, output: billedOutput(call.usage.output, call), microUsd: callMicroUsd(call) };
}

/** Cost of the last call of each thread since claude's last report, in micro-dollars. */
export function latestCallsMicroUsd({ calls }: OpenCalls): number {
  return sumOf(calls, callMicroUsd);
}

export function openMicroUsd(cost: OpenCalls): number {
  return cost.settled + latestCallsMicroUsd(cost);
}

/** Billed output tokens of a call. Never an overestimate. */
export function billedOutput(
  output: number,
  { outputKnown, generated }: Pick<PricedCall, 'outputKnown' | 'generated'>,
) {
  return outputKnown ? output : Math.max(output, nativeTokens(generated));
}

export function callMicroUsd(call: PricedCall): number {
  return microUsdOf(call.usage, call.price, billedOutput(call.usage.output, call)) + call.extraMicroUsd;
}
