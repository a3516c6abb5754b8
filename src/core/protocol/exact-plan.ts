/**
 * ctxb and its mod inside claude exchange JSON files in the folder that claude gets with `--plugin-dir`. ctxb copies
 * dist/mod there and writes `hooks/place.js`, which names the folder. The mod writes the file `alive` when claude has
 * started it, possibly shortly after the answer to `reload_plugins`.
 */

/** ctxb's plan for the mod before a compaction: `plan.json`. Without a plan the mod leaves compactions to claude. */
export interface ExactPlan {
  readonly version: 1;
  /** Facts that the kept rows lack: dead ends, failing commands, open tasks, changed files, the place of the notes. */
  readonly note: string;
  /** The user's words. The mod adds to the note those that the conversation lacks, up to `room` UTF-16 units. */
  readonly said?: UserWords & { readonly room: number };
  /** Maximum tokens that may stay, by the gauge, without system prompt and tools. */
  readonly budget: number;
  /** Applies at claude's own level. If more must stay, claude compacts by itself. */
  readonly summary?: SummaryBound | undefined;
  /** Tool calls whose results are likely to be used again; they stay whole, within the budget. */
  readonly keep?: readonly string[];
  /**
   * Messages during turns since the last compaction, in order: the user's words, and claude's reports of background
   * tasks. claude puts them beside tool results, where a mod does not see them, and a compaction would lose them.
   */
  readonly midTurn?: readonly MidTurnPrompt[] | undefined;
  /** All known prompts since the context began, one text per block, even if they look like claude's messages. */
  readonly prompts?: readonly string[] | undefined;
}

/** Bounds a compaction to the size that claude's own summary would leave. */
export interface SummaryBound {
  /** Maximum tokens in addition to the open step. */
  readonly room: number;
  /** Tokens of a conversation at claude's own level. claude may compact a smaller one at a level that ctxb has moved. */
  readonly from: number;
}

/** The user's words, for a context that has lost them. */
export interface UserWords {
  /** Newest first. */
  readonly prompts: readonly Request[];
  /** The file that contains all prompts. */
  readonly file: string;
}

export interface Request {
  /** Number of the prompt in the notes. */
  readonly number: number;
  /** On one line; of a long prompt both ends. */
  readonly text: string;
}

export interface MidTurnPrompt {
  readonly text: string;
  /** Id of the preceding tool call. */
  readonly after: string;
}

/** The mod's report: `receipt.json`, replaced at each compaction. */
export interface ExactReceipt {
  readonly version: 1;
  /** Number of compaction requests since the mod was loaded. */
  readonly number: number;
  readonly answered: boolean;
  /** Why the mod left the compaction to claude. */
  readonly why?: string;
  readonly ms: number;
  readonly before: Extent;
  readonly after: Extent;
  readonly prompts: { readonly kept: number; readonly of: number };
  /** Number of tool calls that stay whole, become a line, or are dropped. */
  readonly steps: { readonly whole: number; readonly lines: number; readonly gone: number };
  /** Ids of the tool calls that stay whole. */
  readonly whole: readonly string[];
}

/** Number of messages as a mod receives them, one for each content block, and their tokens by the gauge. */
export interface Extent {
  readonly messages: number;
  readonly tokens: number;
}

/** Evidence that ctxb gives back after a summary, in tokens. */
export const RESTORE_TOKENS = 1_500;

/** Why the mod leaves a compaction to claude although it could answer. */
export const TOO_LARGE = 'what ctxb keeps would be larger than it, and the run may not cost more now';

/**
 * @param heardTexts messages during turns that the mod knows; the last ones may be newer than the plan
 * @param said all prompts that the mod knows
 * @param isOwn whether claude compacts at its own level, and not by a command
 * @throws {Error} with the problem of the plan
 */
export function readPlan(
  text: string | undefined,
  heardTexts: readonly string[],
  said: readonly string[] = [],
  isOwn = false,
): ExactPlan {
  if (text === undefined) throw new Error('there is no plan');
  // The version shows that this ctxb wrote the plan, in this shape.
  const { summary, prompts = [], midTurn = [], ...plan } = JSON.parse(text) as ExactPlan;
  if (plan.version !== 1) throw new Error(`the plan's version is ${JSON.stringify(plan.version)}, expected 1`);
  const planned = midTurn.map((prompt) => prompt.text);
  const newer = withoutKnown(planned, heardTexts, (heard) => heard);
  return {
    ...plan,
    summary: isOwn ? summary : undefined,
    prompts: [...prompts, ...said],
    midTurn: [...midTurn, ...newer.map((heard) => ({ text: heard, after: '' }))],
  };
}

/** The items whose key is not in `known`. A key that occurs several times must occur in `known` as often. */
export function withoutKnown<T>(known: readonly string[], all: readonly T[], keyOf: (one: T) => string): T[] {
  const unmatched = [...known];
  return all.filter((one) => {
    const at = unmatched.indexOf(keyOf(one));
    if (at >= 0) unmatched.splice(at, 1);
    return at < 0;
  });
}

export function shareLeft({ before, after }: ExactReceipt): number {
  return after.tokens / Math.max(1, before.tokens);
}

/** Whether the compaction removed next to nothing. */
export function leavesAll({ before, after }: ExactReceipt): boolean {
  return before.tokens - after.tokens < Math.max(200, before.tokens / 100);
}
