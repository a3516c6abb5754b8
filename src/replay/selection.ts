import { ownFigures } from './copies.ts';
import type { SessionFigures } from './summary.ts';

/** Filters for sessions. A missing filter excludes none. */
export interface Filters {
  /** Those that went on at or after this time, in milliseconds since the epoch. */
  readonly since?: number | undefined;
  /** Part of claude's working folder. */
  readonly project?: string | undefined;
  /** Part of the model's id, in any case. */
  readonly model?: string | undefined;
}

/** A session whose recording carries no times passes `since`: its file was looked at before. */
export function isMeant({ time, project, file, model }: SessionFigures, filters: Filters): boolean {
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

/** Figures, the largest first; unknown ones last. */
const FIGURES: Readonly<Record<Exclude<SortOrder, 'project'>, (session: Sortable) => number | null>> = {
  newest: ({ time }) => time.last,
  oldest: ({ time }) => (time.last === null ? null : -time.last),
  cost: (session) => ownFigures(session).usd,
  calls: (session) => ownFigures(session).calls,
  peak: ({ context }) => context.peakFraction,
  compactions: (session) => ownFigures(session).compactions,
};

/** @param sessions with their copies marked. Equal ones stay in their order. */
export function sortSessions<S extends Sortable>(sessions: readonly S[], order: SortOrder): S[] {
  if (order !== 'project') {
    const figure = (session: S) => FIGURES[order](session) ?? Number.NEGATIVE_INFINITY;
    return sessions.toSorted((a, b) => (figure(b) === figure(a) ? 0 : figure(b) - figure(a)));
  }
  const name = ({ project, file }: S) => project ?? file;
  return sortSessions(sessions, 'newest').sort((a, b) => (name(a) === name(b) ? 0 : name(a) < name(b) ? -1 : 1));
}
