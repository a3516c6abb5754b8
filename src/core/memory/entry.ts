/**
 * What working memory keeps: facts, in the order they came. One entry is one line of `memory.ndjson`; the index, the
 * detail files and the dead ends are a pure function of the entries, so that they can be made again after a crash.
 * Texts are masked and bounded where they are made, except prompts, which are kept whole.
 */
export type Entry = PromptEntry | ToolEntry | StateEntry | TaskEntry | RemarkEntry;

export interface PromptEntry {
  readonly kind: 'prompt';
  /** Milliseconds since the epoch; 0 where a recording does not say. */
  readonly t: number;
  readonly text: string;
  readonly pictures: number;
}

/**
 * - `ok`, `failed`: the tool ran.
 * - `refused`: it did not run, because of a person, a permission or claude's own checks.
 * - `cancelled`: it did not run or its end is not known (a parallel call failed, the turn was interrupted).
 */
export type Outcome = 'ok' | 'failed' | 'refused' | 'cancelled';

export interface ToolEntry {
  readonly kind: 'tool';
  readonly t: number;
  readonly id: string;
  readonly name: string;
  /** The subagent's task, or its id; null for the main thread. */
  readonly agent: string | null;
  readonly outcome: Outcome;
  /** The request on one line, at most 500 code points. */
  readonly title: string;
  /** Its result, on one line, at most 500 code points. */
  readonly said: string;
  /** Input and result for the tool log, on one line, at most 500 code points. */
  readonly gist?: string | undefined;
  /** Fingerprint of the input, independent of the order of its keys. */
  readonly input: string;
  readonly output: string;
  /** For a failure: its message with numbers, paths and hexadecimals masked; absent without a message. */
  readonly signature?: string | undefined;
  readonly command?: CommandFacts | undefined;
  readonly reads?: string | undefined;
  /** Files that this call has certainly changed. */
  readonly changes?: readonly FileChange[] | undefined;
  /** Edits: fingerprints of the text that was there and of what was put in its place. */
  readonly swaps?: readonly Swap[] | undefined;
}

export interface CommandFacts {
  readonly text: string;
  /** Exit status; null where it is not known (in the background, refused, interrupted). */
  readonly exit: number | null;
  readonly background: boolean;
  /** Milliseconds; null where a recording does not say. */
  readonly ms: number | null;
  /** Last lines of a failure's output; empty for a success. */
  readonly tail: string;
  /** Failures by the last lines, such as `2 failed`: after a pipe the status does not show them. */
  readonly failures?: string | undefined;
}

export interface FileChange {
  /** As the tool named it; a relative path is relative to the working folder. */
  readonly path: string;
  readonly change: 'created' | 'edited';
}

/** `all`: every change that is not committed. */
export interface Discard {
  readonly how: 'checkout' | 'restore' | 'reset';
  readonly paths: readonly string[] | 'all';
}

export interface Swap {
  readonly path: string;
  readonly before: string;
  readonly after: string;
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
  /** `pending`, `in_progress`, `completed`, `deleted`, or what else the tool says. */
  readonly status: string;
}

/** A report with `ctxb note dead-end` that an approach does not work. */
export interface RemarkEntry {
  readonly kind: 'remark';
  readonly t: number;
  readonly text: string;
}

export interface DeadEnd {
  /** The same approach has the same key. */
  readonly key: string;
  readonly cause: 'told' | 'same failure' | 'edit reverted' | 'changes discarded';
  /** The attempt and its outcome, on one line, at most 500 code points. */
  readonly text: string;
  /** `tool_use` ids, oldest first, at most 20. */
  readonly evidence: readonly string[];
  readonly count: number;
  readonly first: number;
  readonly last: number;
  readonly agent: string | null;
}
