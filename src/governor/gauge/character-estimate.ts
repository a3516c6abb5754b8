import type { Block } from '../../stream/events.ts';
import { codePoints } from './token-estimate.ts';

/**
 * The estimate for streams without any usage figures: characters of files, tool output and prompts, times an overhead
 * for system prompt, schemas and formatting. Shown as `estimated`, never as a measurement.
 */
export interface CharacterEstimate {
  readonly fileTokens: number;
  readonly toolTokens: number;
  readonly promptTokens: number;
  readonly toolCalls: number;
}

export const NO_CHARACTERS: CharacterEstimate = { fileTokens: 0, toolTokens: 0, promptTokens: 0, toolCalls: 0 };

const CHARS_PER_TOKEN = 4;
const OVERHEAD = 1.3;

/** Tool calls after which the context is taken for full even if the characters say otherwise. */
export const TOOL_CALL_LIMIT = 100;

/** Tokens of one text: a quarter of its code points, at least 1. */
export function textTokens(text: string): number {
  return Math.max(1, Math.floor(codePoints(text) / CHARS_PER_TOKEN));
}

/** Estimated context in tokens. */
export function totalTokens(estimate: CharacterEstimate): number {
  return Math.trunc((estimate.fileTokens + estimate.toolTokens + estimate.promptTokens) * OVERHEAD);
}

export function addPrompt(estimate: CharacterEstimate, text: string): CharacterEstimate {
  return { ...estimate, promptTokens: estimate.promptTokens + textTokens(text) };
}

export function addFile(estimate: CharacterEstimate, text: string): CharacterEstimate {
  return { ...estimate, fileTokens: estimate.fileTokens + textTokens(text), toolCalls: estimate.toolCalls + 1 };
}

export function addToolOutput(estimate: CharacterEstimate, text: string): CharacterEstimate {
  return { ...estimate, toolTokens: estimate.toolTokens + textTokens(text), toolCalls: estimate.toolCalls + 1 };
}

/** What the blocks of a message add: tool results count as tool output, texts as prompts. */
export function addBlocks(estimate: CharacterEstimate, blocks: readonly Block[]): CharacterEstimate {
  return blocks.reduce((sum, block) => {
    if (block.type === 'tool_result') return addToolOutput(sum, block.text);
    return block.type === 'text' ? addPrompt(sum, block.text) : sum;
  }, estimate);
}
