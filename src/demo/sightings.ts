import { readBlocks } from '../core/protocol/blocks.ts';
import type { Block } from '../core/protocol/events.ts';
import type { RecordedRequest } from '../standin/scenario.ts';

/** How often each prompt occurs as a text block in a request. */
export type Sighting = readonly number[];

/** Looks for the prompts in each request of the main conversation. */
export function sightings(requests: readonly RecordedRequest[], prompts: readonly string[]): Sighting[] {
  return requests.flatMap(({ kind, body }) => {
    if (kind !== 'main') return [];
    const blocks = (body.messages ?? []).flatMap(({ role, content }) =>
      role === 'assistant' ? [] : readBlocks(content),
    );
    return [prompts.map((prompt) => blocks.filter((block) => isPrompt(block, prompt)).length)];
  });
}

function isPrompt(block: Block, prompt: string): boolean {
  return block.type === 'text' && block.text.trim() === prompt;
}

/**
 * How often the prompt reached the model. Each request repeats the whole conversation, so only increases over the
 * previous request count.
 */
export function arrivals(seen: readonly Sighting[], prompt: number): number {
  const counts = seen.map((times) => times[prompt] ?? 0);
  return counts.reduce((sum, count, index) => sum + Math.max(0, count - (counts[index - 1] ?? 0)), 0);
}
