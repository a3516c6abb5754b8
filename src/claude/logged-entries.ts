import type { Entry } from '../core/memory/entry.ts';
import { createEntrySource } from '../core/memory/make-entry.ts';
import { decodeLine } from '../core/protocol/decode.ts';
import { readLines } from '../store/files/read-lines.ts';
import { redact } from '../store/masks/redact.ts';

/**
 * What was said and done in the main thread of a session, masked, in the order of its log.
 *
 * @param since time of the last row to skip, in milliseconds since the epoch
 * @throws CtxbError `store` when the log is unreadable or not a regular file
 */
export function* loggedEntries(path: string, since: number): Generator<Entry> {
  const source = createEntrySource({ isLive: false, mask: redact });
  for (const line of readLines(path)) {
    const event = decodeLine(line);
    const { timestamp: t = 0 } = { timestamp: undefined, ...event };
    if (t > since) yield* source.add({ t, from: 'claude', event });
  }
}
