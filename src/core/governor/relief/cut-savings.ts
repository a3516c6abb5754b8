import { jsonText } from '../../protocol/fields.ts';

/** The results that ctxb has cut, and how often the model fetched the rest. */
type CutResults = Readonly<typeof NO_CUTS>;

export const NO_CUTS = {
  /** Ids of the last tool calls with a cut result. The file with the rest is named after the id. */
  ids: [] as readonly string[],
  /** Tokens that ctxb cut and the model has not fetched. */
  tokens: 0,
  /** Number of calls that fetched the rest of a result. */
  calls: 0,
};

/** Maximum number of ids that are kept. */
const MAX_IDS = 50;

/** Adds a cut result. @param tokens cut from the result */
export function withCut(cuts: CutResults, id: string, tokens: number): CutResults {
  return { ...cuts, ids: [...cuts.ids, id].slice(-MAX_IDS), tokens: cuts.tokens + tokens };
}

/** Whether a tool call names the file with the rest of a cut result. */
export function fetchesRest({ ids }: CutResults, input: unknown): boolean {
  if (ids.length === 0) return false;
  const words = jsonText(input);
  return ids.some((id) => words.includes(id));
}

/** Counts a call that fetched the rest of a result. @param size tokens of the rest */
export function withFetchedRest(cuts: CutResults, size: number): CutResults {
  return { ...cuts, tokens: Math.max(0, cuts.tokens - size), calls: cuts.calls + 1 };
}
