import type { Event } from '../stream/events.ts';
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
  /** The child is running; or the user pressed Ctrl-C. */
  | { readonly t: number; readonly from: 'ctxb'; readonly event: { readonly kind: 'begin' | 'interrupt' } };
