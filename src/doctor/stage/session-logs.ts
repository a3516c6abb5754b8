import { setTimeout as delay } from 'node:timers/promises';
import { findSessionLog, readSessionLog, type SessionLog } from '../../store/session-log.ts';
import { Contradiction } from '../contradiction.ts';
import type { Conversation } from './conversation.ts';
import { eventsOf } from './events.ts';
import type { Stage } from './stage.ts';

const LOOK_EVERY_MS = 20;

/** Waits until claude has written something to its session's log, which it does a moment later. Resolves with the session's id. */
export async function untilLogged(
  { scratch, patience }: Stage,
  claude: Conversation,
  fits: (log: SessionLog) => boolean,
): Promise<string> {
  const session = eventsOf(claude.events, 'init').at(-1)?.sessionId;
  if (session === undefined) throw new Contradiction('no system/init line names the session');
  for (;;) {
    const log = findSessionLog(session, { env: scratch.env, cwd: scratch.cwd });
    if (log !== undefined && fits(readSessionLog(log))) return session;
    if (patience.aborted) throw new Contradiction(log === undefined ? 'there is no log' : 'the log does not hold it');
    await delay(LOOK_EVERY_MS);
  }
}
