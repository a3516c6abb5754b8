/** Results that ctxb has cut, as the main thread used them. */
type CutResults = Readonly<typeof NO_CUTS>;

export const NO_CUTS = {
  /** Ids of the last tool calls with a cut result: the rest is in files of these names. */
  ids: [] as readonly string[],
  /** Tokens that were left out, and that nobody has fetched. */
  tokens: 0,
  /** Number of calls that fetched omitted text. */
  calls: 0,
};

/** Most ids that are remembered. */
const MAX_IDS = 50;

/** @param tokens that were left out of the result */
export function withCut({ ids, tokens: all, calls }: CutResults, id: string, tokens: number): CutResults {
  return { ids: [...ids, id].slice(-MAX_IDS), tokens: all + tokens, calls };
}

/** Whether a call of a tool fetches the rest of a cut result: it names the file. */
export function fetchesRest({ ids }: CutResults, input: unknown): boolean {
  if (ids.length === 0) return false;
  const words = JSON.stringify(input);
  return ids.some((id) => words.includes(id));
}

/** @param size tokens of the rest that was fetched */
export function withRest({ ids, tokens, calls }: CutResults, size: number): CutResults {
  return { ids, tokens: Math.max(0, tokens - size), calls: calls + 1 };
}
