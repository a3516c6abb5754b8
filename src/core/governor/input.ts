import type { Event, UserEvent } from '../protocol/events.ts';
import type { ExactReceipt } from '../protocol/exact-plan.ts';
import type { Fields } from '../protocol/fields.ts';
import type { TimerName } from './effects.ts';
import type { Asker, Unfinished } from './relief/relief-state.ts';
import type { FileMeasure } from './tool-budget/tool-budget.ts';

/** Requests to a run from outside. `now`: in the middle of a turn, if possible. */
export interface Ask {
  readonly what: 'compact' | 'handoff' | 'stop';
  readonly now: boolean;
}

/** Something that happened, with its time in milliseconds since the epoch and where it came from. */
export type Input =
  /** A line claude wrote, or a line of a recording. */
  | { readonly t: number; readonly from: 'claude'; readonly event: Event }
  /** A line the caller wrote, and the line itself, without terminator. */
  | { readonly t: number; readonly from: 'caller'; readonly event: Event; readonly line: string }
  /** The caller's input is at its end. */
  | { readonly t: number; readonly from: 'caller'; readonly event: { readonly kind: 'end' } }
  /** A timer that an action set has run out. */
  | {
      readonly t: number;
      readonly from: 'timer';
      readonly event: { readonly kind: 'timeout'; readonly timer: TimerName };
    }
  | { readonly t: number; readonly from: 'ctxb'; readonly event: OwnEvent };

/** Events of ctxb itself, or of a user through one of its commands. */
export type OwnEvent =
  /** The child is running. */
  | { readonly kind: 'begin' }
  /** The user pressed Ctrl-C. */
  | { readonly kind: 'interrupt' }
  /** The faults of the agent's handoff document. */
  | { readonly kind: 'handoff-problems'; readonly problems: readonly string[] }
  /** The document of a handoff is there; `path` undefined: it could not be written. */
  | {
      readonly kind: 'handoff-written';
      readonly path: string | undefined;
      readonly text: string;
      readonly by: 'agent' | 'memory';
      readonly problems: readonly string[];
    }
  /** Spending of other runs of the project, and of this one before the period began, in micro-dollars. */
  | { readonly kind: 'project-cost'; readonly others: number; readonly earlier: number }
  /** The person's answer at a cost limit: a new limit in US dollars, or undefined for no more. */
  | { readonly kind: 'cost-answer'; readonly limitUsd: number | undefined }
  /** The person's answer after having stopped a turn: whether the next prompt is to go. */
  | { readonly kind: 'stop-answer'; readonly goesOn: boolean }
  | RecoveredEvent
  | ExitEvent
  /** The present state of the work: `told` with `ctxb note state`, or found in the agent's words by a program. */
  | { readonly kind: 'state'; readonly to: string; readonly source: 'told' | 'pattern' }
  /** An approach that does not work, reported with `ctxb note dead-end`. */
  | { readonly kind: 'dead-end'; readonly text: string }
  /** An entry of working memory from an earlier run of the same session. */
  | { readonly kind: 'earlier'; readonly entry: Fields }
  /** Size of a file that a tool is to read; `file` undefined: it is not text, or does not exist. */
  | { readonly kind: 'file-measured'; readonly requestId: string; readonly file: FileMeasure | undefined }
  /** One of our hooks was answered with an error: claude continues without it. */
  | { readonly kind: 'hook-failed'; readonly requestId: string }
  /** The path of a whole tool result; `path` undefined: it could not be stored. */
  | { readonly kind: 'result-stored'; readonly requestId: string; readonly path: string | undefined }
  /** The folder of the mod; undefined: it could not be written, or, `guarded`, a hook of the user's must be asked. */
  | { readonly kind: 'exact-folder'; readonly path: string | undefined; readonly guarded?: boolean }
  /** The mod has given a sign of life. */
  | { readonly kind: 'exact-proved' }
  /** The mod's work in the compaction that claude reports next, and the text of the messages that stay. */
  | { readonly kind: 'exact-receipt'; readonly receipt: ExactReceipt; readonly kept: readonly string[] }
  /** `ctxb compact`, `ctxb handoff` or `ctxb stop` asks something of this run. Answered by an `answer-asker`. */
  | { readonly kind: 'ask'; readonly ask: Ask; readonly by: Asker }
  /** The path of the session's notes, as the agent should name it; all earlier entries have been reported. */
  | { readonly kind: 'notes'; readonly path: string };

/** A run that was broken off is taken up. */
export interface RecoveredEvent extends Pick<ExitEvent, 'finished' | 'openTool'> {
  readonly kind: 'recovered';
  /** Lines of prompts that claude has got, and whose answer the caller has not. */
  readonly answers: readonly string[];
  /** The document that a fresh session begins with. */
  readonly document: { readonly path: string; readonly text: string } | undefined;
  readonly spent: SpentBefore;
}

/** The earlier spending of a resumed run, in micro-dollars. */
export interface SpentBefore {
  /** The part that the project's ledger already has. */
  readonly settled: number;
  /** The part on top of that: calls under way when the run broke off. */
  readonly open: number;
  /** Limits in US dollars that the person has set instead of those that were reached. */
  readonly raised: { readonly run?: number; readonly project?: number };
  /** How many subagents it had started. */
  readonly agents: number;
  /** See `Spending.lost`. */
  readonly lost: number;
}

/** claude's process has ended. */
export interface ExitEvent {
  readonly kind: 'exit';
  readonly code: number | undefined;
  readonly signal: string | undefined;
  /** The session has a log, so it can be resumed. */
  readonly logged: boolean;
  /** The prompts of the turn under way that the log has. */
  readonly delivered: readonly string[];
  /** The log shows that the last turn came to its end. */
  readonly finished: boolean;
  /** A tool call without a result, in a few words. */
  readonly openTool: string | undefined;
}

/** A prompt on its way to claude. */
export interface Prompt {
  readonly uuid: string;
  /** The line for claude's stdin, without terminator; the caller's own bytes where the caller wrote a line. */
  readonly line: string;
  readonly text: string;
  /** Name of the slash command, where it is one. */
  readonly command: string | undefined;
  readonly event: UserEvent;
  /** The interrupted work that it resumes; undefined: it is the caller's. */
  readonly work?: Unfinished;
}
