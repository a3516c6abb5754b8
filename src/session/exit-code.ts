import type { GovernorState } from '../governor/state.ts';
import type { ResultEvent } from '../stream/events.ts';
import { type ChildEnd, signalExitCode } from './child.ts';

/** What else there is to the end of a run. */
interface RunEnd {
  readonly lastResult: ResultEvent | undefined;
  /** The first signal that ctxb got. */
  readonly received: NodeJS.Signals | undefined;
  /** stdout took no more, though it had a reader. */
  readonly isUnwritable: boolean;
  readonly outcome: GovernorState['outcome'];
}

/** A limit was hit; the context could not be relieved. */
const OUTCOMES = { limit: 3, unrelieved: 4 } as const;

/**
 * The exit code for the caller: the signal that ended the run, else claude's own. Where claude judged by its last
 * result (0 or 1) the last *visible* result counts instead, because a hidden turn after an error would turn 1 into 0.
 */
export function exitCodeOf(end: ChildEnd, { lastResult, received, isUnwritable, outcome }: RunEnd): number {
  if (received !== undefined) return signalExitCode(received);
  if (isUnwritable) return signalExitCode('SIGPIPE');
  if (outcome !== undefined) return OUTCOMES[outcome];
  if (end.signal !== undefined) return signalExitCode(end.signal);
  const code = end.code ?? 1;
  if (code > 1 || lastResult === undefined) return code;
  return lastResult.isError ? 1 : 0;
}
