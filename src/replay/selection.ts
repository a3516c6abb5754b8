import { ownFigures } from './copies.ts';
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

export const SORT_ORDERS = ['newest', 'oldest', 'cost', 'calls', 'peak', 'compactions', 'project'] as const;
export type SortOrder = (typeof SORT_ORDERS)[number];

type Sortable = Pick<
  SessionFigures,
  'file' | 'project' | 'time' | 'context' | 'calls' | 'compactions' | 'cost' | 'copied' | 'lines'
>;

/** Sort keys, largest first; null comes last. */
const FIGURES: Readonly<Record<Exclude<SortOrder, 'project'>, (session: Sortable) => number | null>> = {
  newest: ({ time }) => time.last,
  oldest: ({ time }) => (time.last === null ? null : -time.last),
  cost: (session) => ownFigures(session).usd,
  calls: (session) => ownFigures(session).calls,
  peak: ({ context }) => context.peakFraction,
  compactions: (session) => ownFigures(session).compactions,
};

/** A stable sort. @param sessions processed by `markCopies` */
export function sortSessions<S extends Sortable>(sessions: readonly S[], order: SortOrder): S[] {
  if (order !== 'project') {
    const figure = (session: S) => FIGURES[order](session) ?? Number.NEGATIVE_INFINITY;
    // Of two without a figure the difference is NaN, which counts as 0.
    return sessions.toSorted((a, b) => figure(b) - figure(a));
  }
  const name = ({ project, file }: S) => project ?? file;
  return sortSessions(sessions, 'newest').sort((a, b) => (name(a) === name(b) ? 0 : name(a) < name(b) ? -1 : 1));
}
