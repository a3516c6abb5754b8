/** The ids of the steps that must be over before each step, by its id; in the order of the file. */
export type StepGraph = ReadonlyMap<string, readonly string[]>;

/** More are not worth reading: they are of the same few needs. */
const MAX_CYCLES = 20;

/** A step that names no needs, not even none, follows all steps above it. */
export function stepGraph(
  steps: Iterable<{ readonly id: string; readonly needs: readonly string[] | undefined }>,
): StepGraph {
  const graph = new Map<string, readonly string[]>();
  for (const { id, needs } of steps) graph.set(id, needs ?? [...graph.keys()]);
  return graph;
}

/** Ways that lead from a step back to it, over what each one needs; the step is at both ends. */
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
    for (const needed of graph.get(id) ?? []) visit(needed);
    trail.delete(id);
    done.add(id);
  }
}
