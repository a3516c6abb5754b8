import { answeredIn } from '../../protocol/blocks.ts';
import type { Event, TaskEvent, UserEvent } from '../../protocol/events.ts';
import { fieldsOf } from '../../protocol/fields.ts';
import type { Task, Tasks } from '../agents/agents-state.ts';
import type { GovernorState } from '../state.ts';
import { waiting } from './mailbox.ts';

/** Tasks that no turn waits for. */
export function backgroundTasks(tasks: Tasks): Tasks {
  return tasks.filter(({ phase }) => phase !== 'foreground');
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
  if (event.kind === 'task' && event.change !== 'progress') return afterTaskEvent(tasks, event, isReported);
  if (event.kind === 'user' && event.role === 'tool-result')
    return markReported(withWakeup(moveToBackground(tasks, event), event), event.subagent === null);
  if (event.kind === 'lifecycle' && event.isWakeUp) return fireWakeup(tasks, event.scheduledFor);
  if (event.kind !== 'result') return tasks;
  return markReported(event.fromBackgroundTask ? withoutOldestReport(tasks) : withoutFiredWakeup(tasks), false);
}

export function withoutWakeup(tasks: Tasks): Tasks {
  return tasks.filter(({ kind }) => kind !== 'wakeup');
}

/** Reads the result of ScheduleWakeup: a time in milliseconds since the epoch, or 0 if it was canceled. */
function withWakeup(tasks: Tasks, { subagent, toolReport, blocks }: UserEvent): Tasks {
  const at = fieldsOf(toolReport).scheduledFor;
  if (subagent !== null || typeof at !== 'number') return tasks;
  const [toolUseId] = answeredIn(blocks);
  const others = withoutWakeup(tasks);
  return at > 0 ? [...others, { id: 'wakeup', kind: 'wakeup', toolUseId, phase: 'background', at }] : others;
}

/**
 * Marks the wake-up as reported if its time matches. Other jobs (CronCreate) and older timers wake the agent at other
 * times.
 */
function fireWakeup(tasks: Tasks, at: number | undefined): Tasks {
  return tasks.map((task) => (task.kind === 'wakeup' && task.at === at ? { ...task, phase: 'reporting' } : task));
}

/** Removes a wake-up whose turn has ended. */
function withoutFiredWakeup(tasks: Tasks): Tasks {
  return tasks.filter(({ kind, phase }) => kind !== 'wakeup' || phase !== 'reporting');
}

/** Marks whether the next call of the turn reports ended tasks to the model. */
function markReported(tasks: Tasks, isReportedInTurn: boolean): Tasks {
  if (tasks.length === 0) return tasks;
  return tasks.map((task) => (task.phase === 'reporting' ? { ...task, isReportedInTurn } : task));
}

/** Removes tasks that a call has reported to the model. No turn follows for them. */
export function withoutReported(tasks: Tasks): Tasks {
  const rest = tasks.filter(({ isReportedInTurn }) => isReportedInTurn !== true);
  return rest.length === tasks.length ? tasks : rest;
}

function afterTaskEvent(tasks: Tasks, event: TaskEvent, isReported: boolean): Tasks {
  const { taskId: id, type: kind, toolUseId } = event;
  const task = tasks.find((one) => one.id === id);
  const others = tasks.filter((one) => one !== task);
  if (event.change === 'started') return [...others, { id, kind, toolUseId, phase: 'foreground' }];
  // claude does not report a stopped task, nor a foreground task, whose tool result was the report.
  const reports = (event.change === 'ended' || isReported) && task !== undefined && task.phase !== 'foreground';
  return reports ? [...others, { ...task, phase: 'reporting' }] : others;
}

/** Moves a task to the background if its tool call has a result while the task runs. */
function moveToBackground(tasks: Tasks, event: UserEvent): Tasks {
  if (tasks.length === 0) return tasks;
  const ids = answeredIn(event.blocks);
  return tasks.map((task) =>
    task.phase === 'foreground' && ids.includes(task.toolUseId ?? '') ? { ...task, phase: 'background' } : task,
  );
}

/** Removes the oldest reported task after a turn about tasks. Several tasks may share such a turn. */
function withoutOldestReport(tasks: Tasks): Tasks {
  const oldest = tasks.find(({ phase }) => phase === 'reporting');
  return tasks.filter((task) => task !== oldest);
}
