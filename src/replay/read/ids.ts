/** Initial capacity, a power of two. Each doubling rehashes all ids. */
const INITIAL_CAPACITY = 4096;

/**
 * Remembers ids by their hashes in a typed array. A set of strings would add a tenth to the time of reading a log. An
 * id takes up to 32 bytes, a hundredth of its row. Ids are never removed, because claude can append a copy of the whole
 * log.
 */
export function createIdSet() {
  let table: Float64Array = new Float64Array(INITIAL_CAPACITY);
  let count = 0;

  /** Half of the places or more stay free, which keeps searches short. */
  function grow(): void {
    const larger = new Float64Array(2 * table.length);
    // V8 would compile a loop again for each recording.
    table.forEach((id) => {
      if (id !== FREE_SLOT) larger[~placeIn(larger, id)] = id;
    });
    table = larger;
  }

  return {
    /** Returns whether an id was seen before, and remembers it. @param id its hash */
    seen(id: number): boolean {
      const place = placeIn(table, id);
      if (place >= 0) return true;
      table[~place] = id;
      count++;
      if (2 * count >= table.length) grow();
      return false;
    },
  };
}

const FREE_SLOT = 0;

/** The place of an id; if absent, `~place` of the free place for it, which is negative. */
function placeIn(table: Float64Array, id: number): number {
  const mask = table.length - 1;
  for (let place = id & mask; ; place = (place + 1) & mask) {
    if (table[place] === FREE_SLOT) return ~place;
    if (table[place] === id) return place;
  }
}
