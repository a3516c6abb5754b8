import type { ChalkInstance } from 'chalk';
import type { Sighting } from './arrivals.ts';
import type { DemoFacts } from './facts.ts';
export interface DemoStory { readonly facts: DemoFacts; readonly seen: readonly Sighting[]; readonly live: boolean }
export function closingText(story: DemoStory, _style: ChalkInstance, _columns: number | undefined): string {
  return JSON.stringify(story.facts, null, 1) + JSON.stringify(story.seen);
}
