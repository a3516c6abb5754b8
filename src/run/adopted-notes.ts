import { join } from 'node:path';
import { findSessionLog, newestSession } from '../claude/claude-folders.ts';
import type { Entry } from '../core/memory/entry.ts';
import { createEntrySource } from '../core/memory/make-entry.ts';
import { decodeObject, LOG_TAIL_BYTES } from '../core/protocol/decode.ts';
import { notAmong } from '../core/protocol/exact-plan.ts';
import { fieldsOf } from '../core/protocol/fields.ts';
import { rowsIn } from '../core/protocol/objects-in.ts';
import type { Io } from '../io.ts';
import { statsOf } from '../store/files/plain-file.ts';
import { readLines } from '../store/files/read-lines.ts';
import { type Faults, orReport } from '../store/files/store-error.ts';
import { redact } from '../store/masks/redact.ts';
import { LOG, listSessions, sessionWithId } from '../store/sessions/sessions.ts';
import { contextFolder, type HeadlessRun } from './headless-run.ts';
import { entriesIn } from './notes.ts';

export type AdoptedNotes = ReturnType<typeof adoptNotes>;

/** Finds entries that a session's notes lack: work done before this run, or in the session it was forked from. */
export function adoptNotes(headless: HeadlessRun, io: Io, onFault: Faults) {
  const startedAt = Date.now();
  const { resumed, forks, resumedAt } = headless.invocation;
  const isFork = forks && headless.resumed === undefined;
  const newest = isFork && resumed === undefined ? newestSession(io) : undefined;
  const known = headless.resumed?.sessionId ?? resumed;

  return {
    /** claude's id of the session, if it is certain before claude reports it. */
    session: !isFork && known !== undefined && findSessionLog(known, io) ? known : undefined,
    /**
     * @param id claude's id of the session
     * @param isNoted whether the session already has notes
     */
    entries(id: string, isNoted: boolean): readonly Entry[] {
      if (isNoted && (isFork || resumedAt !== undefined)) return [];
      return orReport(onFault, 'the earlier work is not in the notes', () => missingEntries(id, isNoted)) ?? [];
    },
  };

  function missingEntries(id: string, isNoted: boolean): readonly Entry[] {
    const parent = isFork ? (resumed ?? newestBut(id)) : undefined;
    const noted = resumedAt === undefined ? notesOf(parent ?? id) : [];
    const path = (parent && findSessionLog(parent, io)) ?? findSessionLog(id, io);
    const later = path === undefined ? [] : entriesOfLog(path, { begun: startedAt, last: resumedAt, noted });
    return isNoted ? later : [...noted, ...later];
  }

  /** Undefined if another log was written meanwhile, because claude may have continued either. */
  function newestBut(id: string): string | undefined {
    return newest === newestSession(io, id) ? newest : undefined;
  }

  function notesOf(session: string): Entry[] {
    const found = sessionWithId(listSessions(contextFolder(headless, io)), session);
    const entries = found === undefined ? [] : [...entriesIn(readLines(join(found.path, LOG)))];
    return entries.filter(({ t }) => t < startedAt);
  }
}

interface Extent {
  /** Start of this run in milliseconds since the epoch; later rows belong to it. */
  readonly begun: number;
  /** The `uuid` of the last message that the conversation continues from; undefined: the last message of the log. */
  readonly last: string | undefined;
  readonly noted: readonly Entry[];
}

/** @throws CtxbError `store` when the log is unreadable or not a regular file */
function entriesOfLog(path: string, { begun, last, noted }: Extent): Entry[] {
  const source = createEntrySource({ live: false, mask: redact });
  const entries: Entry[] = [];
  // Everything up to the last noted tool result is complete. Compare only from there on: a prompt has two times, when
  // it was sent and when claude read it.
  const from = (noted.findLast((entry) => entry.kind === 'tool' && entry.agent === null) ?? noted[0])?.t ?? 0;
  for (const { t, event } of eventsIn(path)) {
    if (t >= begun) break;
    const input = { t, from: 'claude', event } as const;
    if (t >= from) entries.push(...source.add(input));
    else source.skip(input);
    if (last !== undefined && 'uuid' in event && event.uuid === last) break;
  }
  const known = noted.filter((entry) => entry.t >= from);
  return notAmong(known.map(keyOf), entries, keyOf);
}

function* eventsIn(path: string) {
  let t = 0;
  let remaining = statsOf(path)?.size ?? 0;
  for (const line of readLines(path)) {
    // Far from the end of the log, read only prompts.
    const isNear = remaining <= LOG_TAIL_BYTES;
    remaining -= Buffer.byteLength(line) + 1;
    if (!isNear && !mayBeSaid(line)) continue;
    for (const event of rowsIn(line).map(decodeObject)) {
      if ('timestamp' in event && event.timestamp !== undefined) t = event.timestamp;
      yield { t, event };
    }
  }
}

function keyOf(entry: Entry): string {
  const { kind, id, text, to, status } = fieldsOf(entry);
  return JSON.stringify([kind, id, text, to, status]);
}

/** Whether a line may hold a prompt, or a compaction, after which the log repeats prompts. */
function mayBeSaid(line: string): boolean {
  return (line.includes('"type":"user"') && !line.includes('"tool_result"')) || line.includes('"compact_boundary"');
}
