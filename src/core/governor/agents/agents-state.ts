import type { TaskEvent } from '../../protocol/events.ts';

/** A subagent: what its calls were, all together. */
export interface Agent {
  /** `general-purpose`, `Explore`; undefined where no line says. */
  readonly kind: string | undefined;
  /** What it is to do, in a few words. */
  readonly name: string | undefined;
  /** claude's own id of it, which hooks name and `stop_task` takes. */
  readonly taskId: string | undefined;
  /** The workflow that started it, by its task's id: it can't be stopped from outside. */
  readonly workflow: string | undefined;
  /** Its calls are not on the stream, so its figures are estimates. */
  readonly isUnseen: boolean;
  /** Tool calls with which it has started agents of its own. */
  readonly started: readonly string[];
  /** The last call. */
  readonly last:
    | {
        readonly messageId: string;
        readonly model: string | undefined;
        readonly context: number;
        readonly output: number;
        readonly microUsd: number;
        /** Its answer asks for a tool, so another call follows. */
        readonly usesTool: boolean;
      }
    | undefined;
  /** Context of the last call, and the largest, in tokens. */
  readonly used: number;
  readonly peak: number;
  readonly calls: number;
  /** All that its calls read and wrote, the prompt cache included. */
  readonly tokens: number;
  /** Computed from list prices. */
  readonly microUsd: number;
  readonly phase: 'running' | 'over' | 'stopped';
}

export type FanOut = Readonly<typeof NO_FAN_OUT>;

export const NO_FAN_OUT = {
  /** Agents that this run had started when it was broken off. */
  before: 0,
  /** When claude was last asked for its counter of cost, in milliseconds since the epoch; undefined: never. */
  countedAt: undefined as number | undefined,
  /** Calls that ctxb let through, by their ids, whose agents have not begun. */
  asked: [] as readonly string[],
  /** Workflows that were stopped, by their tasks' ids. */
  ended: [] as readonly string[],
  /** Why agents were stopped, for those who started them, by the id of the tool call; `aside`: no call waits for it. */
  untold: [] as readonly { readonly toolUseId: string; readonly aside: boolean; readonly text: string }[],
};

/**
 * A subagent, a workflow or a command beside the conversation.
 * - `foreground`: the turn waits for it
 * - `background`: its tool call was answered while it goes on
 * - `reporting`: it has ended, and claude will start a turn to say so
 */
export interface Task {
  readonly kind: TaskEvent['type'];
  readonly toolUseId: string | undefined;
  readonly phase: 'foreground' | 'background' | 'reporting';
}

export type Tasks = Readonly<Record<string, Task>>;
