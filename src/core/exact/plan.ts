/**
 * What ctxb and its mod inside claude tell each other about an exact compaction, as JSON files in the folder that claude
 * was given with `--plugin-dir`. ctxb copies dist/mod there and writes `hooks/place.js`, which names the folder. The mod
 * writes the file `alive` when claude has started it; that may be a moment after `reload_plugins` is answered.
 */

/** What ctxb tells the mod before a compaction: `plan.json`. Without one the mod leaves compactions to claude. */
export interface ExactPlan {
  readonly version: 1;
  /** What must be said beyond the conversation's own lines: dead ends, failing commands, open tasks, changed files, where the notes are. */
  readonly note: string;
  /** Most that may stay, in tokens by the gauge; system prompt and tools are not counted. */
  readonly budget: number;
  /**
   * What the user said while the model worked, since the last compaction, in order. claude puts such prompts beside the
   * results of tools, where a mod does not see them, and they would be lost with those.
   */
  readonly midTurn?: readonly MidTurnPrompt[] | undefined;
}

export interface MidTurnPrompt {
  readonly text: string;
  /** Id of the last tool call before it. */
  readonly after: string;
}

/** What the mod did: `receipt.json`, replaced at each compaction. */
export interface ExactReceipt {
  readonly version: 1;
  /** Compactions that the mod was asked for since it was loaded. */
  readonly number: number;
  readonly answered: boolean;
  /** Why it left the compaction to claude. */
  readonly why?: string;
  readonly ms: number;
  readonly before: Extent;
  readonly after: Extent;
  readonly prompts: { readonly kept: number; readonly of: number };
  /** Tool calls that stay whole, in a line, or not at all. */
  readonly steps: { readonly whole: number; readonly lines: number; readonly gone: number };
}

/** Messages as claude tells them to the mod, one a content block, and their tokens by the gauge. */
export interface Extent {
  readonly messages: number;
  readonly tokens: number;
}
