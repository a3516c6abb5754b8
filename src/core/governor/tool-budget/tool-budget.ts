import type { Fields } from '../../protocol/fields.ts';
import type { HookName } from '../effects.ts';
import type { CutJson, StoredJson } from './cut-json.ts';

/** What results of tools have taken of the plan, and what is under way. All figures in tokens. */
export type ToolBudget = Readonly<typeof NEW_TOOL_BUDGET>;

export const NEW_TOOL_BUDGET = {
  /** Changes of ours that this claude ignores: limits in a tool's input, or cut results. */
  ignores: [] as readonly ('input' | 'output')[],
  /** Of the main thread's context: what stands for the past, and results since the turn began. */
  history: 0,
  results: 0,
  /** Results of each subagent's own tools, by its id. */
  agents: {} as Readonly<Record<string, number>>,
  /** Results that have room kept for them until the stream shows them, by `tool_use` id. */
  open: {} as Readonly<Record<string, OpenResult>>,
  /** Hooks to be answered once the host has measured or stored something, by request id. */
  waiting: {} as Readonly<Record<string, ReadPlan | ResultPlan>>,
  /** How often results of a call have been cut, by tool and input. */
  repeats: {} as Readonly<Record<string, number>>,
  /** What is known of the pages of tools, by the tool's name. */
  pages: {} as Readonly<Record<string, Pages>>,
  /** What was left when the agent was last told, by unit. */
  hinted: {} as Readonly<Record<string, number>>,
  alerted: 'none' as AlertLevel,
};

export type AlertLevel = 'none' | 'low' | 'critical';

export interface OpenResult {
  /** The subagent's id; null for the main thread. */
  readonly agent: string | null;
  readonly tokens: number;
  /** The hook that was answered last. */
  readonly requestId: string;
  /** The limit that ctxb set: the tool must be called with it. */
  readonly limit?: number;
  /** Words of the replacement: they must appear on the stream. */
  readonly proof?: string;
}

/** How a tool pages its results, as its calls have shown. */
export interface Pages {
  /** The parameter with the number of wanted items; undefined: none seen. */
  readonly parameter: string | undefined;
  /** Tokens of one item. */
  readonly perItem: number;
  /** Without the parameter it has given more than was allowed. */
  readonly isLarge: boolean;
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
  /** Working folder of claude. */
  readonly cwd: string;
  /** The tool's response in its own shape; only after a success. */
  readonly response: unknown;
  /** The error; only after a failure. */
  readonly error: string;
}

export interface ReadPlan {
  readonly kind: 'read';
  readonly call: ToolCall;
  /** Tokens its result may take. */
  readonly allowed: number;
  /** A hint for the agent in any case. */
  readonly hint: string;
}

/** Size of a text file. */
export interface FileMeasure {
  /** Lines of the whole file. */
  readonly lines: number;
  /** Lines from the first that is asked for on, as Read shows them: as many as fit into what was asked about. */
  readonly fitting: number;
}

/** A result that is too large, to be cut once the whole is stored. */
export interface ResultPlan {
  readonly kind: 'result';
  readonly call: ToolCall;
  /** Allowed tokens, and actual tokens. */
  readonly allowed: number;
  readonly tokens: number;
  /** For JSON. */
  readonly json: (CutJson & { readonly stored: StoredJson }) | undefined;
}
