import type { HealthEntry } from './parse-health.ts';

/** Counts sessions over records that arrive in any order. */
export interface SessionCount {
  add(entry: HealthEntry): void;
  /** Sessions, and how many of them had their context exhausted at least once. */
  result(): { readonly sessions: number; readonly exhausted: number };
}

/**
 * A session is one conversation, under however many ids: a handoff gives claude a new id in the same run, and a
 * conversation that is resumed goes on under its id in another run. So all records belong to one session that a run or
 * an id connects.
 */
export function createSessionCount(): SessionCount {
  const parents = new Map<string, string>();
  const exhausted = new Set<string>();

  function rootOf(name: string): string {
    let root = name;
    for (let parent = parents.get(root); parent !== undefined && parent !== root; parent = parents.get(root)) {
      root = parent;
    }
    // The next look is one step.
    parents.set(name, root);
    return root;
  }

  return {
    add({ project, run, session, details }) {
      const inRun = rootOf(JSON.stringify(['run', project, run]));
      if (session !== null) parents.set(rootOf(JSON.stringify(['session', project, session])), inRun);
      if (details.event === 'exhausted') exhausted.add(inRun);
    },
    result: () => ({
      sessions: new Set([...parents.keys()].map(rootOf)).size,
      exhausted: new Set([...exhausted].map(rootOf)).size,
    }),
  };
}
