import type { ApiRetryEvent } from '../../protocol/events.ts';
import type { CompactionKind } from '../decisions.ts';
import type { Reading } from '../gauge/gauge.ts';
import type { HandoffDocument } from '../relief/relief-state.ts';

/** One attempt to compact, from the command to its verdict. */
export interface Attempt {
  readonly how: CompactionKind;
  /** Micro-dollars. */
  readonly costBefore: number;
  readonly error?: string | undefined;
  /** claude's last retry. */
  readonly retry?: ApiRetryEvent;
  readonly boundarySeen?: boolean;
  /** Whether the caller interrupted it. Then it does not count as failed. */
  readonly interrupted?: boolean;
}

/**
 * The running operation. Prompts and other operations wait for its end. The phases of a handoff are `asking`,
 * `writing`, then `clearing` or `leaving`.
 */
export type Operation =
  | typeof IDLE
  /** claude loads the mod for the next compaction. */
  | { readonly phase: 'loading' }
  /** The cost limit is reached, and ctxb asks the user. */
  | { readonly phase: 'deciding' }
  | (InjectedTurn & { readonly phase: 'compacting'; readonly attempt: Attempt })
  /**
   * The agent writes the document. `isLate`: ctxb has interrupted it. `isApiDown`: claude retries a call, and no answer
   * has come since.
   */
  | (InjectedTurn & {
      readonly phase: 'asking';
      readonly plan: HandoffPlan;
      readonly isLate?: true;
      readonly isApiDown: boolean;
    })
  /** The host checks the answer and writes the document. */
  | { readonly phase: 'writing'; readonly plan: HandoffPlan }
  /** `isProved`: claude has shown that the conversation is new. `isGiven`: a hook has given the agent the document. */
  | (InjectedTurn &
      WrittenHandoff & { readonly phase: 'clearing'; readonly isProved: boolean; readonly isGiven: boolean })
  /** `/clear` has no effect, so this process ends and another one starts. */
  | (WrittenHandoff & { readonly phase: 'leaving' })
  /** No hook can give the agent the document, so a prompt does. `isLate`: ctxb has interrupted the turn. */
  | (InjectedTurn & { readonly phase: 'briefing'; readonly isLate?: true });

export type OperationIn<P extends Operation['phase']> = Extract<Operation, { readonly phase: P }>;

export const IDLE = { phase: 'idle' } as const;

interface InjectedTurn {
  readonly turn: 'asked' | 'running';
}

export interface WrittenHandoff {
  readonly plan: HandoffPlan;
  readonly document: HandoffDocument;
}

export interface HandoffPlan {
  readonly reason: string;
  readonly before: Reading;
  /** Calls of the session before the handoff. */
  readonly calls: number;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  /**
   * How the conversation ends: by `/clear`, by a new process, or with the run. `leave` is for a claude that ignores
   * `/clear`.
   */
  readonly way: 'clear' | 'leave' | 'end';
  /** `relief.due` before the handoff, restored if the handoff is postponed. */
  readonly due: string | undefined;
  /** Tokens of the agent's answers. */
  readonly answer?: number;
}
