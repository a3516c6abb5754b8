import type { GovernorState } from '../governor/state.ts';
import type { Io } from '../io.ts';
import { redact } from '../store/redact.ts';
import { findSessionLog, readSessionLog, type SessionLog } from '../store/session-log.ts';
import type { LoggedState } from './succession.ts';

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
