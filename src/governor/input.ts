import type { Event } from '../stream/events.ts';
import type { Fields } from '../stream/fields.ts';
import type { TimerName } from './actions.ts';

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

/** What ctxb itself, or somebody through one of its commands, has to say. */
export type OwnEvent =
  /** The child is running; or the user pressed Ctrl-C. */
  | { readonly kind: 'begin' | 'interrupt' }
  /** Where the work stands now: `told` with `ctxb state`, or found in the agent's words. */
  | { readonly kind: 'state'; readonly to: string; readonly source: 'told' | 'pattern' }
  /** An approach that does not work, told with `ctxb dead-end`. */
  | { readonly kind: 'dead-end'; readonly text: string }
  /** An entry of working memory from an earlier run of the same session. */
  | { readonly kind: 'earlier'; readonly entry: Fields }
  /** Where the session's notes are, as the agent is to name it; all earlier entries have been told. */
  | { readonly kind: 'notes'; readonly path: string };
