import type { CompactionKind } from '../decisions.ts';
import type { Reading } from '../gauge/gauge.ts';
import type { HandoffDocument } from '../relief/relief-state.ts';

/** One attempt to compact, from the command to its verdict. */
export interface Attempt {
  readonly how: CompactionKind;
  /** Micro-dollars. */
  readonly costBefore: number;
  readonly error?: string | undefined;
  /** Status for which claude tried a call again last; `unreachable`: there was no answer at all. */
  readonly apiStatus?: number | 'unreachable' | undefined;
  readonly boundarySeen?: boolean;
  /** The caller interrupted it: that says nothing about compacting. */
  readonly interrupted?: boolean;
}

/**
 * What ctxb does with the conversation, one at a time: prompts wait, and so does whatever else is due. A compaction, or
 * a handoff from the question for the document to the fresh context; or it waits for something.
 */
export type Operation =
  | typeof IDLE
  /** claude loads the mod for the next compaction. */
  | { readonly phase: 'loading' }
  /** A limit on costs is reached, and the person is asked. */
  | { readonly phase: 'deciding' }
  | (InjectedTurn & { readonly phase: 'compacting'; readonly attempt: Attempt })
  /**
   * The agent answers with the document. `second`: it was told what was wrong with its first answer. `late`: it took
   * too long and was interrupted. `apiDown`: claude tries again, and the API has not answered since.
   */
  | (InjectedTurn & {
      readonly phase: 'asking';
      readonly plan: HandoffPlan;
      readonly attempt: 'first' | 'second' | 'late';
      readonly apiDown: boolean;
    })
  /** The answer is checked and written. */
  | { readonly phase: 'writing'; readonly plan: HandoffPlan }
  /**
   * `/clear` is on its way. `proved`: claude has shown that the conversation is a new one. `given`: a hook has taken
   * the document to the agent.
   */
  | (InjectedTurn & Written & { readonly phase: 'clearing'; readonly proved: boolean; readonly given: boolean })
  /** `/clear` has no effect here: this process ends and another one begins. */
  | (Written & { readonly phase: 'leaving' })
  /** No hook takes the document to the agent, so it is said. `isLate`: it took too long and was interrupted. */
  | (InjectedTurn & { readonly phase: 'briefing'; readonly isLate?: true });

export type OperationIn<P extends Operation['phase']> = Extract<Operation, { readonly phase: P }>;

export const IDLE = { phase: 'idle' } as const;

interface InjectedTurn {
  readonly turn: 'asked' | 'running';
}

export interface Written {
  readonly plan: HandoffPlan;
  readonly document: HandoffDocument;
}

export interface HandoffPlan {
  readonly reason: string;
  readonly before: Reading;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly sessionId: string | undefined;
  /** What becomes of the conversation: `/clear`, another process where that would not be run, or the end of the run. */
  readonly way: 'clear' | 'leave' | 'end';
  /** Why it was due before it began. */
  readonly due: string | undefined;
  /** Tokens that the agent has written for it. */
  readonly answer?: number;
}
