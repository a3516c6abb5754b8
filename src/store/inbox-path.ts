import { join, resolve } from 'node:path';
import { fileName } from './file-name.ts';

/** The folder of all inboxes, in the context folder. */
export const INBOX = 'inbox';

/**
 * Where a run's inbox is. Known before it is made, so that claude can be started meanwhile.
 *
 * @param runId a UUID
 */
export function inboxPath(contextDir: string, runId: string): string {
  return join(resolve(contextDir), INBOX, `${fileName(runId)}.ndjson`);
}
