import { readBlocks } from '../core/protocol/blocks.ts';
import type { Block } from '../core/protocol/events.ts';
import type { RecordedRequest } from '../standin/scenario.ts';

export type Sighting = Readonly<ReturnType<typeof sightings>[number]>;

/**
 * The demo's prompts in the requests of the main conversation and in those for summaries, as counts in their order. `said`:
 * as a text of its own, sent by the user. `quoted`: inside a longer text, handed back by ctxb.
 */
export function sightings(requests: readonly RecordedRequest[], prompts: readonly string[]) {
  return requests.flatMap(({ kind, body }) => {
    if (kind !== 'main' && kind !== 'summary') return [];
    const blocks = (body.messages ?? []).flatMap(({ role, content }) =>
      role === 'assistant' ? [] : readBlocks(content),
    );
    const count = (fits: (block: Block, prompt: string) => boolean) =>
      prompts.map((prompt) => blocks.filter((block) => fits(block, prompt)).length);
    return [{ kind, said: count(isSaid), quoted: count(isQuoted) }];
  });
}

function isSaid(block: Block, prompt: string): boolean {
  return block.type === 'text' && block.text.trim() === prompt;
}

/** claude puts the output of hooks into reminders, at the end of tool results, or into system messages. */
function isQuoted(block: Block, prompt: string): boolean {
  const hasText = block.type === 'text' || block.type === 'tool_result';
  return hasText && block.text.includes(prompt) && !isSaid(block, prompt);
}

/**
 * How often the prompt reached the model. Each request repeats the whole conversation, so only an increase over the
 * request before counts.
 */
export function arrivals(seen: readonly Sighting[], prompt: number): number {
  const counts = mainRequests(seen).map(({ said }) => said[prompt] ?? 0);
  return counts.reduce((sum, count, index) => sum + Math.max(0, count - (counts[index - 1] ?? 0)), 0);
}

/** Requests in which the prompt stands only because it was handed back. */
export function handedBack(seen: readonly Sighting[], prompt: number): number {
  return mainRequests(seen).filter(({ said, quoted }) => said[prompt] === 0 && (quoted[prompt] ?? 0) > 0).length;
}

/** Whether a request for a summary held a prompt that had not been sent yet: it would be lost in the summary. */
export function hasMixedIn(seen: readonly Sighting[]): boolean {
  return seen.some(
    ({ kind, said }, at) =>
      kind === 'summary' && said.some((count, prompt) => count > 0 && !wasSaid(seen.slice(0, at), prompt)),
  );
}

function wasSaid(seen: readonly Sighting[], prompt: number): boolean {
  return mainRequests(seen).some(({ said }) => (said[prompt] ?? 0) > 0);
}

function mainRequests(seen: readonly Sighting[]): Sighting[] {
  return seen.filter(({ kind }) => kind === 'main');
}
