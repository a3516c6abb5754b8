import type { PictureSize } from './picture.ts';
import type { Usage } from './usage.ts';

/**
 * The meaning of one line of Claude Code. Both dialects (the stream of `--output-format stream-json`, and the session
 * logs under `~/.claude/projects`) decode to these events.
 */
export type Event =
  | AssistantEvent
  | UserEvent
  | ResultEvent
  | InitEvent
  | ModeEvent
  | PartialEvent
  | CompactStatusEvent
  | BoundaryEvent
  | ResetEvent
  | TaskEvent
  | ControlRequestEvent
  | ControlResponseEvent
  | ControlCancelEvent
  | ApiRetryEvent
  | RateLimitEvent
  | LifecycleEvent
  | KnownEvent
  | UnknownEvent
  | MalformedEvent;

/** One piece of a message's content. `chars` are UTF-16 units of what the model is given. */
export type Block =
  | { readonly type: 'text'; readonly text: string }
  /** The text may be a summary of the thought, or empty; the signature has all of it, in base64. */
  | { readonly type: 'thinking'; readonly text: string; readonly signatureLength: number }
  | { readonly type: 'tool_use'; readonly id: string; readonly name: string; readonly input: unknown }
  | {
      readonly type: 'tool_result';
      readonly toolUseId: string;
      readonly isError: boolean;
      readonly text: string;
      /** The blocks of the text, if there are several. */
      readonly texts?: readonly string[];
      readonly images: number;
      /** Sizes of the pictures that have one. */
      readonly sizes?: readonly PictureSize[];
      /** Definitions of tools that were looked up and come into the context with it. */
      readonly definitions: readonly string[];
    }
  | { readonly type: 'image'; readonly size?: PictureSize }
  | { readonly type: 'document' }
  | { readonly type: 'other'; readonly name: string };

export type ToolUse = Extract<Block, { readonly type: 'tool_use' }>;
export type ToolResult = Extract<Block, { readonly type: 'tool_result' }>;

/** Fields that most lines carry. */
interface LineFields {
  readonly uuid: string | undefined;
  readonly sessionId: string | undefined;
  /** Milliseconds since the epoch, where the line carries a timestamp. */
  readonly timestamp: number | undefined;
}

/**
 * One line of an API answer; an answer with several content blocks comes as several lines with one `messageId`.
 */
export interface AssistantEvent extends LineFields {
  readonly kind: 'assistant';
  readonly messageId: string;
  readonly model: string | undefined;
  /** Made up by Claude Code itself (`<synthetic>`): API errors, answers of local commands. Its usage says nothing. */
  readonly synthetic: boolean;
  /** The subagent this belongs to, or null for the main thread. */
  readonly subagent: string | null;
  readonly usage: Usage | undefined;
  /** The output count is final: until the last line of an answer it is a placeholder of 1 to 8. */
  readonly outputFinal: boolean;
  readonly blocks: readonly Block[];
  readonly version: string | undefined;
  /** The shell's working folder; only in session logs. */
  readonly cwd: string | undefined;
  /** The API's reason why the prompt cache did not have the earlier request: `tools_changed`, `unavailable`. */
  readonly cacheMiss?: string;
  /** The failure of the API, if this line replaces an answer. */
  readonly failure?: ApiFailure;
  /** A result came after the call, so claude's counter of cost includes it. */
  readonly isBilled?: true;
}

/** The API did not answer a call, and may answer it later. */
export interface ApiFailure {
  /** `limit`: what the account may use is used up. `outage`: the API is overloaded, down or out of reach. */
  readonly cause: 'limit' | 'outage';
  /** When the limit resets, in milliseconds since the epoch; undefined: unknown. */
  readonly resetsAt: number | undefined;
  /** The API's status; undefined: claude does not report it. */
  readonly status?: number | undefined;
  /** Not so if no call was answered before: then what is asked for is not there at all. */
  readonly isLater?: true;
}

/**
 * - `prompt`: what a person or the calling program said.
 * - `tool-result`: results of tools.
 * - `summary`: the summary a compaction left behind.
 * - `notice`: anything else that looks like a user's words and is not (command output, reminders, task notices).
 */
export type UserRole = 'prompt' | 'tool-result' | 'summary' | 'notice';

export interface UserEvent extends LineFields {
  readonly kind: 'user';
  readonly role: UserRole;
  /** An echo of a line that was sent to claude (`--replay-user-messages`), or a local command's output. */
  readonly replay: boolean;
  readonly subagent: string | null;
  readonly blocks: readonly Block[];
  /** The tool's own report besides the text for the model: an object of its own shape, or an error text. */
  readonly toolReport: unknown;
  readonly version: string | undefined;
  /** Only in session logs. */
  readonly permissionMode: string | undefined;
  /** A mark of Claude Code's attributes it to a person, or to the calling program. */
  readonly marked?: true;
}

export interface ResultEvent extends LineFields {
  readonly kind: 'result';
  readonly subtype: string;
  readonly isError: boolean;
  /** API round trips of the turn; 0 for local commands such as `/compact`. */
  readonly numTurns: number | undefined;
  /** The final text, as `--output-format text` prints it. */
  readonly text: string | undefined;
  readonly errors: readonly string[];
  /** SUM over all API calls of the turn: never a context size. */
  readonly usage: Usage | undefined;
  /** Usage of the turn's last API call, from `usage.iterations`, where that is given. */
  readonly lastIteration: Usage | undefined;
  /** Cumulative over the process, subagents included. */
  readonly costUsd: number | undefined;
  /** Context windows in tokens, by model id. */
  readonly windows: Readonly<Record<string, number>>;
  /** The turn was started by a background task that finished, not by a prompt. */
  readonly fromBackgroundTask: boolean;
  /** Why the turn ended, in claude's own word: `blocking_limit`, `prompt_too_long`, `aborted_streaming`. */
  readonly terminalReason: string | undefined;
  /** The failure of the API that ended the turn. */
  readonly failure?: ApiFailure;
}

/** `system/init`. It repeats at every turn, so it is not the start of a session. */
export interface InitEvent extends LineFields {
  readonly kind: 'init';
  readonly model: string | undefined;
  readonly version: string | undefined;
  readonly permissionMode: string | undefined;
  readonly cwd: string | undefined;
  readonly tools: readonly string[];
  /** Names of the MCP servers that are connected. */
  readonly servers: readonly string[];
}

/** The permission mode was switched: a row of a session log, or `system/status` of the stream. */
export interface ModeEvent extends LineFields {
  readonly kind: 'mode';
  readonly permissionMode: string;
}

/** A piece of an answer under way (`--include-partial-messages`). */
export interface PartialEvent extends LineFields {
  readonly kind: 'partial';
  readonly subagent: string | null;
  /** True output count so far, in `message_delta` only. */
  readonly outputTokens: number | undefined;
  /** Some gateways say only there what the call has read; undefined: it says nothing of that. */
  readonly usage: Usage | undefined;
}

export interface CompactStatusEvent extends LineFields {
  readonly kind: 'compact-status';
  readonly phase: 'compacting' | 'success' | 'failed' | 'other';
  readonly error: string | undefined;
}

/** The context was replaced by a summary. */
export interface BoundaryEvent extends LineFields {
  readonly kind: 'boundary';
  readonly trigger: 'auto' | 'manual';
  /** Context before, in tokens, as Claude Code estimates it. */
  readonly preTokens: number | undefined;
  /** Tokens of the kept messages only, without system prompt and tools. */
  readonly postTokens: number | undefined;
  /** Ids of the messages that stay unchanged, if the line names them. */
  readonly kept?: readonly string[];
}

/** `/clear`: the conversation starts over. */
export interface ResetEvent extends LineFields {
  readonly kind: 'reset';
}

/** A subagent or background command started or ended. */
export interface TaskEvent extends LineFields {
  readonly kind: 'task';
  /** `stopped`: ended from outside; claude starts no turn about it. */
  readonly change: 'started' | 'ended' | 'stopped' | 'progress';
  readonly taskId: string;
  readonly toolUseId: string | undefined;
  /** A workflow is a script that starts agents. Agents and workflows are waited for; shells claude ends by itself. */
  readonly type: 'agent' | 'workflow' | 'shell';
  /** The kind of agent (`general-purpose`), or the name of the workflow. */
  readonly name: string | undefined;
  /** Its task in a few words. */
  readonly description: string | undefined;
  /** The agent that started it, by its task's id: its calls are not on the stream. */
  readonly parent: string | undefined;
  /** Context of its last call with the answer, by claude's own count; of a workflow the sum over its agents. */
  readonly tokens: number | undefined;
  /** The tool that it used last; of a workflow the label of the agent that did. */
  readonly lastTool: string | undefined;
  /** The agents of a workflow, where the line lists them. */
  readonly agents: readonly WorkflowAgent[];
}

/** An agent of a workflow, whose calls are not on the stream. */
export interface WorkflowAgent {
  /** claude's id of it, which hooks use. */
  readonly id: string;
  readonly label: string | undefined;
  readonly model: string | undefined;
  /** As in `TaskEvent`. */
  readonly tokens: number;
  readonly toolUses: number;
  readonly isDone: boolean;
}

export interface ControlRequestEvent {
  readonly kind: 'control-request';
  readonly requestId: string;
  readonly subtype: string;
  readonly callbackId: string | undefined;
  readonly request: Readonly<Record<string, unknown>>;
}

export interface ControlResponseEvent {
  readonly kind: 'control-response';
  readonly requestId: string;
  readonly ok: boolean;
  readonly response: Readonly<Record<string, unknown>>;
}

export interface ControlCancelEvent {
  readonly kind: 'control-cancel';
  readonly requestId: string;
}

/** The API refused a call for now and claude waits to try again. */
export interface ApiRetryEvent extends LineFields {
  readonly kind: 'api-retry';
  readonly status: number | undefined;
  /** How long it waits, in milliseconds; while it waits long, the line is repeated with the time left. */
  readonly delayMs: number;
}

/** Use of the account's limits, if claude reports it: for subscriptions, at changes. */
export interface RateLimitEvent extends LineFields {
  readonly kind: 'rate-limit';
  /** The limit that was reached; undefined: none, or without a name. */
  readonly rejected: string | undefined;
  /** By claude's names for them: `five_hour`, `seven_day`. */
  readonly limits: Readonly<Record<string, LimitUse>>;
}

export interface LimitUse {
  /** 0 to 1; undefined: not reported. */
  readonly share: number | undefined;
  /** Milliseconds since the epoch. */
  readonly resetsAt: number | undefined;
}

/** The progress of a line that was sent to claude: queued, started, completed (2.1.329). */
export interface LifecycleEvent extends LineFields {
  readonly kind: 'lifecycle';
  /** The `uuid` of the line that was sent. */
  readonly of: string | undefined;
  /** A timer of the agent has fired: a turn follows. */
  readonly wakes: boolean;
  /** The time that ScheduleWakeup set, in milliseconds since the epoch. */
  readonly scheduledFor: number | undefined;
}

/** A type that is known and means nothing for the context. */
export interface KnownEvent extends LineFields {
  readonly kind: 'known';
  readonly name: string;
}

/** JSON with a type that no version we know writes. Passed on and counted. */
export interface UnknownEvent extends LineFields {
  readonly kind: 'unknown';
  readonly name: string;
}

/** Not a JSON object. Passed on and counted. */
export interface MalformedEvent {
  readonly kind: 'malformed';
  readonly blank: boolean;
}
