import { EMPTY_COST, readCost, totalMicroUsd } from '../../governor/cost/cost.ts';
import type { Prices } from '../../governor/cost/prices.ts';
import type { GovernorState } from '../../governor/state.ts';
import type { Io } from '../../io.ts';
import { readLines } from '../../store/files/read-lines.ts';
import { redact } from '../../store/masks/redact.ts';
import { findSessionLog, readSessionLog, type SessionLog } from '../../store/sessions/session-log.ts';
import { decodeLine } from '../../stream/decode.ts';
import { parseFields, textOf } from '../../stream/fields.ts';
import type { LoggedState } from './claude-supervisor.ts';

const UNKNOWN: LoggedState = { logged: false, delivered: [], finished: false, openTool: undefined };

/** What claude's own log says about the turn that was under way. */
export function readLoggedState({ session, turn }: GovernorState, { env, cwd }: Io): LoggedState {
  const { id, transcript } = session;
  const path = id && findSessionLog(id, { env, cwd, transcriptPath: transcript });
  if (path === undefined) return UNKNOWN;
  const log = readSessionLog(path);
  if (!log.hasMessages) return UNKNOWN;
  const prompts = [...(turn.last?.prompts ?? []), ...turn.prompts];
  return {
    logged: true,
    delivered: prompts.map(({ uuid }) => uuid).filter((uuid) => log.delivered.has(uuid)),
    finished: log.finished,
    openTool: openToolText(log),
  };
}

/** What was under way, in a few words without secrets. */
export function openToolText({ openTool }: SessionLog): string | undefined {
  return openTool && redact(`${openTool.name} ${openTool.title}`.trim());
}

/**
 * Micro-dollars that the calls of the main thread have cost since a moment, by claude's own logs.
 *
 * @param since milliseconds since the epoch
 */
export function loggedCost(paths: readonly string[], since: number, prices: Prices): number {
  let cost = EMPTY_COST;
  for (const path of new Set(paths)) {
    for (const line of readLines(path)) {
      const isLater = Date.parse(textOf(parseFields(line).timestamp) ?? '') > since;
      if (isLater) cost = readCost(cost, decodeLine(line), prices);
    }
  }
  return totalMicroUsd(cost);
}
