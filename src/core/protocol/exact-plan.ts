import { countOf, fieldsOf, listOf, stringOf, textsOf } from './fields.ts';

/**
 * What ctxb and its mod inside claude tell each other about an exact compaction, as JSON files in the folder that claude
 * was given with `--plugin-dir`. ctxb copies dist/mod there and writes `hooks/place.js`, which names the folder. The mod
 * writes the file `alive` when claude has started it; that may be a moment after `reload_plugins` is answered.
 */

/** ctxb's plan for the mod before a compaction: `plan.json`. Without a plan the mod leaves compactions to claude. */
export interface ExactPlan {
  readonly version: 1;
  /**
   * Facts that the conversation's own lines lack: dead ends, failing commands, open tasks, changed files, the place of
   * the notes.
   */
  readonly note: string;
  /** The user's words. The note has those that the conversation lacks, in at most `room` UTF-16 units. */
  readonly said?: UserWords & { readonly room: number };
  /** Most that may stay, in tokens by the gauge; system prompt and tools are not counted. */
  readonly budget: number;
  /** Tool calls whose results are likely to be used again: they stay whole, within the budget. */
  readonly keep?: readonly string[];
  /**
   * What was told while the model worked, since the last compaction, in order: what the user said, and claude's reports
   * of tasks in the background. claude puts them beside the results of tools, where a mod does not see them, and they
   * would be lost with those.
   */
  readonly midTurn?: readonly MidTurnPrompt[] | undefined;
  /** The known prompts of the user since the context began, block by block, whatever they look like. */
  readonly prompts?: readonly string[] | undefined;
}

/** The user's words in a conversation, in short, for a context that has lost them. */
export interface UserWords {
  /** Rules for more than one prompt, word for word: of the newest prompt first, then in their order. */
  readonly constraints: readonly string[];
  /** The newest first. */
  readonly prompts: readonly Request[];
  /** The file with all prompts. */
  readonly file: string;
}

export interface Request {
  /** Number of the prompt in the notes. */
  readonly number: number;
  /** Its first sentences. */
  readonly text: string;
}

export interface MidTurnPrompt {
  readonly text: string;
  /** Id of the last tool call before it. */
  readonly after: string;
}

/** The mod's report: `receipt.json`, replaced at each compaction. */
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
  /** Ids of the tool calls that stay whole. */
  readonly whole: readonly string[];
}

/** Number of messages as a mod gets them, one for each content block, and their tokens by the gauge. */
export interface Extent {
  readonly messages: number;
  readonly tokens: number;
}

/**
 * Reads `plan.json`.
 *
 * @param heard what was said in mid-turn as far as the mod knows: the last of it may be newer than the plan
 * @param said all that was said as far as the mod knows
 * @throws {Error} that says what is wrong with the plan
 */
export function readPlan(text: string | undefined, heard: readonly string[], said: readonly string[] = []): ExactPlan {
  if (text === undefined) throw new Error('there is no plan');
  const { version, note, said: words, budget, keep, midTurn, prompts } = fieldsOf(JSON.parse(text));
  if (version !== 1) throw new Error(`the plan's version is ${JSON.stringify(version)}, expected 1`);
  if (typeof note !== 'string') throw new Error('the plan has no note');
  if (typeof budget !== 'number' || !(budget > 0)) throw new Error('the plan has no budget');
  return {
    version,
    note,
    said: readWords(words),
    budget,
    keep: textsOf(keep),
    prompts: [...textsOf(prompts), ...said],
    midTurn: withNewer(listOf(midTurn).flatMap(readPrompt), heard),
  };
}

function readWords(value: unknown): NonNullable<ExactPlan['said']> {
  const { constraints, prompts, file, room } = fieldsOf(value);
  const requests = listOf(prompts)
    .map(fieldsOf)
    .map(({ number, text }) => ({ number: countOf(number) ?? 0, text: stringOf(text) }));
  return { constraints: textsOf(constraints), prompts: requests, file: stringOf(file), room: countOf(room) ?? 0 };
}

function withNewer(planned: readonly MidTurnPrompt[], heard: readonly string[]): MidTurnPrompt[] {
  const said = heard.map((text) => ({ text, after: '' }));
  return [
    ...planned,
    ...notAmong(
      planned.map(({ text }) => text),
      said,
      ({ text }) => text,
    ),
  ];
}

/** The unknown ones; a repeated text must be known as often as it occurs. */
export function notAmong<T>(known: readonly string[], all: readonly T[], keyOf: (one: T) => string): T[] {
  const left = [...known];
  return all.filter((one) => {
    const at = left.indexOf(keyOf(one));
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
}

function readPrompt(value: unknown): MidTurnPrompt[] {
  const { text, after } = fieldsOf(value);
  return typeof text === 'string' && typeof after === 'string' ? [{ text, after }] : [];
}

/** The share of the context that a compaction leaves. */
export function shareLeft({ before, after }: ExactReceipt): number {
  return after.tokens / Math.max(1, before.tokens);
}

/** It has left next to all, and so only written again what stood there. */
export function leavesAll(receipt: ExactReceipt): boolean {
  return shareLeft(receipt) > 0.99;
}
