import type { SessionFigures } from './summary.ts';

/** A recording without times counts as active, because its file time was checked before. */
export function isActiveSince({ time }: SessionFigures, since: number | undefined): boolean {
  return since === undefined || time.last === null || time.last >= since;
}

/** A stable sort; a session without times comes last. */
export function newestFirst<S extends Pick<SessionFigures, 'time'>>(sessions: readonly S[]): S[] {
  const end = ({ time }: S) => time.last ?? Number.NEGATIVE_INFINITY;
  // Of two without times the difference is NaN, which counts as 0.
  return sessions.toSorted((a, b) => end(b) - end(a));
}
