import { readBlocks } from '../core/protocol/blocks.ts';
import type { Block } from '../core/protocol/events.ts';
import type { RecordedRequest } from '../standin/scenario.ts';

export type Sighting = Readonly<ReturnType<typeof sightings>[number]>;

/** How often each of the demo's prompts stands in a request of the main conversation as a text of its own. */
export function sightings(requests: readonly RecordedRequest[], prompts: readonly string[]) {
  return requests.flatMap(({ kind, body }) => {
    if (kind !== 'main' && kind !== 'summary') return [];
    const blocks = (body.messages ?? []).flatMap(({ role, content }) =>
      role === 'assistant' ? [] : readBlocks(content),
    );
    return [{ kind, said: prompts.map((prompt) => blocks.filter((block) => isSaid(block, prompt)).length) }];
  });
}

function isSaid(block: Block, prompt: string): boolean {
  return block.type === 'text' && block.text.trim() === prompt;
}

/**
 * How often the prompt reached the model. Each request repeats the whole conversation, so only an increase over the
 * request before counts.
 */
export function arrivals(seen: readonly Sighting[], prompt: number): number {
  const counts = seen.filter(({ kind }) => kind === 'main').map(({ said }) => said[prompt] ?? 0);
  return counts.reduce((sum, count, index) => sum + Math.max(0, count - (counts[index - 1] ?? 0)), 0);
}
