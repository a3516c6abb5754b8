import type { SessionFigures } from './summary.ts';

/** Filters for sessions. A missing filter matches all sessions. */
export interface Filters {
  /** Matches sessions active at or after this time, in milliseconds since the epoch. */
  readonly since?: number | undefined;
  /** Part of the path of claude's working folder. */
  readonly project?: string | undefined;
  /** Part of the model's id, ignoring case. */
  readonly model?: string | undefined;
}

/**
 * Whether a session matches the filters. A recording without times matches `since`, because its file time was checked
 * before.
 */
export function matchesFilters({ time, project, file, model }: SessionFigures, filters: Filters): boolean {
  const { since } = filters;
  if (since !== undefined && time.last !== null && time.last < since) return false;
  if (filters.project !== undefined && !(project ?? file).includes(filters.project)) return false;
  return filters.model === undefined || (model ?? '').toLowerCase().includes(filters.model.toLowerCase());
}

/** A stable sort; a session without times comes last. */
export function newestFirst<S extends Pick<SessionFigures, 'time'>>(sessions: readonly S[]): S[] {
  const end = ({ time }: S) => time.last ?? Number.NEGATIVE_INFINITY;
  // Of two without times the difference is NaN, which counts as 0.
  return sessions.toSorted((a, b) => end(b) - end(a));
}
