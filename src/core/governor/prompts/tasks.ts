import { answeredIn } from '../../protocol/blocks.ts';
import type { Event, TaskEvent, UserEvent } from '../../protocol/events.ts';
import { fieldsOf } from '../../protocol/fields.ts';
import type { Task, Tasks } from '../agents/agents-state.ts';
import type { GovernorState } from '../state.ts';
import { waiting } from './mailbox.ts';

/** The tasks that no turn waits for, by their ids. */
export function tasksAside(tasks: Tasks): [string, Task][] {
  return Object.entries(tasks).filter(([, { phase }]) => phase !== 'foreground');
}

/** A shell shows no activity, and an agent with a timer does nothing until it fires. */
export function isAtWork({ kind, phase }: Task): boolean {
  return phase === 'background' && (kind === 'agent' || kind === 'workflow');
}

/** Whether an answer is final: no task can bring another one before the next prompt goes. */
export function isAnswerFinal(state: GovernorState): boolean {
  return waiting(state).length > 0 || tasksAside(state.tasks).length === 0;
}

/**
 * The tasks that matter after this line.
 *
 * @param isReported claude starts a turn about a task though it was stopped
 */
export function tasksAfter(tasks: Tasks, event: Event, isReported: boolean): Tasks {
  if (event.kind === 'task' && event.change !== 'progress') return changed(tasks, event, isReported);
  if (event.kind === 'user' && event.role === 'tool-result')
    return told(scheduled(answered(tasks, event), event), event.subagent === null);
  if (event.kind === 'lifecycle' && event.wakes) return woken(tasks, event.scheduledFor);
  if (event.kind !== 'result') return tasks;
  return event.fromBackgroundTask ? reported(told(tasks, false)) : told(withoutWoken(tasks), false);
}

/** The key of the agent's timer: there is at most one. */
const WAKEUP = 'wakeup';

/** Without a wake-up that is still to come. */
export function withoutWakeup({ [WAKEUP]: _, ...others }: Tasks): Tasks {
  return others;
}

/** The result of ScheduleWakeup: a time, or 0 for none. */
function scheduled(tasks: Tasks, { subagent, toolReport, blocks }: UserEvent): Tasks {
  const at = fieldsOf(toolReport).scheduledFor;
  if (subagent !== null || typeof at !== 'number') return tasks;
  const [toolUseId] = answeredIn(blocks);
  const others = withoutWakeup(tasks);
  return at > 0 ? { ...others, [WAKEUP]: { kind: 'wakeup', toolUseId, phase: 'background', at } } : others;
}

/** Other jobs (CronCreate) wake the agent too, and so does what it has asked for before: its own time is still to come. */
function woken(tasks: Tasks, at: number | undefined): Tasks {
  const { [WAKEUP]: wakeup } = tasks;
  return wakeup === undefined || wakeup.at !== at ? tasks : { ...tasks, [WAKEUP]: { ...wakeup, phase: 'reporting' } };
}

/** The turn is over for which the agent was woken. */
function withoutWoken(tasks: Tasks): Tasks {
  return only(tasks, ([id, { phase }]) => id !== WAKEUP || phase !== 'reporting');
}

/** Whether the turn's next call, if any, learns of ended tasks. */
function told(tasks: Tasks, isTold: boolean): Tasks {
  const isOther = ({ phase, told = false }: Task) => phase === 'reporting' && told !== isTold;
  return withChanges(tasks, isOther, { told: isTold });
}

/** A further call of the turn has learned of these: no turn follows about them. */
export function withoutTold(tasks: Tasks): Tasks {
  return only(tasks, ([, task]) => task.told !== true);
}

/** The same tasks where none is left out. */
function only(tasks: Tasks, stays: (entry: [string, Task]) => boolean): Tasks {
  const all = Object.entries(tasks);
  const left = all.filter(stays);
  return left.length === all.length ? tasks : Object.fromEntries(left);
}

/** The same tasks where none is changed. */
function withChanges(tasks: Tasks, isMeant: (task: Task) => boolean, changes: Partial<Task>): Tasks {
  const meant = Object.entries(tasks).filter(([, task]) => isMeant(task));
  if (meant.length === 0) return tasks;
  return { ...tasks, ...Object.fromEntries(meant.map(([id, task]) => [id, { ...task, ...changes }])) };
}

function changed(tasks: Tasks, event: TaskEvent, isReported: boolean): Tasks {
  const { [event.taskId]: task, ...others } = tasks;
  if (event.change === 'started') {
    return { ...others, [event.taskId]: { kind: event.type, toolUseId: event.toolUseId, phase: 'foreground' } };
  }
  // A stopped task is not reported; a foreground task was reported by its tool's result.
  const reports = (event.change === 'ended' || isReported) && task !== undefined && task.phase !== 'foreground';
  return reports ? { ...others, [event.taskId]: { ...task, phase: 'reporting' } } : others;
}

/** The result of a tool call whose task still runs: it was sent to the background. */
function answered(tasks: Tasks, event: UserEvent): Tasks {
  const ids = answeredIn(event.blocks);
  const isSent = ({ phase, toolUseId = '' }: Task) => phase === 'foreground' && ids.includes(toolUseId);
  return withChanges(tasks, isSent, { phase: 'background' });
}

/** A turn about a task is over. Several tasks can have one turn or one each, so only the oldest is taken off. */
function reported(tasks: Tasks): Tasks {
  const oldest = Object.values(tasks).find(({ phase }) => phase === 'reporting');
  return only(tasks, ([, task]) => task !== oldest);
}
