import type { Event } from '../../protocol/events.ts';
import { type Fields, fieldsOf, listOf, textOf } from '../../protocol/fields.ts';
import type { StateEntry, TaskEntry } from '../entry.ts';
import { remember } from '../remember.ts';
import { LINE_LENGTH, oneLine } from '../words.ts';
import type { EndedCall } from './tool-calls.ts';

type Tracked = 'permission mode' | 'model' | 'session' | 'state';

export function createStates() {
  const now = new Map<Tracked, string>();
  let isDeclared = false;

  function change(what: Tracked, to: string, t: number): StateEntry[] {
    const from = now.get(what);
    now.set(what, to);
    return to === from ? [] : [{ kind: 'state', t, what, ...(from === undefined ? {} : { from }), to }];
  }

  /** The first value of a session is where it starts, not a change. */
  function track(what: Tracked, to: string | undefined, t: number): StateEntry[] {
    const isFirst = !now.has(what);
    const entries = to === undefined ? [] : change(what, to, t);
    return isFirst ? [] : entries;
  }

  return {
    see(event: Event, t: number): StateEntry[] {
      switch (event.kind) {
        case 'init':
          isDeclared = true;
          return [
            ...track('session', event.sessionId, t),
            ...track('model', event.model, t),
            ...track('permission mode', event.permissionMode, t),
          ];
        case 'assistant':
          // Session logs name the model nowhere else.
          return isDeclared ? [] : track('model', event.model, t);
        case 'user':
        case 'mode':
          return track('permission mode', event.permissionMode, t);
        case 'boundary': {
          const size = event.preTokens === undefined ? '' : ` at ${event.preTokens} tokens`;
          return [{ kind: 'state', t, what: 'compaction', to: `${event.trigger}${size}` }];
        }
        case 'reset':
          return [{ kind: 'state', t, what: 'clear', to: 'a new conversation' }];
        default:
          return [];
      }
    },
    /** A call of the main thread that succeeded. */
    called(name: string, t: number): StateEntry[] {
      if (name !== 'EnterPlanMode' && name !== 'ExitPlanMode') return [];
      return [{ kind: 'state', t, what: 'plan mode', to: name === 'EnterPlanMode' ? 'entered' : 'left' }];
    },
    work: (to: string, t: number) => change('state', to, t),
  };
}

type Task = Pick<TaskEntry, 'id' | 'subject' | 'status'>;
type Tasks = ReadonlyMap<string, Task>;

const MAX_AGENTS = 64;

/** Follows the task lists that agents keep with their own tools. */
export function createTaskList() {
  const lists = new Map<string | null, Map<string, Task>>();

  function put(agent: string | null, { id, subject, status }: Task): void {
    const list = lists.get(agent) ?? new Map<string, Task>();
    remember(lists, agent, list, MAX_AGENTS);
    if (status === 'deleted') list.delete(id);
    else list.set(id, { id, subject, status });
  }

  return {
    earlier: (entry: TaskEntry) => put(entry.agent, entry),
    add(ended: EndedCall): TaskEntry[] {
      const { agent } = ended.call;
      const list: Tasks = lists.get(agent) ?? new Map<string, Task>();
      const changes = tasksIn(ended, list).filter(({ id, status, subject }) => {
        const known = list.get(id);
        return known?.status !== status || known.subject !== subject;
      });
      for (const change of changes) put(agent, change);
      return changes.map((change) => ({ kind: 'task', t: ended.t ?? 0, agent, ...change }));
    },
  };
}

function tasksIn({ call, result, report }: EndedCall, list: Tasks): Task[] {
  const { name } = call.use;
  const fields = fieldsOf(call.use.input);
  if (name === 'TodoWrite') return rewritten(fields, list);
  if (name === 'TaskCreate') return created(fields, result.text, fieldsOf(fieldsOf(report).task));
  const id = name === 'TaskUpdate' ? (textOf(fields.taskId) ?? '') : '';
  const known = list.get(id);
  const status = textOf(fields.status) ?? known?.status;
  if (id === '' || status === undefined) return [];
  return [{ id, subject: subjectOf(fields.subject) ?? known?.subject ?? `task ${id}`, status }];
}

/** Every call has the whole list; items are identified by their text, and one that is missing was removed. */
function rewritten(fields: Fields, list: Tasks): Task[] {
  const items = listOf(fields.todos).flatMap((todo) => {
    const { content, status } = fieldsOf(todo);
    const subject = subjectOf(content);
    return subject === undefined ? [] : [{ id: subject, subject, status: textOf(status) ?? 'pending' }];
  });
  const kept = new Set(items.map(({ id }) => id));
  const gone = [...list.values()].filter(({ id, status }) => !kept.has(id) && status !== 'completed');
  return [...gone.map((item) => ({ ...item, status: 'deleted' })), ...items];
}

function created(fields: Fields, text: string, task: Fields): Task[] {
  const said = /^Task #(\S+) created successfully: (.*)/.exec(text);
  const id = textOf(task.id) ?? said?.[1];
  const subject = subjectOf(task.subject) ?? subjectOf(fields.subject) ?? subjectOf(said?.[2]);
  return id === undefined || subject === undefined ? [] : [{ id, subject, status: 'pending' }];
}

function subjectOf(value: unknown): string | undefined {
  return oneLine(textOf(value) ?? '', LINE_LENGTH) || undefined;
}
