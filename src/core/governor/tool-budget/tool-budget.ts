import type { Fields } from '../../protocol/fields.ts';
import type { CutJson, StoredJson } from '../../text/cut-json.ts';
import type { HookName } from '../effects.ts';

/** Tokens that tool results have used of the plan, and pending calls. All figures in tokens. */
export type ToolBudget = Readonly<typeof NEW_TOOL_BUDGET>;

export const NEW_TOOL_BUDGET = {
  /** Changes that this version of claude ignores: limits in a tool's input, or cut results. */
  ignores: [] as readonly ('input' | 'output')[],
  /** In the main thread's context: the summary or handoff, and results since the turn began. */
  history: 0,
  results: 0,
  /** Results of each subagent's own tools, by its id. */
  agents: {} as Readonly<Record<string, number>>,
  /** Results with reserved room until they appear in the stream, by `tool_use` id. */
  open: {} as Readonly<Record<string, OpenResult>>,
  /** Hooks that wait until the host has measured or stored something, by request id. */
  waiting: {} as Readonly<Record<string, ReadPlan | ResultPlan>>,
  /** Number of cuts of a call's result, by tool and input. */
  repeats: {} as Readonly<Record<string, number>>,
  /** Remaining tokens at the last hint, by unit. */
  hinted: {} as Readonly<Record<string, number>>,
  alerted: 'none' as AlertLevel,
};

export type AlertLevel = 'none' | 'low' | 'critical';

export interface OpenResult {
  /** The subagent's id; null for the main thread. */
  readonly agent: string | null;
  readonly tokens: number;
  /** Request id of the last answered hook. */
  readonly requestId: string;
  /** The limit that ctxb set and expects in the executed call. */
  readonly limit?: number;
  /** Text of the replacement that must appear in the stream. */
  readonly proof?: string;
  /** Tokens that were cut from the result. */
  readonly cut?: number;
}

export type ToolHook = Extract<HookName, 'PreToolUse' | 'PostToolUse' | 'PostToolUseFailure'>;

export interface ToolCall {
  readonly hook: ToolHook;
  readonly requestId: string;
  readonly toolUseId: string;
  readonly tool: string;
  readonly input: Fields;
  /** The subagent's id; null for the main thread. */
  readonly agent: string | null;
  /** claude's working folder. */
  readonly cwd: string;
  /** The tool-specific response; only after a success. */
  readonly response: unknown;
  /** The error message; only after a failure. */
  readonly error: string;
}

export interface ReadPlan {
  readonly kind: 'read';
  readonly call: ToolCall;
  /** Maximum tokens of the result. */
  readonly allowed: number;
  /** A hint for the agent, with or without a limit. */
  readonly hint: string;
}

/** Size of a text file. */
export interface FileMeasure {
  /** Number of lines of the whole file. */
  readonly lines: number;
  /** Number of lines from the requested offset that fit into the requested size, as Read prints them. */
  readonly fitting: number;
}

/** A result that will be cut once it is stored. */
export interface ResultPlan {
  readonly kind: 'result';
  readonly call: ToolCall;
  /** Allowed and actual tokens. */
  readonly allowed: number;
  readonly tokens: number;
  /** undefined if the result is not JSON. */
  readonly json: (CutJson & { readonly stored: StoredJson }) | undefined;
}
