import type { Flow } from '../flow.ts';

export type StepOrder = ReturnType<typeof orderSteps>;

/**
 * Orders the steps of a checked flow. A step sees the outputs of the steps in its `needs`, of their needs, and so on; a
 * step without the key `needs` follows and sees all steps above it. All steps that a step sees end before it starts, so
 * its briefing does not depend on how many steps run in parallel.
 */
export function orderSteps({ steps }: Pick<Flow, 'steps'>) {
  const byId = new Map(steps.map((step) => [step.id, step]));
  const needs = stepGraph(steps);
  const ids = inSequence(needs);
  const stepsOf = (some: readonly string[]) => some.flatMap((id) => byId.get(id) ?? []);
  return {
    /** File order, except that a step follows the steps that it needs. */
    sequence: stepsOf(ids),
    /** Steps of one stage do not need each other: they can run in parallel after the earlier stages. */
    stages: inStages(ids, needs).map(stepsOf),
    needs,
    ...historyOf(ids, needs),
  };
}

/** Orders the ids so that each follows its needs, otherwise as in the graph. */
function inSequence(needs: StepGraph): string[] {
  const sequence = new Set<string>();
  for (const id of needs.keys()) visit(id);
  return [...sequence];

  function visit(id: string): void {
    if (sequence.has(id)) return;
    for (const need of needs.get(id) ?? []) visit(need);
    sequence.add(id);
  }
}

function inStages(sequence: readonly string[], needs: StepGraph): string[][] {
  const stages: string[][] = [];
  const stageOf = new Map<string, number>();
  for (const id of sequence) {
    const stage = Math.max(-1, ...(needs.get(id) ?? []).map((need) => stageOf.get(need) ?? -1)) + 1;
    stageOf.set(id, stage);
    stages[stage] = [...(stages[stage] ?? []), id];
  }
  return stages;
}

function historyOf(sequence: readonly string[], needs: StepGraph) {
  /** By step id: its needs without those implied by its other needs, latest first. */
  const directNeeds = new Map<string, string[]>();
  /** By step id: the steps whose output it sees, oldest first. */
  const history = new Map<string, string[]>();
  for (const [index, id] of sequence.entries()) {
    const before = sequence.slice(0, index);
    const need = new Set(needs.get(id));
    const seen = new Set<string>();
    // Start with the latest: the steps that it sees include most of the others.
    const own = before.toReversed().filter((older) => {
      if (!need.has(older) || seen.has(older)) return false;
      for (const each of [older, ...(history.get(older) ?? [])]) seen.add(each);
      return true;
    });
    directNeeds.set(id, own);
    history.set(
      id,
      before.filter((older) => seen.has(older)),
    );
  }
  return { direct: directNeeds, history };
}

/** By step id: the steps that must end before it, in file order. */
export type StepGraph = ReadonlyMap<string, readonly string[]>;

/** Further cycles come from the same few needs and add nothing. */
const MAX_CYCLES = 20;

/** The needs of each step; a step without the key `needs` needs all steps above it. */
export function stepGraph(
  steps: Iterable<{ readonly id: string; readonly needs?: readonly string[] | undefined }>,
): StepGraph {
  const graph = new Map<string, readonly string[]>();
  for (const { id, needs } of steps) graph.set(id, needs ?? [...graph.keys()]);
  return graph;
}

/** Cycles of needs, each as a list of ids whose first and last are equal. */
export function findCycles(graph: StepGraph): string[][] {
  const cycles: string[][] = [];
  const done = new Set<string>();
  const trail = new Map<string, number>();
  for (const id of graph.keys()) visit(id);
  return cycles;

  function visit(id: string): void {
    const from = trail.get(id);
    if (from !== undefined && cycles.length < MAX_CYCLES) cycles.push([...[...trail.keys()].slice(from), id]);
    if (from !== undefined || done.has(id)) return;
    trail.set(id, trail.size);
    for (const need of graph.get(id) ?? []) visit(need);
    trail.delete(id);
    done.add(id);
  }
}
