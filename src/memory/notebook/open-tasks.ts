import type { TaskEntry } from '../entry.ts';
import { remember } from '../remember.ts';

const MAX_TASKS = 500;

/** The agents' own task lists, as they stand. */
export interface OpenTasks {
  add(entry: TaskEntry): void;
  /** Not done yet: what is in progress first, then in the order they came up. */
  open(): TaskEntry[];
  /** Done, the newest first. */
  completed(): TaskEntry[];
  readonly total: number;
}

export function createOpenTasks(): OpenTasks {
  const tasks = new Map<string, TaskEntry>();
  return {
    add(entry) {
      const key = `${entry.agent ?? ''}\n${entry.id}`;
      if (entry.status === 'deleted') tasks.delete(key);
      else remember(tasks, key, entry, MAX_TASKS);
    },
    open() {
      const open = [...tasks.values()].filter(({ status }) => status !== 'completed');
      const isUnderWay = ({ status }: TaskEntry) => status === 'in_progress';
      return [...open.filter(isUnderWay), ...open.filter((task) => !isUnderWay(task))];
    },
    completed: () => [...tasks.values()].filter(({ status }) => status === 'completed').reverse(),
    get total() {
      return tasks.size;
    },
  };
}
