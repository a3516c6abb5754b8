import type { RecordedRequest } from '../standin/scenario.ts';
import { readBlocks } from '../stream/blocks.ts';

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
    const texts = (body.messages ?? []).filter(({ role }) => role === 'user').flatMap(({ content }) => textsOf(content));
    const said = prompts.map((prompt) => texts.filter((text) => text === prompt).length);
    const quoted = prompts.map((prompt) => texts.filter((text) => text !== prompt && text.includes(prompt)).length);
    return [{ kind, said, quoted }];
  });
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

function mainRequests(seen: readonly Sighting[]): Sighting[] {
  return seen.filter(({ kind }) => kind === 'main');
}

function textsOf(content: unknown): string[] {
  return readBlocks(content).flatMap((block) => (block.type === 'text' ? [block.text.trim()] : []));
}
