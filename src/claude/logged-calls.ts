import { readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { createCallIdentity } from '../core/governor/call-identity.ts';
import { EMPTY_COST, readCost, totalMicroUsd } from '../core/governor/cost/cost.ts';
import type { Prices } from '../core/governor/cost/prices.ts';
import { decodeObject } from '../core/protocol/decode.ts';
import type { AssistantEvent, Event } from '../core/protocol/events.ts';
import { rowsIn } from '../core/protocol/objects-in.ts';
import { hasNoInput, isNewer, type Usage } from '../core/protocol/usage.ts';
import { orElse } from '../errors.ts';
import { readLines } from '../store/files/read-lines.ts';

export type LoggedCall = AssistantEvent & { readonly usage: Usage };

/** Calls by message id, with their final token counts. On the stream only the result of the turn has these. */
export type LoggedCalls = ReadonlyMap<string, LoggedCall>;

/**
 * The calls in claude's own logs after a time. claude writes a row up to 0.15 s after the line on the stream.
 *
 * @param since milliseconds since the epoch
 */
export function loggedCalls(paths: Iterable<string>, since = 0): LoggedCalls {
  const calls = new Map<string, LoggedCall>();
  for (const path of new Set(paths)) {
    for (const event of callsIn(path)) {
      const { messageId, usage, timestamp = 0 } = event;
      const known = calls.get(messageId);
      if (timestamp > since && (known === undefined || isNewer(usage, known.usage))) calls.set(messageId, event);
    }
  }
  return calls;
}

function* callsIn(path: string): Generator<LoggedCall> {
  const calls = createCallIdentity();
  let thread = '';
  for (const line of readLines(path)) {
    // Most lines are results of tools, which need no parsing.
    if (!line.includes('"output_tokens"')) calls.answered(thread);
    else
      for (const call of rowsIn(line).map(decodeObject).map(calls.identified).filter(isAnswered)) {
        thread = call.subagent ?? '';
        yield call;
      }
  }
}

/** Whether an event is a line of a call that reports usage. */
export function isAnswered(event: Event): event is LoggedCall {
  return event.kind === 'assistant' && !event.isSynthetic && event.usage !== undefined && !hasNoInput(event.usage);
}

/** A session's log, and those of its subagents. Workflows and nested subagents have subfolders. */
export function logsBeside(sessionLog: string): string[] {
  const folder = join(dirname(sessionLog), basename(sessionLog, '.jsonl'), 'subagents');
  const names = orElse(() => readdirSync(folder, { recursive: true }), []).map(String);
  return [sessionLog, ...names.filter((name) => AGENT_LOG.test(name)).map((name) => join(folder, name))];
}

const AGENT_LOG = /(?:^|\/)agent-[\w-]+\.jsonl$/;

/** Cost in micro-dollars. Each call counts with its list price at least. */
export function loggedMicroUsd(calls: LoggedCalls, prices: Prices): number {
  const list = { prices, version: undefined };
  return totalMicroUsd([...calls.values()].reduce((cost, call) => readCost(cost, call, list), EMPTY_COST));
}
