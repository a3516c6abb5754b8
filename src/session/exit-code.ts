import type { ResultEvent } from '../stream/events.ts';
import { type ChildEnd, signalExitCode } from './child.ts';

/**
 * The exit code for the caller: the signal that ended the run, else claude's own. Where claude judged by its last
 * result (0 or 1) the last *visible* result counts instead, because a hidden turn after an error would turn 1 into 0.
 */
export function exitCodeOf(
  end: ChildEnd,
  lastResult: ResultEvent | undefined,
  received: NodeJS.Signals | undefined,
  readerGone: boolean,
): number {
  if (received !== undefined) return signalExitCode(received);
  if (readerGone) return signalExitCode('SIGPIPE');
  if (end.signal !== undefined) return signalExitCode(end.signal);
  const code = end.code ?? 1;
  if (code > 1 || lastResult === undefined) return code;
  return lastResult.isError ? 1 : 0;
}
