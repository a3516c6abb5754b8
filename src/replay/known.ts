/**
 * What the parts of a replay know so far. Each keeps it in one plain object of its own, which `structuredClone` could
 * copy, and changes that in place: so all of it can be saved at any line, and gone on with by the same program.
 */
export interface Known {
  /**
   * The object of one part.
   *
   * @param part a name that no other part has
   * @param beginning what it knows before the first line
   */
  of<T extends object>(part: string, beginning: T): T;
  /** All of them by part; changes with the next line. */
  readonly parts: Parts;
}

export type Parts = ReadonlyMap<string, object>;

/** @param saved what the same program, with the same options, knew at the line before */
export function createKnown(saved: Parts = new Map()): Known {
  const parts = new Map<string, object>();
  return {
    of<T extends object>(part: string, beginning: T): T {
      if (parts.has(part)) throw new Error(`two parts are called ${part}`);
      const own = (saved.get(part) as T | undefined) ?? beginning;
      parts.set(part, own);
      return own;
    },
    parts,
  };
}
