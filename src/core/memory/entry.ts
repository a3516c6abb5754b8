/**
 * An entry of working memory, in order of arrival, stored as one line of `memory.ndjson`. The index, the detail files
 * and the dead ends are a pure function of the entries, so a restart after a crash rebuilds them. Texts are masked and
 * bounded on creation, except prompts, which keep their full length.
 */
export type Entry = PromptEntry | ToolEntry | StateEntry | TaskEntry | DeadEndReport;

export interface PromptEntry {
  readonly kind: 'prompt';
  /** Milliseconds since the epoch; 0 if a recording has no time. */
  readonly t: number;
  readonly text: string;
  readonly pictures: number;
}

/**
 * - `ok`, `failed`: the tool ran.
 * - `refused`: a person, a permission or one of claude's checks prevented the call.
 * - `cancelled`: the call did not run or its end is unknown (a parallel call failed, the turn was interrupted).
 */
export type Outcome = 'ok' | 'failed' | 'refused' | 'cancelled';

export interface ToolEntry {
  readonly kind: 'tool';
  readonly t: number;
  readonly id: string;
  readonly name: string;
  /** The subagent's task or id; null for the main thread. */
  readonly agent: string | null;
  readonly outcome: Outcome;
  /** The request on one line, at most 500 code points. */
  readonly title: string;
  /** The result on one line, at most 500 code points. */
  readonly said: string;
  /** Input and result for the tool log, on one line, at most 500 code points. */
  readonly gist?: string | undefined;
  /** Fingerprint of the input, independent of key order. */
  readonly input: string;
  readonly command?: CommandFacts | undefined;
  readonly reads?: string | undefined;
  /** The file that this call changed for certain. */
  readonly change?: FileChange | undefined;
  /** Fingerprint of the input that takes this edit back. */
  readonly reverse?: string | undefined;
}

export interface CommandFacts {
  readonly text: string;
  /** Exit status; null if unknown (background, refused, interrupted). */
  readonly exit: number | null;
  readonly background: boolean;
  /** Milliseconds; null if a recording has no times. */
  readonly ms: number | null;
  /** Last lines of a failed command's output; empty after a success. */
  readonly tail: string;
  /** Failures according to the last lines, such as `2 failed`: a pipe hides them from the exit status. */
  readonly failures?: string | undefined;
}

export interface FileChange {
  /** The path as the tool named it; relative paths are relative to the working folder. */
  readonly path: string;
  readonly change: 'created' | 'edited';
}

export interface StateEntry {
  readonly kind: 'state';
  readonly t: number;
  readonly what: 'session' | 'compaction' | 'clear' | 'handoff' | 'state';
  readonly from?: string | undefined;
  readonly to: string;
}

export interface TaskEntry {
  readonly kind: 'task';
  readonly t: number;
  readonly agent: string | null;
  readonly id: string;
  readonly subject: string;
  /** `pending`, `in_progress`, `completed`, `deleted`, or any other status of the tool. */
  readonly status: string;
}

/** Reported with `ctxb note dead-end`. */
export interface DeadEndReport {
  readonly kind: 'remark';
  readonly t: number;
  readonly text: string;
}

export interface DeadEnd {
  readonly key: string;
  readonly cause: 'told' | 'same failure' | 'edit reverted';
  /** The attempt and its outcome, on one line, at most 500 code points. */
  readonly text: string;
  /** `tool_use` ids, oldest first, at most 20. */
  readonly evidence: readonly string[];
  readonly count: number;
  readonly first: number;
  readonly last: number;
}
