import { setTimeout as delay } from 'node:timers/promises';
import { findSessionLog, readSessionLog, type SessionLog } from '../../store/sessions/session-log.ts';
import { Contradiction } from '../expect-fact.ts';
import type { Conversation } from './conversation.ts';
import { eventsOf } from './read-seen.ts';
import type { Stage } from './stage.ts';

const LOOK_EVERY_MS = 20;

/** A session, and claude's own log of it. */
export interface Logged {
  readonly session: string;
  readonly log: SessionLog;
}

/** Waits until claude has logged the end of its turn, which it does a moment later. */
export async function untilLogged({ scratch, patience }: Stage, claude: Conversation): Promise<Logged> {
  const session = eventsOf(claude.events, 'init').at(-1)?.sessionId;
  if (session === undefined) throw new Contradiction('no system/init line names the session');
  for (;;) {
    const path = findSessionLog(session, { env: scratch.env, cwd: scratch.cwd });
    const log = path === undefined ? undefined : readSessionLog(path);
    if (log?.finished) return { session, log };
    if (patience.aborted) throw new Contradiction(log === undefined ? 'there is no log' : 'the log lacks its answer');
    await delay(LOOK_EVERY_MS);
  }
}
