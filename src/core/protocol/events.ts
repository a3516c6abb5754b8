import type { ApiFailure } from './api-failure.ts';
import type { Block } from './block.ts';
import type { LimitUse, Usage } from './usage.ts';

/**
 * One decoded line of Claude Code. Both dialects (the stream of `--output-format stream-json`, and the session logs
 * under `~/.claude/projects`) decode to these events.
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
  | OtherEvent
  | MalformedEvent;

/** Fields that most lines carry. */
interface LineFields {
  readonly uuid: string | undefined;
  readonly sessionId: string | undefined;
  /** Milliseconds since the epoch; undefined if the line has no timestamp. */
  readonly timestamp: number | undefined;
}

/** One line of an API answer; an answer with several content blocks spans several lines with the same `messageId`. */
export interface AssistantEvent extends LineFields {
  readonly kind: 'assistant';
  readonly messageId: string;
  readonly model: string | undefined;
  /** Created by Claude Code itself (`<synthetic>`): API errors, answers of local commands. The usage has no meaning. */
  readonly isSynthetic: boolean;
  /** The subagent's id; null for the main thread. */
  readonly subagent: string | null;
  readonly usage: Usage | undefined;
  /** Whether the output count is final. Before the last line of an answer, it is a placeholder of 1 to 8. */
  readonly hasFinalOutput: boolean;
  readonly blocks: readonly Block[];
  readonly version: string | undefined;
  /** The shell's working folder; only in session logs. */
  readonly cwd: string | undefined;
  /** The API's reason for a prompt cache miss: `tools_changed`, `unavailable`. */
  readonly cacheMiss?: string;
  /** Cost in US dollars, in the logs of old versions. */
  readonly costUsd?: number;
  /** The API failure, if this line replaces an answer. */
  readonly failure?: ApiFailure;
  /** Whether a result followed the call, so that claude's cost counter includes it. */
  readonly isBilled?: true;
}

/**
 * - `prompt`: from a person or the calling program.
 * - `tool-result`: results of tools.
 * - `summary`: the summary of a compaction.
 * - `notice`: Claude Code's own text in the user's place (command output, reminders, task notices).
 */
export type UserRole = 'prompt' | 'tool-result' | 'summary' | 'notice';

export interface UserEvent extends LineFields {
  readonly kind: 'user';
  readonly role: UserRole;
  /** An echo of a line sent to claude (`--replay-user-messages`), or a local command's output. */
  readonly isReplay: boolean;
  readonly subagent: string | null;
  readonly blocks: readonly Block[];
  /** The tool's structured report, in addition to the text for the model: a tool-specific object, or an error text. */
  readonly toolReport: unknown;
  readonly version: string | undefined;
  /** The shell's working folder; only in session logs. */
  readonly cwd: string | undefined;
  /** Only in session logs. */
  readonly permissionMode: string | undefined;
  /** Whether a mark of Claude Code's says that a person or the calling program wrote the line. */
  readonly isMarked?: true;
}

export interface ResultEvent extends LineFields {
  readonly kind: 'result';
  readonly subtype: string;
  readonly isError: boolean;
  /** API calls of the turn; 0 for local commands such as `/compact`. */
  readonly numTurns: number | undefined;
  /** The final text, as `--output-format text` prints it. */
  readonly text: string | undefined;
  readonly errors: readonly string[];
  /** Sum over all API calls of the turn; not a context size. */
  readonly usage: Usage | undefined;
  /** Usage of the turn's last API call, from `usage.iterations`; undefined in versions without it. */
  readonly lastIteration: Usage | undefined;
  /** Cumulative cost of the process in USD, including subagents. */
  readonly costUsd: number | undefined;
  /** Context windows in tokens, by model id. */
  readonly windows: Readonly<Record<string, number>>;
  /** Whether a finished background task started the turn, and not a prompt. */
  readonly fromBackgroundTask: boolean;
  /**
   * claude's reason for the end of the turn: `blocking_limit`, `prompt_too_long`, `aborted_streaming`. `refused`: its
   * own check of permissions, which claude reports as an abort too.
   */
  readonly terminalReason: string | undefined;
  /** The API failure that ended the turn. */
  readonly failure?: ApiFailure;
}

/** `system/init`. Repeats at every turn, so it does not mark the start of a session. */
export interface InitEvent extends LineFields {
  readonly kind: 'init';
  readonly model: string | undefined;
  readonly version: string | undefined;
  readonly permissionMode: string | undefined;
  readonly cwd: string | undefined;
  readonly tools: readonly string[];
  /** Names of connected MCP servers. */
  readonly servers: readonly string[];
  /** claude's names of what it can do. */
  readonly capabilities: readonly string[];
  /** `uuid`s of the prompts that the turn answers, if claude has the capability to name them. */
  readonly promptUuids: readonly string[];
}

/** A change of the permission mode: a row of a session log, or `system/status` in the stream. */
export interface ModeEvent extends LineFields {
  readonly kind: 'mode';
  readonly permissionMode: string;
}

/** A part of an unfinished answer (`--include-partial-messages`). */
export interface PartialEvent extends LineFields {
  readonly kind: 'partial';
  readonly subagent: string | null;
  /** Actual output tokens so far; only in `message_delta`. */
  readonly outputTokens: number | undefined;
  /** Some gateways report the input counts of a call only here; undefined without them. */
  readonly usage: Usage | undefined;
}

export interface CompactStatusEvent extends LineFields {
  readonly kind: 'compact-status';
  readonly phase: 'compacting' | 'success' | 'failed' | 'other';
  readonly error: string | undefined;
}

/** A summary replaced the context. */
export interface BoundaryEvent extends LineFields {
  readonly kind: 'boundary';
  readonly trigger: 'auto' | 'manual';
  /** Claude Code's estimate of the context before, in tokens. */
  readonly preTokens: number | undefined;
  /** Tokens of the kept messages only, without system prompt and tools. */
  readonly postTokens: number | undefined;
  /** Ids of the unchanged messages, if the line names them. */
  readonly kept?: readonly string[];
}

/** `/clear` started a new conversation. */
export interface ResetEvent extends LineFields {
  readonly kind: 'reset';
}

/** A subagent or background command started, ended or made progress. */
export interface TaskEvent extends LineFields {
  readonly kind: 'task';
  /** `stopped`: ended from outside; claude starts no turn to report it. */
  readonly change: 'started' | 'ended' | 'stopped' | 'progress';
  readonly taskId: string;
  readonly toolUseId: string | undefined;
  /** A workflow is a script that starts agents. ctxb waits for agents and workflows; claude ends shells itself. */
  readonly type: 'agent' | 'workflow' | 'shell';
  /** The kind of agent (`general-purpose`), or the name of the workflow. */
  readonly name: string | undefined;
  /** A short description of the task. */
  readonly description: string | undefined;
  /** Task id of the agent that started this one; its calls are not in the stream. */
  readonly parent: string | undefined;
  /** Tokens of the last call's context and answer, as claude counts them; for a workflow, the sum over its agents. */
  readonly tokens: number | undefined;
  /** The last used tool; for a workflow, the label of the agent that used one. */
  readonly lastTool: string | undefined;
  /** The report of an agent in the background. claude gives it to the model in no other line. */
  readonly report: string | undefined;
  /** The agents of a workflow, if the line lists them. */
  readonly agents: readonly WorkflowAgent[];
}

/** An agent of a workflow; its calls are not in the stream. */
export interface WorkflowAgent {
  /** claude's id of the agent, as used in hooks. */
  readonly id: string;
  readonly label: string | undefined;
  readonly model: string | undefined;
  /** Tokens of the last call's context and answer. */
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

/** The API rejected a call temporarily; claude waits before it retries. */
export interface ApiRetryEvent extends LineFields {
  readonly kind: 'api-retry';
  readonly status: number | undefined;
  /** Waiting time in milliseconds; during a long wait claude repeats the line with the remaining time. */
  readonly delayMs: number;
}

/** Usage of the account's limits; claude reports changes, for subscriptions only. */
export interface RateLimitEvent extends LineFields {
  readonly kind: 'rate-limit';
  /** The reached limit; undefined if no limit is reached, or without a name. */
  readonly rejectedLimit: string | undefined;
  /** Keyed by claude's names of the limits: `five_hour`, `seven_day`. */
  readonly limits: Readonly<Record<string, LimitUse>>;
}

/** Progress of a line sent to claude. */
export interface LifecycleEvent extends LineFields {
  readonly kind: 'lifecycle';
  /** `queued`, `started`, and one end: `completed`, `cancelled`, `discarded` or `refused`. */
  readonly state: unknown;
  /** The `uuid` of the sent line. */
  readonly lineUuid: string | undefined;
  /** A timer of the agent fired: a turn follows. */
  readonly isWakeUp: boolean;
  /** The time set by ScheduleWakeup, in milliseconds since the epoch. */
  readonly scheduledFor: number | undefined;
}

/** A JSON object that does not affect the context. One of an `unknown` type is passed on and counted. */
export interface OtherEvent extends LineFields {
  readonly kind: 'known' | 'unknown';
  readonly name: string;
}

/** Not a JSON object. Passed on and counted. */
export interface MalformedEvent {
  readonly kind: 'malformed';
  readonly isBlank: boolean;
}
