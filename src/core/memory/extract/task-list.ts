import { type Fields, fieldsOf, listOf, textOf } from '../../protocol/fields.ts';
import type { TaskEntry } from '../entry.ts';
import { remember } from '../remember.ts';
import { LINE_LENGTH, oneLine } from '../words.ts';

/** Follows the task lists that agents keep with their own tools. */
export interface TaskList {
  /** What changed by a tool call that succeeded. */
  add(call: TaskCall): TaskEntry[];
  /** What was noted of a task before. */
  earlier(entry: TaskEntry): void;
}

export interface TaskCall {
  readonly t: number;
  readonly name: string;
  readonly agent: string | null;
  readonly input: unknown;
  readonly text: string;
  readonly report: unknown;
}

type Change = Pick<TaskEntry, 'id' | 'subject' | 'status'>;

const CREATED = /^Task #(\S+) created successfully: (.*)/;

/** The lists of the newest agents are kept. */
const MAX_AGENTS = 64;

export function createTaskList(): TaskList {
  const lists = new Map<string | null, Map<string, Change>>();

  function listOf(agent: string | null): Map<string, Change> {
    const list = lists.get(agent) ?? new Map<string, Change>();
    remember(lists, agent, list, MAX_AGENTS);
    return list;
  }

  function put(list: Map<string, Change>, { id, subject, status }: Change): void {
    if (status === 'deleted') list.delete(id);
    else list.set(id, { id, subject, status });
  }

  return {
    earlier: (entry) => put(listOf(entry.agent), entry),
    add(call) {
      const list = listOf(call.agent);
      const changes = changesOf(call, list).filter(({ id, status, subject }) => {
        const known = list.get(id);
        return known?.status !== status || known.subject !== subject;
      });
      for (const change of changes) put(list, change);
      return changes.map((change) => ({ kind: 'task', t: call.t, agent: call.agent, ...change }));
    },
  };
}

function changesOf({ name, input, text, report }: TaskCall, list: ReadonlyMap<string, Change>): Change[] {
  const fields = fieldsOf(input);
  switch (name) {
    case 'TodoWrite':
      return rewritten(fields, list);
    case 'TaskCreate':
      return created(fields, text, fieldsOf(fieldsOf(report).task));
    case 'TaskUpdate': {
      const id = textOf(fields.taskId) ?? '';
      const known = list.get(id);
      const status = textOf(fields.status) ?? known?.status;
      if (id === '' || status === undefined) return [];
      return [{ id, subject: subjectOf(fields.subject) ?? known?.subject ?? `task ${id}`, status }];
    }
    default:
      return [];
  }
}

/** Every call has the whole list; items are identified by their text, and one that is missing was removed. */
function rewritten(fields: Fields, list: ReadonlyMap<string, Change>): Change[] {
  const items = listOf(fields.todos)
    .map(fieldsOf)
    .flatMap((item) => {
      const subject = subjectOf(item.content);
      return subject === undefined ? [] : [{ id: subject, subject, status: textOf(item.status) ?? 'pending' }];
    });
  const kept = new Set(items.map(({ id }) => id));
  const gone = [...list.values()].filter(({ id, status }) => !kept.has(id) && status !== 'completed');
  return [...gone.map((item) => ({ ...item, status: 'deleted' })), ...items];
}

function created(fields: Fields, text: string, task: Fields): Change[] {
  const said = CREATED.exec(text);
  const id = textOf(task.id) ?? said?.[1];
  const subject = subjectOf(task.subject) ?? subjectOf(fields.subject) ?? subjectOf(said?.[2]);
  return id === undefined || subject === undefined ? [] : [{ id, subject, status: 'pending' }];
}

function subjectOf(value: unknown): string | undefined {
  const text = textOf(value);
  return text === undefined || text === '' ? undefined : oneLine(text, LINE_LENGTH);
}
