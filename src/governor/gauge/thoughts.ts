import type { Block } from '../../stream/events.ts';
import { type Content, measureBlock, NO_CONTENT } from './estimator.ts';

/**
 * Models whose thoughts of earlier turns the API takes out of the context when a new prompt comes. From Opus 4.5 and
 * Sonnet 4.6 on they stay (Anthropic's documentation of extended thinking, and 1,700 calls of public session logs).
 */
const FORGETS = /claude-(?:3|haiku-4-5|sonnet-4(?:-[05]|-2025)|opus-4(?:-[01]|-2025))/;

/** What the thoughts in a message are expected to take. */
export function thoughtsIn(blocks: readonly Block[]): number {
  return blocks.reduce((sum, block) => (block.type === 'thinking' ? sum + measureBlock(block).prose : sum), 0);
}

/** What a new prompt takes out of the context, as content below zero. */
export function forgotten(model: string | undefined, thoughts: number): Content {
  return FORGETS.test(model ?? '') ? { ...NO_CONTENT, prose: -thoughts } : NO_CONTENT;
}
