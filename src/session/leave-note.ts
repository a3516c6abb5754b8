import { CtxbError } from '../errors.ts';
import type { Environment } from '../io.ts';
import { maskedJson } from '../store/disk-text.ts';
import { leaveInInbox, liveInboxes } from '../store/inbox.ts';
import { INBOX_VARIABLE } from './inbox-variable.ts';

/** Something a hook, a script or the agent itself has to tell the run that goes on. */
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
  if (note.text.trim() === '') throw new CtxbError('usage', `ctxb ${note.kind}: the text is empty: say what`);
  leaveInInbox(env[INBOX_VARIABLE] || onlyInbox(note.kind, folder), maskedJson(note));
}

function onlyInbox(command: string, folder: string): string {
  const [inbox, ...others] = liveInboxes(folder);
  if (inbox === undefined) {
    throw new CtxbError('usage', `ctxb ${command}: no ctxb run goes on in ${folder}: say it while one does`);
  }
  if (others.length === 0) return inbox;
  const all = [inbox, ...others].join(', ');
  throw new CtxbError('usage', `ctxb ${command}: several runs go on: set ${INBOX_VARIABLE} to one of ${all}`);
}
