import type { ResultEvent } from '../../stream/events.ts';
import type { Verdict } from '../actions.ts';
import type { Attempt } from '../state.ts';

const NOTHING_TO_COMPACT = /not enough messages|no messages to compact/i;
/** What claude says instead of running a slash command. */
export const COMMANDS_OFF = /isn't available|not available in this|unknown (slash )?command|unknown skill/i;
const API_DOWN = /API Error: (429|5\d\d)\b|overloaded|rate.?limit/i;

/** What an attempt has been told of its end before the result. */
type Told = Pick<Attempt, 'error' | 'apiStatus' | 'boundarySeen'>;

/** How an attempt to compact ended, by what claude said until its result. */
export function verdictOf(attempt: Told, result: ResultEvent): Verdict {
  if (attempt.boundarySeen) return 'success';
  const said = [attempt.error, result.text, ...result.errors].filter((text) => text !== undefined).join('\n');
  if (NOTHING_TO_COMPACT.test(said)) return 'empty';
  if (COMMANDS_OFF.test(said)) return 'refused';
  const down = attempt.apiStatus !== undefined && (attempt.apiStatus === 429 || attempt.apiStatus >= 500);
  return down || API_DOWN.test(said) ? 'unavailable' : 'failed';
}

/** The API said that it would not, rather than that it could not now. */
export function isRejected({ error, apiStatus }: Attempt): boolean {
  const byStatus = apiStatus !== undefined && apiStatus >= 400 && apiStatus < 500 && apiStatus !== 429;
  return byStatus || REJECTION.test(error ?? '');
}

const REJECTION = /API Error: 4(?!29)\d\d\b|prompt is too long|below the context limit/i;
