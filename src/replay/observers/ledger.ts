import { readKey } from '../../core/governor/call-identity.ts';
import { billedOutput, callMicroUsd } from '../../core/governor/cost/priced-call.ts';
import { microUsdOf, type Price, turnMicroUsd } from '../../core/governor/cost/prices.ts';
import { callOutput } from '../../core/governor/gauge/gauge.ts';
import type { AssistantEvent, ResultEvent } from '../../core/protocol/events.ts';
import { contextOf, hasNoInput, isNewer, NO_USAGE, type Usage } from '../../core/protocol/usage.ts';
import { sumOf } from '../../core/text/sum-of.ts';
import { SUBAGENT_CALL } from '../ledger.ts';
import { hashOf } from '../read/hash-id.ts';
import { type ObservedLine, timeIn } from './observer.ts';

/** The newest call of a thread: its lines repeat the usage with a growing output. */
interface Open {
  readonly at: number;
  readonly messageId: string;
  usage: Usage;
  /** Missing for a model without a price. */
  price?: Price;
  /** Cost billed in addition to tokens, in micro-dollars. */
  otherMicroUsd: number;
}

/** The line that begins a call: an answer, or the result of a turn whose answers the recording lacks. */
type Started = Pick<AssistantEvent, 'messageId' | 'subagent' | 'model' | 'sessionId' | 'usage'>;

/** The line that begins a call, with its usage. */
export interface Answer extends Started {
  readonly usage: Usage;
}

const NO_ANSWER = { messageId: '', subagent: null, model: undefined };

/** @param keepsUsage keeps the usage of finished calls, which takes most of a call's memory */
export function createLedger(keepsUsage: boolean) {
  /** The keys of each call, or 0. */
  const keys: number[] = [];
  const others: number[] = [];
  const calls = {
    numbers: [] as number[],
    times: [] as number[],
    models: [] as (string | null)[],
    microUsd: [] as number[],
    usages: [] as Usage[],
  };
  /** The newest call of each thread, by subagent id; '' is the main thread. */
  const open = new Map<string, Open>();
  /** The first call of the turn. */
  let turnFrom = 0;

  function setUsage(call: Open, usage: Usage): void {
    call.usage = usage;
    if (keepsUsage) calls.usages[call.at] = usage;
  }

  /** @returns its index */
  function add(event: Started, t: number | null, number: number, microUsd: number, session = event.sessionId): number {
    calls.numbers.push(number);
    calls.times.push(t ?? Number.NaN);
    calls.models.push(event.model ?? null);
    calls.microUsd.push(microUsd);
    const [key, other] = keysOf(event, t, session);
    others.push(other);
    return keys.push(key) - 1;
  }

  function begin({ input, after }: ObservedLine, event: Started): void {
    const { messageId, subagent, sessionId = after.session.id, usage = NO_USAGE } = event;
    const number = subagent === null ? after.gauge.calls : SUBAGENT_CALL;
    const at = add(event, timeIn(input), number, Number.NaN, sessionId);
    const call = { at, messageId, usage, otherMicroUsd: 0 };
    open.set(subagent ?? '', call);
    setUsage(call, usage);
  }

  function seeMain(seen: ObservedLine): void {
    const { before, after } = seen;
    const measured = after.facts.call;
    if (measured) begin(seen, measured.kind === 'assistant' ? measured : { ...measured, ...NO_ANSWER });
    const call = open.get('');
    if (call === undefined || after.gauge.call === null || after.gauge.call === before.gauge.call) return;
    const { price, otherMicroUsd } = call;
    const { usage } = after.gauge.call;
    // The final output arrives with the result, after claude has counted the cost of the turn.
    if (price !== undefined) {
      const output = billedOutput(after.gauge.call.output, after.gauge.call);
      calls.microUsd[call.at] = microUsdOf(usage, price, output) + otherMicroUsd;
    }
    if (keepsUsage) setUsage(call, { ...usage, output: callOutput(after.gauge) });
  }

  /** In a stream, only the result of a turn has the final output of all its calls. The last call gets what is missing. */
  function seeResult({ after }: ObservedLine, event: ResultEvent): void {
    const [from, last] = [turnFrom, keys.length - 1];
    turnFrom = last + 1;
    if (last < from || calls.numbers.includes(SUBAGENT_CALL, from)) return;
    const { run, session } = after;
    const turn = turnMicroUsd(event, run.policy.cost.prices, session.version);
    const missing = turn - sumOf(calls.microUsd.slice(from), (microUsd) => microUsd);
    if (missing > 0) calls.microUsd[last] = (calls.microUsd[last] ?? 0) + missing;
  }

  function seeSubagent(seen: ObservedLine, event: AssistantEvent): void {
    const { subagent, usage, isSynthetic, messageId } = event;
    if (subagent === null || usage === undefined || isSynthetic || hasNoInput(usage)) return;
    const last = open.get(subagent);
    if (last === undefined || messageId === '' || last.messageId !== messageId) begin(seen, event);
    else if (isNewer(usage, last.usage)) setUsage(last, usage);
  }

  /** Uses the cost computed by the governor, so that the sum over all calls equals the cost of the session. */
  function seeCost({ before, after }: ObservedLine, thread: string | null): void {
    if (after.limits.cost.calls === before.limits.cost.calls) return;
    const priced = after.limits.cost.calls.find((call) => call.thread === thread);
    const last = open.get(thread ?? '');
    if (priced === undefined || last === undefined || priced.messageId !== last.messageId) return;
    last.price = priced.price;
    last.otherMicroUsd = priced.extraMicroUsd;
    calls.microUsd[last.at] = callMicroUsd(priced);
    calls.models[last.at] = priced.model ?? null;
    // For the main thread, the gauge knows the output better, because it calibrates with its calls.
    if (thread !== null) setUsage(last, { ...last.usage, output: billedOutput(priced.usage.output, priced) });
  }

  return {
    see(seen: ObservedLine): void {
      const { event } = seen.input;
      seeMain(seen);
      if (event.kind === 'assistant') seeSubagent(seen, event);
      if (event.kind === 'assistant' || event.kind === 'partial') seeCost(seen, event.subagent);
      if (event.kind === 'result') seeResult(seen, event);
    },
    /** Adds a complete call; further lines of it change nothing. */
    add,
    found: () => ({ keys: new Float64Array(others.some(Boolean) ? [...keys, ...others] : keys), ledger: calls }),
  };
}

/** Ids of the API are random and at least this long. Other back-ends use counters that restart in each session. */
const RANDOM_LENGTH = 20;

/**
 * Keys of a call. An id is combined with the size of the context, because a gateway can give all calls the same id. A
 * short id is combined with its time, which copies keep, and with the session and the tokens that the call read, for
 * other recordings of the session.
 */
function keysOf({ messageId, usage = NO_USAGE }: Started, t: number | null, session = ''): readonly [number, number] {
  if (messageId === '') return [0, 0];
  if (messageId.length >= RANDOM_LENGTH) return [hashOf(messageId) + contextOf(usage), 0];
  const inSession = hashOf(`${messageId} ${session} ${readKey(usage) ?? ''}`);
  return t === null ? [inSession, 0] : [hashOf(`${messageId} ${t}`), inSession];
}
