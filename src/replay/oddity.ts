/**
 * - `drop`: the context became smaller and no boundary said so
 * - `boundary-without-drop`: a compaction after which the context was as large as before it
 * - `larger-window`: a context was larger than the window was taken for
 * - `no-usage`: a call whose usage is all zero: an API error, a back-end that counts nothing
 * - `other-model`: a call of another model than the one before it
 */
export type OddityKind = 'drop' | 'boundary-without-drop' | 'larger-window' | 'no-usage' | 'other-model';

/**
 * Why a context became smaller, as the lines before it show.
 * - `micro-compaction`: claude said that it took old results of tools out
 * - `context-editing`: it happened between two calls of one turn, where nothing was said
 * - `resume`: claude was ended, or another session came in between
 * - `plan`: a plan was accepted, to be carried out in an empty context
 * - `rewind`: the turn before was interrupted or taken back
 * - `pause`: nothing was said for over an hour, after which claude leaves out what no cache holds any more
 * - `model`: another model goes on, which is given less or counts otherwise
 */
export type DropCause =
  | 'micro-compaction'
  | 'context-editing'
  | 'resume'
  | 'plan'
  | 'rewind'
  | 'pause'
  | 'model'
  | 'unexplained';

/** One thing out of the ordinary, however often it happened. */
export interface Oddity {
  readonly kind: OddityKind;
  /** Only for a drop. */
  readonly cause: DropCause | null;
  readonly count: number;
  /** The first `MOST_EXAMPLES` of them. */
  readonly examples: readonly OddityExample[];
}

export interface OddityExample {
  /** Number of the main-thread call, from 1: the one at which it showed. */
  readonly call: number;
  /** Line of the recording, from 1. */
  readonly line: number;
  /** What was expected and what was found: tokens of context, or of the window; models for `other-model`. */
  readonly expected: number | string | null;
  readonly found: number | string | null;
}

/** Examples that are kept of each oddity. */
export const MOST_EXAMPLES = 5;
