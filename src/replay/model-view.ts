import { type Message, type ToolUse, toolUseBlock } from '../core/exact/message.ts';
import { sumOf } from '../core/text/sum-of.ts';
import { inputText } from './observers/fact-places.ts';
import { ownWords } from './words-used.ts';

/** A tool call, with its result and the contents that the model wrote. */
export interface FetchedResult {
  readonly use: ToolUse;
  readonly text: string;
}

/** Maximum UTF-16 code units of removed texts; the oldest are forgotten first. */
const MAX_KEPT = 64 * 1024 * 1024;

/** Tracks the texts that the model sees, and the results that compactions removed. */
export function createModelView() {
  let seen: string[] = [];
  /** Calls that the context holds, by id; those without a result are still open. */
  let calls = new Map<string, ToolUse>();
  let held: FetchedResult[] = [];
  const gone: FetchedResult[] = [];
  /** Words found since the last compaction. */
  const known = new Set<string>();

  function isSeen(word: string): boolean {
    if (!known.has(word) && seen.some((text) => text.includes(word))) known.add(word);
    return known.has(word);
  }

  function say({ text, toolUses, toolResults = [] }: Message): void {
    for (const use of toolUses) calls.set(use.tool_use_id, use);
    seen.push(
      text,
      ...toolUses.map((use) => inputText(toolUseBlock(use))),
      ...toolResults.map((result) => result.text),
    );
    for (const { tool_use_id: id, text: result } of toolResults) {
      const use = calls.get(id);
      if (use === undefined) continue;
      held.push({ use, text: [result, ...ownWords(toolUseBlock(use))].join('\n') });
    }
  }

  function clear(): void {
    [seen, held] = [[], []];
    calls = new Map();
    known.clear();
  }

  return {
    say,
    /** The caller starts a new context. Nothing is fetched again for it. */
    renew(): void {
      clear();
      gone.length = 0;
    },
    /** Applies a compaction. @param whole ids of the tool calls that stay whole */
    replace(messages: readonly Message[], whole: readonly string[]): void {
      gone.push(...held.filter(({ use }) => !whole.includes(use.tool_use_id)));
      for (
        let kept = sumOf(gone, ({ text }) => text.length);
        kept > MAX_KEPT;
        kept -= gone.shift()?.text.length ?? kept
      );
      clear();
      messages.forEach(say);
    },
    /** The last removed result with a word that the model does not see. */
    missing: (word: string): FetchedResult | undefined =>
      gone.length === 0 || isSeen(word) ? undefined : gone.findLast(({ text }) => text.includes(word)),
  };
}
