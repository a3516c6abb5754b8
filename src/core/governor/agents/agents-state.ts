import type { TaskEvent } from '../../protocol/events.ts';

export type AgentCall = Readonly<typeof NO_CALL>;

/** Stands for the last call of an agent that has not made a call. */
export const NO_CALL = {
  ...{ messageId: '', model: undefined as string | undefined, context: 0, output: 0, microUsd: 0 },
  /** Whether the answer calls a tool, so that another API call follows. */
  usesTool: true,
};

/** A subagent, with totals over its calls. */
export type Agent = Readonly<typeof NEW_AGENT>;

export const NEW_AGENT = {
  /** Key in `Agents.all`. */
  id: '',
  /** `general-purpose`, `Explore`; undefined if no line names the kind. */
  kind: undefined as string | undefined,
  /** A short description of its task. */
  name: undefined as string | undefined,
  /** claude's own id of the agent, for hooks and `stop_task`. */
  taskId: undefined as string | undefined,
  /** Task id of the workflow that started it; such an agent cannot be stopped from outside. */
  workflow: undefined as string | undefined,
  /** Whether its calls are not in the stream, so that its figures are estimates. */
  isUnseen: false,
  last: NO_CALL,
  /** Context of the last call and largest context, in tokens. */
  used: 0,
  peak: 0,
  calls: 0,
  /** Tokens read and written by all calls, including the prompt cache. */
  tokens: 0,
  /** Millionths of a US dollar, computed from list prices. */
  microUsd: 0,
  phase: 'running' as 'running' | 'over' | 'stopped',
};

export type Agents = Readonly<typeof NO_AGENTS>;

export const NO_AGENTS = {
  /** Keyed by the id of the tool call that started them, else by claude's own id. */
  all: {} as Readonly<Record<string, Agent>>,
  /** Agents that this run started before it was interrupted. */
  startedBefore: 0,
  /** Ids of allowed tool calls whose agents have not started yet. */
  pendingStarts: [] as readonly string[],
  /** Task ids of stopped workflows. */
  stoppedWorkflows: [] as readonly string[],
  /**
   * Notices about stopped agents that no agent has received. `isForMainThread`: no call waits for the agent, so the main thread
   * gets the notice.
   */
  unreadNotices: [] as readonly {
    readonly toolUseId: string;
    readonly isForMainThread: boolean;
    readonly text: string;
  }[],
};

/**
 * A subagent, a workflow, a background command, or a wake-up of the agent.
 * - `foreground`: the turn waits for it
 * - `background`: its tool call was answered while it continues
 * - `reporting`: it has ended, and claude will start a turn to report it
 */
export interface Task {
  readonly id: string;
  readonly kind: TaskEvent['type'] | 'wakeup';
  readonly toolUseId: string | undefined;
  readonly phase: 'foreground' | 'background' | 'reporting';
  /**
   * Whether it ended before a tool of the running turn. Then the next call reports it, and claude starts no turn for
   * it.
   */
  readonly isReportedInTurn?: boolean;
  /** When the agent's timer fires, in milliseconds since the epoch. */
  readonly at?: number;
}

/** Oldest first; contains at most one timer. */
export type Tasks = readonly Task[];
