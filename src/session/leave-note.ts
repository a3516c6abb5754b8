import { CtxbError } from '../errors.ts';
import type { Environment } from '../io.ts';
import { maskedJson } from '../store/disk-text.ts';
import { leaveInInbox, liveInboxes } from '../store/inbox.ts';
import { INBOX_VARIABLE } from './inbox-variable.ts';

/** What a hook, a script or the agent itself tells the active run. */
export interface Note {
  readonly kind: 'state' | 'dead-end';
  readonly text: string;
}

/**
 * Leaves a note for the run this process belongs to, or else for the only one in the folder.
 *
 * @param folder absolute, where the runs keep their files
 * @throws CtxbError `usage` when there is nothing to say, or no run or more than one to say it to; `store`
 */
export function leaveNote(note: Note, folder: string, env: Environment): void {
  if (note.text.trim() === '') throw new CtxbError('usage', `ctxb note ${note.kind}: the text is empty: say what`);
  leaveInInbox(env[INBOX_VARIABLE] || onlyInbox(note.kind, folder), maskedJson(note));
}

function onlyInbox(kind: Note['kind'], folder: string): string {
  const [inbox, ...others] = liveInboxes(folder);
  if (inbox === undefined) {
    throw new CtxbError('usage', `ctxb note ${kind}: no run is active in ${folder}: call it while one is`);
  }
  if (others.length === 0) return inbox;
  const all = [inbox, ...others].join(', ');
  throw new CtxbError('usage', `ctxb note ${kind}: several runs are active: set ${INBOX_VARIABLE} to one of ${all}`);
}
