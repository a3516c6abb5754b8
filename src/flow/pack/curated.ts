import type { CuratorEffect } from './receipt.ts';
import type { Candidate, Selection } from './select.ts';

/** What a curator found to matter: steps by id, files by path. They are raised; what fits is still up to the budget. */
export interface CuratedChoice {
  readonly steps: readonly string[];
  readonly files: readonly string[];
}

/** Compares what is in with what would be in by priority alone. */
export function curatorEffect(
  { steps, files }: CuratedChoice,
  candidates: readonly Candidate[],
  { chosen, mechanical }: { readonly chosen: Selection; readonly mechanical: Selection },
): CuratorEffect {
  const known = new Set(candidates.map(({ item }) => item.stepId));
  const only = (one: Selection, other: Selection) =>
    candidates.filter(({ index }) => one.blocks.has(index) && !other.blocks.has(index)).map(({ item }) => item.stepId);
  return {
    steps: steps.filter((id) => known.has(id)),
    files,
    unknown_steps: steps.filter((id) => !known.has(id)),
    brought_in: only(chosen, mechanical),
    pushed_out: only(mechanical, chosen),
  };
}
