/** Ids that are remembered to know a repeated one: what a session log holds a second time is not that long ago. */
const REMEMBERED = 4096;

/** Two sets in turn: to take the oldest out of one set means to search for it, ever longer. */
export interface RecentIds {
  newer: Set<string>;
  older: Set<string>;
}

export function noIds(): RecentIds {
  return { newer: new Set(), older: new Set() };
}

/** @param ids where they are remembered */
export function createRecentIds(ids: RecentIds) {
  return {
    /** Whether an id came before; if not, it has come now. */
    seen(id: string): boolean {
      if (ids.newer.has(id) || ids.older.has(id)) return true;
      ids.newer.add(id);
      if (ids.newer.size === REMEMBERED) {
        ids.older = ids.newer;
        ids.newer = new Set();
      }
      return false;
    },
  };
}
