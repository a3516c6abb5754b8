import type { Block } from '../../protocol/events.ts';

/** Code points per token until the session's own calls show a better figure. */
export const CHARS_PER_TOKEN = 3.5;

const PAIRS = /[\ud800-\udbff][\udc00-\udfff]/g;

/** Tokens of a text, rounded up; `charsPerToken` counts code points. */
export function estimateTokens(text: string, charsPerToken = CHARS_PER_TOKEN): number {
  return Math.ceil(codePoints(text) / charsPerToken);
}

/** UTF-16 units, less one for every pair of them that is one character. */
export function codePoints(text: string): number {
  let pairs = 0;
  PAIRS.lastIndex = 0;
  while (PAIRS.test(text)) pairs++;
  return text.length - pairs;
}

/**
 * The estimate for streams without any usage figures: characters of files, tool output and prompts, times an overhead
 * for system prompt, schemas and formatting. Shown as `estimated`, never as a measurement.
 */
export type CharacterEstimate = Readonly<typeof NO_CHARACTERS>;

export const NO_CHARACTERS = { fileTokens: 0, toolTokens: 0, promptTokens: 0, toolCalls: 0 };

const CONTEXT_CHARS_PER_TOKEN = 4;
const OVERHEAD = 1.3;

/** Tool calls after which the context counts as full even if the characters say otherwise. */
export const TOOL_CALL_LIMIT = 100;

/** Tokens of one text: a quarter of its code points, at least 1. */
export function textTokens(text: string): number {
  return Math.max(1, Math.floor(codePoints(text) / CONTEXT_CHARS_PER_TOKEN));
}

export function totalTokens(estimate: CharacterEstimate): number {
  return Math.trunc((estimate.fileTokens + estimate.toolTokens + estimate.promptTokens) * OVERHEAD);
}

/** What a text adds; files and what tools say come with a call. */
export function addText(
  estimate: CharacterEstimate,
  from: 'file' | 'tool' | 'prompt',
  text: string,
): CharacterEstimate {
  const tokens = `${from}Tokens` as const;
  const toolCalls = estimate.toolCalls + (from === 'prompt' ? 0 : 1);
  return { ...estimate, toolCalls, [tokens]: estimate[tokens] + textTokens(text) };
}

/** What the blocks of a message add: tool results count as tool output, texts as prompts. */
export function addBlocks(estimate: CharacterEstimate, blocks: readonly Block[]): CharacterEstimate {
  return blocks.reduce((sum, block) => {
    if (block.type === 'tool_result') return addText(sum, 'tool', block.text);
    return block.type === 'text' ? addText(sum, 'prompt', block.text) : sum;
  }, estimate);
}
