import type { TaskEvent } from '../../protocol/events.ts';

/** A subagent: what its calls were, all together. */
export type Agent = Readonly<typeof NEW_AGENT>;

export const NEW_AGENT = {
  /** `general-purpose`, `Explore`; undefined where no line says. */
  kind: undefined as string | undefined,
  /** Its task in a few words. */
  name: undefined as string | undefined,
  /** claude's own id of it, for hooks and `stop_task`. */
  taskId: undefined as string | undefined,
  /** The workflow that started it, by its task's id: it can't be stopped from outside. */
  workflow: undefined as string | undefined,
  /** Its calls are not on the stream, so its figures are estimates. */
  isUnseen: false,
  /** Tool calls with which it has started agents of its own. */
  started: [] as readonly string[],
  last: undefined as AgentCall | undefined,
  /** Context of the last call, and the largest, in tokens. */
  used: 0,
  peak: 0,
  calls: 0,
  /** All that its calls read and wrote, the prompt cache included. */
  tokens: 0,
  /** Computed from list prices. */
  microUsd: 0,
  phase: 'running' as 'running' | 'over' | 'stopped',
};

export interface AgentCall {
  readonly messageId: string;
  readonly model: string | undefined;
  readonly context: number;
  readonly output: number;
  readonly microUsd: number;
  /** Its answer asks for a tool, so another call follows. */
  readonly usesTool: boolean;
}

/** Limits on the number and the size of subagents. */
export type FanOut = Readonly<typeof NO_FAN_OUT>;

export const NO_FAN_OUT = {
  /** Agents that this run had started when it was broken off. */
  before: 0,
  /** Calls that ctxb let through, by their ids, whose agents have not begun. */
  asked: [] as readonly string[],
  /** Workflows that were stopped, by their tasks' ids. */
  ended: [] as readonly string[],
  /** Why agents were stopped, for those who started them, by the id of the tool call; `aside`: no call waits for it. */
  untold: [] as readonly { readonly toolUseId: string; readonly aside: boolean; readonly text: string }[],
};

/**
 * A subagent, a workflow or a command beside the conversation, or that the agent is to be woken.
 * - `foreground`: the turn waits for it
 * - `background`: its tool call was answered while it goes on
 * - `reporting`: it has ended, and claude will start a turn to say so
 */
export interface Task {
  readonly kind: TaskEvent['type'] | 'wakeup';
  readonly toolUseId: string | undefined;
  readonly phase: 'foreground' | 'background' | 'reporting';
  /** It ended before a tool of the running turn: the next call of that turn learns of it, and no other turn. */
  readonly told?: boolean;
  /** The time of the agent's timer, in milliseconds since the epoch. */
  readonly at?: number;
}

export type Tasks = Readonly<Record<string, Task>>;
