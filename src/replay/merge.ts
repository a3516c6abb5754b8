import { basename } from 'node:path';
import type { SessionSummary } from './summary.ts';

export type Merge = ReturnType<typeof createMerge>;

/**
 * Merges summaries of sessions from many partials, each once. In which order and how often they are added makes no
 * difference. Recordings are the same when file name (without its folder), session, dialect and first
 * line are: a log that has grown, or lies elsewhere on another machine. Of these the one with most lines counts.
 */
export function createMerge() {
  const sessions = new Map<string, SessionSummary>();
  let repeated = 0;
  return {
    add(session: SessionSummary): void {
      const identity = identityOf(session);
      const known = sessions.get(identity);
      if (known !== undefined) repeated++;
      if (known === undefined || compare(session, known) > 0) sessions.set(identity, session);
    },
    /** In order of file and session. */
    sessions: () =>
      [...sessions.values()].sort((a, b) => byText(a.file, b.file) || byText(identityOf(a), identityOf(b))),
    /** Sessions that were added again, and count once. */
    get repeated() {
      return repeated;
    },
  };
}

/** A recording without a line says nothing that would tell it from others but where it lies. */
function identityOf({ file, sessionId, dialect, opening }: SessionSummary): string {
  return JSON.stringify(opening === null ? [file] : [basename(file), sessionId, dialect, opening]);
}

/** Which of two summaries of one recording says more. A total order, so that any order of merging gives the same. */
function compare(a: SessionSummary, b: SessionSummary): number {
  return (
    a.lines.total - b.lines.total ||
    (a.time.last ?? 0) - (b.time.last ?? 0) ||
    (a.series?.length ?? -1) - (b.series?.length ?? -1) ||
    byText(JSON.stringify(a), JSON.stringify(b))
  );
}

/** By code units: the same everywhere, which the order of a language is not. */
function byText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
