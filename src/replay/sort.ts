import { ownFigures } from './copies.ts';
import type { SessionSummary } from './summary.ts';

export const SORT_ORDERS = ['newest', 'oldest', 'cost', 'calls', 'peak', 'compactions', 'project'] as const;
export type SortOrder = (typeof SORT_ORDERS)[number];

type Sortable = Pick<
  SessionSummary,
  'file' | 'project' | 'time' | 'context' | 'calls' | 'compactions' | 'cost' | 'copied'
>;

/** Figures, the largest first; what is not known stands last. */
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
