import { join } from 'node:path';
import { findSessionLog, newestSession } from '../claude/claude-log.ts';
import type { Entry } from '../core/memory/entry.ts';
import { createExtractor } from '../core/memory/extract/extract.ts';
import { createEntryMaker } from '../core/memory/make-entry.ts';
import { decodeLine } from '../core/protocol/decode.ts';
import type { Io } from '../io.ts';
import { statsOf } from '../store/files/plain-file.ts';
import { readLines } from '../store/files/read-lines.ts';
import type { Faults } from '../store/files/store-error.ts';
import { redact } from '../store/masks/redact.ts';
import { listSessions, sessionWithId } from '../store/sessions/sessions.ts';
import { contextFolder, type HeadlessRun } from './headless-run.ts';
import { entriesIn, LOG } from './notes.ts';

export type AdoptedNotes = ReturnType<typeof adoptNotes>;

/**
 * What the notes of a session begin with that has none yet: what was said and done in it before this run, or in the one
 * that it was forked from.
 */
export function adoptNotes(headless: HeadlessRun, io: Io, onFault: Faults) {
  const begun = Date.now();
  const { resumed, forks, resumedAt } = headless.invocation;
  const parent = forks && headless.resumed === undefined ? (resumed ?? newestSession(io)) : undefined;

  const known = headless.resumed?.sessionId ?? resumed;

  return {
    /** claude's id of the session, where that is sure before claude says it. */
    session: parent === undefined && known !== undefined && findSessionLog(known, io) ? known : undefined,
    /** @param id claude's id of the session */
    entries(id: string): readonly Entry[] {
      try {
        const noted = resumedAt === undefined ? notesOf(parent ?? id) : [];
        if (noted.length > 0) return noted;
        const path = (parent && findSessionLog(parent, io)) ?? findSessionLog(id, io);
        return path === undefined ? [] : entriesOfLog(path, { begun, last: resumedAt });
      } catch (error) {
        onFault('what was said before is not noted', error);
        return [];
      }
    },
  };

  function notesOf(session: string): Entry[] {
    const found = sessionWithId(listSessions(contextFolder(headless, io)), session);
    const entries = found === undefined ? [] : [...entriesIn(readLines(join(found.path, LOG)))];
    return entries.filter(({ t }) => t < begun);
  }
}

interface Extent {
  /** What has come since is this run's, in milliseconds since the epoch. */
  readonly begun: number;
  /** The `uuid` of the last message that the conversation goes on from; undefined: the last one there is. */
  readonly last: string | undefined;
}

/** Bytes of a log's end of which everything is noted: of what is older, only what was said. */
const MOST_BYTES = 8 * 1024 * 1024;

/** @throws CtxbError `store` when it cannot be read, or is not a regular file */
function entriesOfLog(path: string, { begun, last }: Extent): Entry[] {
  const extractor = createExtractor({ live: false });
  const entryOf = createEntryMaker(redact);
  const entries: Entry[] = [];
  let t = 0;
  let left = statsOf(path)?.size ?? 0;
  for (const line of readLines(path)) {
    const isNear = left <= MOST_BYTES;
    left -= Buffer.byteLength(line) + 1;
    if (!isNear && !mayBeSaid(line)) continue;
    const event = decodeLine(line);
    if ('timestamp' in event && event.timestamp !== undefined) t = event.timestamp;
    if (t >= begun) break;
    entries.push(...extractor.add({ t, from: 'claude', event }).map(entryOf));
    if (last !== undefined && 'uuid' in event && event.uuid === last) break;
  }
  return entries;
}

/** A prompt, or a compaction, behind which prompts stand a second time. */
function mayBeSaid(line: string): boolean {
  return (line.includes('"type":"user"') && !line.includes('"tool_result"')) || line.includes('"compact_boundary"');
}
