import type { ContentKind } from '../../core/governor/gauge/estimator.ts';
import type { CallSeen } from '../items-seen.ts';

/** Where the figures of one call come from. Tokens throughout. */
export interface Explanation {
  /** As measured, with its cost. */
  readonly call: CallSeen;
  /** null where nothing was foreseen: the first call, the first after a compaction. */
  readonly prediction: Prediction | null;
  readonly error: {
    /** Predicted less measured. */
    readonly tokens: number;
    readonly percent: number;
  } | null;
}

/** `total` = `used` + `output` + `added`; `added` = the tokens of all `parts` that came in, rounded up. */
export interface Prediction {
  readonly total: number;
  /** Context of the call before. */
  readonly used: number;
  /** Of the call before. */
  readonly output: number;
  /** It is claude's own count; else it is estimated from the parts of the answer. */
  readonly outputKnown: boolean;
  readonly added: number;
  /** What one token that was expected had turned out to be by then, by kind of content. */
  readonly scales: Readonly<Record<ContentKind, number>>;
  readonly parts: readonly ExplainedPart[];
}

/** A piece of a line that came into the context. */
export interface ExplainedPart {
  /** Of the recording, from 1. */
  readonly line: number;
  /** `answer`, `prompt`, `notice`, a tool's name, or `forgotten thoughts`. */
  readonly source: string;
  readonly block: string;
  /** UTF-16 units of its texts. */
  readonly chars: number;
  /** As expected of any session, and as its calls have taught, to a tenth; below zero for what leaves the context. */
  readonly expected: number;
  readonly tokens: number;
  /** It is in the output count, not in what was added. */
  readonly inOutput: boolean;
}
