import type { Decision } from '../governor/actions.ts';
import type { GovernorState } from '../governor/state.ts';

/** Who is told what happens in a session, for the person who watches it. */
export interface Watcher {
  /** Something worth a sentence. */
  notice(text: string): void;
  decision(decision: Decision): void;
  /** The state after a step. */
  status(state: GovernorState): void;
  /** A line of claude's stderr. */
  relay(line: string): void;
  /** The session is over; there is no status any more. */
  ended(state: GovernorState): void;
  /** Something is about to be written to stdout, which may be the same terminal. */
  clear(): void;
  /** Puts a question to the person. Resolves with what was typed; undefined: nothing was, or nobody is there. */
  ask(question: string, answer: () => Promise<string | undefined>): Promise<string | undefined>;
}
