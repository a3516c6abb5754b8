import type { Event, UserEvent } from '../protocol/events.ts';
import type { ExactReceipt } from '../protocol/exact-plan.ts';
import type { Fields } from '../protocol/fields.ts';
import type { TimerName } from './effects.ts';
import type { Asker } from './relief/relief-state.ts';
import type { FileMeasure } from './tool-budget/tool-budget.ts';

/** A request to a run from outside. `now`: within the running turn, if possible. */
export interface Ask {
  readonly what: 'compact' | 'handoff' | 'stop';
  readonly now: boolean;
}

/** An event with its time in milliseconds since the epoch and its source. */
export type Input =
  /** A line from claude or from a recording. */
  | { readonly t: number; readonly from: 'claude'; readonly event: Event }
  /** A line from the caller, decoded and raw, without terminator. */
  | { readonly t: number; readonly from: 'caller'; readonly event: Event; readonly line: string }
  /** The caller's input has ended. */
  | { readonly t: number; readonly from: 'caller'; readonly event: { readonly kind: 'end' } }
  /** A timer that an action had set has expired. */
  | {
      readonly t: number;
      readonly from: 'timer';
      readonly event: { readonly kind: 'timeout'; readonly timer: TimerName };
    }
  | { readonly t: number; readonly from: 'ctxb'; readonly event: OwnEvent };

export type OwnEventOf<K extends OwnEvent['kind']> = Extract<OwnEvent, { readonly kind: K }>;

/** Events of ctxb itself, or of a user through one of its commands. */
export type OwnEvent =
  /** claude's process is running. */
  | { readonly kind: 'begin' }
  /** The user pressed Ctrl-C. */
  | { readonly kind: 'interrupt' }
  /** The handoff document is complete; `path` is undefined if it could not be written. */
  | {
      readonly kind: 'handoff-written';
      readonly path: string | undefined;
      readonly text: string;
      readonly by: 'agent' | 'memory';
      readonly problems: readonly string[];
    }
  /** Costs of other runs of the project, and of this run before the period began, in micro-dollars. */
  | { readonly kind: 'project-cost'; readonly others: number; readonly earlier: number }
  /** The user's answer at a cost limit: a new limit in US dollars, or undefined to stop. */
  | { readonly kind: 'cost-answer'; readonly limitUsd: number | undefined }
  /** The user's answer after stopping a turn: whether to send the next prompt. */
  | { readonly kind: 'stop-answer'; readonly goesOn: boolean }
  | RecoveredEvent
  | ExitEvent
  /** The state of the work, reported with `ctxb note state`. */
  | { readonly kind: 'state'; readonly to: string }
  /** An approach that does not work, reported with `ctxb note dead-end`. */
  | { readonly kind: 'dead-end'; readonly text: string }
  /** An entry of working memory from an earlier run of the same session. */
  | { readonly kind: 'earlier'; readonly entry: Fields }
  /** Tokens and cost of a subagent's calls by its log, or by claude's counter. */
  | { readonly kind: 'agent-read'; readonly id: string; readonly tokens: number; readonly microUsd: number }
  /** Size of a file that a tool is about to read; `file` is undefined if it is not text or does not exist. */
  | { readonly kind: 'file-measured'; readonly requestId: string; readonly file: FileMeasure | undefined }
  /** ctxb answered one of its hooks with an error, so claude continues without the answer. */
  | { readonly kind: 'hook-failed'; readonly requestId: string }
  /** The path of a whole tool result; undefined if it could not be stored. */
  | { readonly kind: 'result-stored'; readonly requestId: string; readonly path: string | undefined }
  /**
   * The folder of the mod. `path` is undefined if it could not be written, or, with `guarded`, because a hook of the
   * user's must be asked.
   */
  | { readonly kind: 'exact-folder'; readonly path: string | undefined; readonly guarded?: boolean }
  /** The mod has responded. */
  | { readonly kind: 'exact-proved' }
  /** The result of the mod in the compaction that claude reports next, and the texts of the messages that stay. */
  | { readonly kind: 'exact-receipt'; readonly receipt: ExactReceipt; readonly kept: readonly string[] }
  /** A request by `ctxb compact`, `ctxb handoff` or `ctxb stop`. Answered by an `answer-asker`. */
  | { readonly kind: 'ask'; readonly ask: Ask; readonly by: Asker }
  /** The path of the session's notes, as the agent should write it. All earlier entries have been reported. */
  | { readonly kind: 'notes'; readonly path: string };

/** An interrupted run resumes. */
export interface RecoveredEvent extends Pick<ExitEvent, 'finished' | 'openTool'> {
  readonly kind: 'recovered';
  /** Lines of prompts that claude has received, without an answer for the caller. */
  readonly answers: readonly string[];
  /** The document with which a fresh session begins. */
  readonly document: { readonly path: string; readonly text: string } | undefined;
  readonly spent: SpentBefore;
}

/** The earlier spending of a resumed run, in micro-dollars. */
export interface SpentBefore {
  /** Part that is already in the project's ledger. */
  readonly settled: number;
  /** Further part: calls that were running when the run was interrupted. */
  readonly open: number;
  /** Limits in US dollars that the user set in place of reached ones. */
  readonly raised: { readonly run?: number | undefined; readonly project?: number | undefined };
  /** Number of subagents that the run had started. */
  readonly agents: number;
  /** See `Spending.lost`. */
  readonly lost: number;
}

/** claude's process has ended. */
export interface ExitEvent {
  readonly kind: 'exit';
  readonly code: number | undefined;
  readonly signal: string | undefined;
  /** Whether the session has a log, so that it can be resumed. */
  readonly logged: boolean;
  /** `uuid`s of the running turn's prompts that are in the log. */
  readonly delivered: readonly string[];
  /** Whether the log shows the end of the last turn. */
  readonly finished: boolean;
  /** A tool call without a result, in a few words; undefined if all have results. */
  readonly openTool: string | undefined;
  /** Cost of the calls since claude's last report by its log, in micro-dollars; undefined without a log. */
  readonly openMicroUsd?: number;
}

/** A prompt on its way to claude. */
export interface Prompt {
  readonly uuid: string;
  /** The line for claude's stdin, without terminator: the caller's own bytes if the caller wrote a line. */
  readonly line: string;
  readonly text: string;
  /** Name of the slash command; undefined for other prompts. */
  readonly command: string | undefined;
  readonly event: UserEvent;
  /** Why the work was interrupted that the prompt resumes; undefined for a prompt of the caller's. */
  readonly work?: string;
  /** The prompts that its text repeats. */
  readonly repeats?: readonly Prompt[];
}
