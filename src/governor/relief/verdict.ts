import type { ApiRetryEvent, ResultEvent } from '../../stream/events.ts';
import type { Verdict } from '../actions.ts';
import type { Attempt } from '../state.ts';

const NOTHING_TO_COMPACT = /not enough messages|no messages to compact/i;
/** What claude says instead of running a slash command. */
export const COMMANDS_OFF = /isn't available|not available in this|unknown (slash )?command|unknown skill/i;
const BLOCKED = /blocked by PreCompact hook/i;
const API_DOWN = /API Error: (?:429|5\d\d)\b|overloaded|rate.?limit|temporarily unavailable/i;
/** The words of 2.1.197 and of 2.1.330 for a connection that fails. */
const UNREACHABLE =
  /unable to connect|connection (?:error|refused|dropped|lost|closed|reset)|can't reach the API|no internet route|couldn't connect|timed out|no response from API|fetch failed|\((?:E[A-Z]{4,}[A-Z_]*|Connection[A-Z]\w+|FailedToOpenSocket|\w*ERR_\w+)\)/i;
const REJECTION = /API Error: 4(?!29)\d\d\b|prompt is too long|below the context limit/i;

/** What an attempt has been told of its end before the result. */
type Told = Pick<Attempt, 'error' | 'apiStatus' | 'boundarySeen'>;

/** How an attempt to compact ended, by what claude said until its result. */
export function verdictOf(attempt: Told, result: ResultEvent): Verdict {
  if (attempt.boundarySeen) return 'success';
  const said = [attempt.error, result.text, ...result.errors].filter((text) => text !== undefined).join('\n');
  if (BLOCKED.test(said)) return 'blocked';
  if (NOTHING_TO_COMPACT.test(said)) return 'empty';
  if (COMMANDS_OFF.test(said)) return 'refused';
  if (isRejected({ error: said, apiStatus: attempt.apiStatus })) return 'failed';
  return isDown(attempt.apiStatus) || saysUnavailable(said) ? 'unavailable' : 'failed';
}

/** The API answers nobody now, and may answer later. */
export function saysUnavailable(said: string): boolean {
  return !REJECTION.test(said) && (API_DOWN.test(said) || UNREACHABLE.test(said));
}

/** By the status for which claude tried a call again. */
export function isDown(status: Attempt['apiStatus']): boolean {
  return status === 'unreachable' || status === 429 || (status !== undefined && status >= 500);
}

/** The status of a call that claude tries again. */
export function statusOf({ status }: ApiRetryEvent): Attempt['apiStatus'] {
  return status ?? 'unreachable';
}

/** The API said that it would not, rather than that it could not now. */
export function isRejected({ error, apiStatus }: Pick<Attempt, 'error' | 'apiStatus'>): boolean {
  const byStatus = typeof apiStatus === 'number' && apiStatus >= 400 && apiStatus < 500 && apiStatus !== 429;
  return byStatus || REJECTION.test(error ?? '');
}
