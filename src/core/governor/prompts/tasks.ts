import { answeredIn } from '../../protocol/blocks.ts';
import type { Event, TaskEvent, UserEvent } from '../../protocol/events.ts';
import { fieldsOf } from '../../protocol/fields.ts';
import type { Task, Tasks } from '../agents/agents-state.ts';
import type { GovernorState } from '../state.ts';
import { waiting } from './mailbox.ts';

/** Tasks that no turn waits for, with their ids. */
export function backgroundTasks(tasks: Tasks): [string, Task][] {
  return Object.entries(tasks).filter(([, { phase }]) => phase !== 'foreground');
}

/** Whether a task works now. A shell shows no activity, and an agent with a timer is idle until the timer fires. */
export function isAtWork({ kind, phase }: Task): boolean {
  return phase === 'background' && (kind === 'agent' || kind === 'workflow');
}

/** Whether an answer is final: no background task can cause another answer before the next prompt. */
export function isAnswerFinal(state: GovernorState): boolean {
  return waiting(state).length > 0 || backgroundTasks(state.work.tasks).length === 0;
}

/** The tasks after a line. @param isReported whether claude starts a turn about a stopped task */
export function tasksAfter(tasks: Tasks, event: Event, isReported: boolean): Tasks {
  if (event.kind === 'task' && event.change !== 'progress') return changed(tasks, event, isReported);
  if (event.kind === 'user' && event.role === 'tool-result')
    return markTold(withWakeup(answered(tasks, event), event), event.subagent === null);
  if (event.kind === 'lifecycle' && event.wakes) return fireWakeup(tasks, event.scheduledFor);
  if (event.kind !== 'result') return tasks;
  return event.fromBackgroundTask
    ? withoutOldestReport(markTold(tasks, false))
    : markTold(withoutFiredWakeup(tasks), false);
}

/** Key of the agent's timer: an agent has at most one. */
const WAKEUP = 'wakeup';

/** The tasks without a scheduled wake-up. */
export function withoutWakeup({ [WAKEUP]: _, ...others }: Tasks): Tasks {
  return others;
}

/** Reads the result of ScheduleWakeup: a time in milliseconds since the epoch, or 0 if it was cancelled. */
function withWakeup(tasks: Tasks, { subagent, toolReport, blocks }: UserEvent): Tasks {
  const at = fieldsOf(toolReport).scheduledFor;
  if (subagent !== null || typeof at !== 'number') return tasks;
  const [toolUseId] = answeredIn(blocks);
  const others = withoutWakeup(tasks);
  return at > 0 ? { ...others, [WAKEUP]: { kind: 'wakeup', toolUseId, phase: 'background', at } } : others;
}

/**
 * Marks the scheduled wake-up as fired. Other jobs (CronCreate) and older timers wake the agent too, at other times.
 */
function fireWakeup(tasks: Tasks, at: number | undefined): Tasks {
  const { [WAKEUP]: wakeup } = tasks;
  return wakeup === undefined || wakeup.at !== at ? tasks : { ...tasks, [WAKEUP]: { ...wakeup, phase: 'reporting' } };
}

/** Removes a wake-up whose turn has ended. */
function withoutFiredWakeup(tasks: Tasks): Tasks {
  return filterTasks(tasks, ([id, { phase }]) => id !== WAKEUP || phase !== 'reporting');
}

/** Marks whether the next call of the turn tells the model about ended tasks. */
function markTold(tasks: Tasks, isTold: boolean): Tasks {
  const isOther = ({ phase, told = false }: Task) => phase === 'reporting' && told !== isTold;
  return withChanges(tasks, isOther, { told: isTold });
}

/** Removes tasks that a call has told the model about: no turn follows for them. */
export function withoutTold(tasks: Tasks): Tasks {
  return filterTasks(tasks, ([, task]) => task.told !== true);
}

/** Filters tasks; returns the same object if all stay. */
function filterTasks(tasks: Tasks, isKept: (entry: [string, Task]) => boolean): Tasks {
  const all = Object.entries(tasks);
  const remaining = all.filter(isKept);
  return remaining.length === all.length ? tasks : Object.fromEntries(remaining);
}

/** Changes matching tasks; returns the same object if no task matches. */
function withChanges(tasks: Tasks, isMeant: (task: Task) => boolean, changes: Partial<Task>): Tasks {
  const matching = Object.entries(tasks).filter(([, task]) => isMeant(task));
  if (matching.length === 0) return tasks;
  return { ...tasks, ...Object.fromEntries(matching.map(([id, task]) => [id, { ...task, ...changes }])) };
}

function changed(tasks: Tasks, event: TaskEvent, isReported: boolean): Tasks {
  const { [event.taskId]: task, ...others } = tasks;
  if (event.change === 'started') {
    return { ...others, [event.taskId]: { kind: event.type, toolUseId: event.toolUseId, phase: 'foreground' } };
  }
  // claude does not report a stopped task; the result of its tool has reported a foreground task.
  const reports = (event.change === 'ended' || isReported) && task !== undefined && task.phase !== 'foreground';
  return reports ? { ...others, [event.taskId]: { ...task, phase: 'reporting' } } : others;
}

/** Moves a task to the background if its tool call has a result while the task runs. */
function answered(tasks: Tasks, event: UserEvent): Tasks {
  const ids = answeredIn(event.blocks);
  const isSent = ({ phase, toolUseId = '' }: Task) => phase === 'foreground' && ids.includes(toolUseId);
  return withChanges(tasks, isSent, { phase: 'background' });
}

/** Removes the oldest reported task after a turn about tasks. Several tasks can share a turn or have one each. */
function withoutOldestReport(tasks: Tasks): Tasks {
  const oldest = Object.values(tasks).find(({ phase }) => phase === 'reporting');
  return filterTasks(tasks, ([, task]) => task !== oldest);
}
