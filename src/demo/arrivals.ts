import type { RecordedRequest } from '../standin/scenario.ts';
import { readBlocks } from '../stream/blocks.ts';
import type { Block } from '../stream/events.ts';

/** What one request to the stand-in held of the demo's prompts. Counts by prompt, in the prompts' order. */
export interface Sighting {
  readonly kind: 'main' | 'summary';
  /** The prompt as a text of its own: how it comes when it was said. */
  readonly said: readonly number[];
  /** The prompt inside a longer text: how it comes when it is handed back. */
  readonly quoted: readonly number[];
}

/** The demo's prompts in the requests of the main conversation and in those for summaries. */
export function sightings(requests: readonly RecordedRequest[], prompts: readonly string[]): Sighting[] {
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

/** claude puts what hooks say into reminders, also at the end of tool results, or into messages of the system's. */
function isQuoted(block: Block, prompt: string): boolean {
  const hasText = block.type === 'text' || block.type === 'tool_result';
  return hasText && block.text.includes(prompt) && !isSaid(block, prompt);
}

/**
 * How often the prompt was said to the model. Each request repeats the whole conversation, so it is an arrival only
 * where there are more of it than in the request before.
 */
export function arrivals(seen: readonly Sighting[], prompt: number): number {
  const counts = mainRequests(seen).map(({ said }) => said[prompt] ?? 0);
  return counts.reduce((sum, count, index) => sum + Math.max(0, count - (counts[index - 1] ?? 0)), 0);
}

/** Requests in which the prompt stands only because it was handed back. */
export function handedBack(seen: readonly Sighting[], prompt: number): number {
  return mainRequests(seen).filter(({ said, quoted }) => said[prompt] === 0 && (quoted[prompt] ?? 0) > 0).length;
}

/** Whether a request for a summary held a prompt before that prompt had been said: it would be lost in the summary. */
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
