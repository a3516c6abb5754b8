import type { SessionFigures } from './summary.ts';

/**
 * Whether a session was active since a time. A recording without times counts as active, because the time of its file
 * was checked before.
 */
export function isActiveSince({ time }: SessionFigures, since: number | undefined): boolean {
  return since === undefined || time.last === null || time.last >= since;
}

/** Sorts sessions, newest first. Stable; a session without times comes last. */
export function newestFirst<S extends Pick<SessionFigures, 'time'>>(sessions: readonly S[]): S[] {
  const end = ({ time }: S) => time.last ?? Number.NEGATIVE_INFINITY;
  // The difference of two missing times is NaN, which counts as 0.
  return sessions.toSorted((a, b) => end(b) - end(a));
}
