import type { Event, UserEvent } from '../protocol/events.ts';
import type { TimerName } from './effects.ts';
import type { OwnEvent } from './own-events.ts';

export type {
  ExitEvent,
  OutsideRequest,
  OwnEvent,
  OwnEventOf,
  RecoveredEvent,
  SpentBefore,
} from './own-events.ts';

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

/** A prompt on its way to claude. */
export interface Prompt {
  readonly uuid: string;
  /** The line for claude's stdin, without terminator: the caller's own bytes if the caller wrote a line. */
  readonly line: string;
  readonly text: string;
  /** Name of the slash command; undefined for other prompts. */
  readonly command: string | undefined;
  readonly event: UserEvent;
  /** Why the resumed work was interrupted; undefined for a prompt from the caller. */
  readonly resumeReason?: string;
  /** The prompts that its text repeats. */
  readonly repeats?: readonly Prompt[];
}
