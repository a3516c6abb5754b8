import type { ApiRetryEvent, ResultEvent } from '../../protocol/events.ts';
import { BLOCKED, COMMANDS_OFF, NOTHING_TO_COMPACT, REJECTION, saysUnavailable } from '../../protocol/failures.ts';
import type { Verdict } from '../decisions.ts';
import type { Attempt } from '../state.ts';

type Failure = Pick<Attempt, 'error' | 'apiStatus'>;

/** How an attempt to compact ended, by what claude said until its result. */
export function verdictOf(attempt: Failure & Pick<Attempt, 'boundarySeen'>, result: ResultEvent): Verdict {
  if (attempt.boundarySeen) return 'success';
  const said = [attempt.error, result.text, ...result.errors].filter((text) => text !== undefined).join('\n');
  if (BLOCKED.test(said)) return 'blocked';
  if (NOTHING_TO_COMPACT.test(said)) return 'empty';
  if (COMMANDS_OFF.test(said)) return 'refused';
  if (isRejected({ error: said, apiStatus: attempt.apiStatus })) return 'failed';
  return isDown(attempt.apiStatus) || saysUnavailable(said) ? 'unavailable' : 'failed';
}

/** By the status for which claude tried a call again. */
export function isDown(status: Attempt['apiStatus']): boolean {
  return status === 'unreachable' || status === 429 || (status !== undefined && status >= 500);
}

export function statusOf({ status }: ApiRetryEvent): Attempt['apiStatus'] {
  return status ?? 'unreachable';
}

/** The API said that it would not, rather than that it could not now. */
export function isRejected({ error, apiStatus }: Failure): boolean {
  const byStatus = typeof apiStatus === 'number' && apiStatus >= 400 && apiStatus < 500 && apiStatus !== 429;
  return byStatus || REJECTION.test(error ?? '');
}

/** Verdicts that show that compacting again would not help either. */
export function countsAsFailure(verdict: Verdict): boolean {
  return verdict !== 'success' && verdict !== 'unavailable' && verdict !== 'blocked';
}
