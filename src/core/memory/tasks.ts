import { putNewest } from '../text/put-newest.ts';
import type { TaskEntry } from './entry.ts';

const MAX_TASKS = 500;

export type Tasks = ReturnType<typeof createTasks>;

/** The task lists of all agents. Mutable, with bounded size. */
export function createTasks() {
  const tasks = new Map<string, TaskEntry>();
  const select = (isWanted: (task: TaskEntry) => boolean) => [...tasks.values()].filter(isWanted);
  const all = {
    add(entry: TaskEntry): void {
      const key = `${entry.agent ?? ''}\n${entry.id}`;
      if (entry.status === 'deleted') tasks.delete(key);
      else putNewest(tasks, key, entry, MAX_TASKS);
    },
    /** The tasks of an agent by their ids. */
    of: (agent: string | null) => new Map(select((task) => task.agent === agent).map((task) => [task.id, task])),
    underWay: () => select(({ status }) => status === 'in_progress'),
    planned: () => select(({ status }) => status !== 'in_progress' && status !== 'completed'),
    /** Uncompleted tasks: tasks in progress first, then in order of their last change. */
    open: () => [...all.underWay(), ...all.planned()],
    /** Completed tasks, newest first. */
    completed: () => select(({ status }) => status === 'completed').reverse(),
    get total() {
      return tasks.size;
    },
  };
  return all;
}
