import type { ApiFailure } from './api-failure.ts';
import type { ResultEvent } from './events.ts';
import { countOf, countOrZero, type Fields, fieldsOf, groupsIn } from './fields.ts';

export const NOTHING_TO_COMPACT = /not enough messages|no messages to compact/i;
/** claude's words when it does not run a slash command. */
export const COMMANDS_OFF = /isn't available|not available in this|unknown (slash )?command|unknown skill/i;
export const UNWRITABLE = /\b(?:ENOSPC|EDQUOT|EFBIG|EROFS)\b/;
export const BLOCKED = /blocked by PreCompact hook/i;
/** claude reports a 429 for an API key as "Request rejected (429)": a rate limit that resets within a minute. */
const API_DOWN =
  /API Error: (?:40[89]|429|5\d\d)\b|Request rejected \(429\)|overloaded|rate.?limit|temporarily (?:unavailable|limiting)/i;
/** Messages of 2.1.197 and of 2.1.330 for a failed connection. */
const UNREACHABLE =
  /unable to connect|connection (?:error|refused|dropped|lost|closed|reset)|can't reach the API|no internet route|couldn't connect|timed out|no response from API|fetch failed|\((?:E[A-Z]{4,}[A-Z_]*|Connection[A-Z]\w+|FailedToOpenSocket|\w*ERR_\w+)\)/i;
export const REJECTION = /API Error: 4(?!0[89]|29)\d\d\b|prompt is too long|below the context limit/i;
const TOO_LONG_ANSWER = /output token maximum/i;

const LIMIT_REACHED = /hit your .*limit|usage limit reached/i;

/** Whether a later request may succeed, by the HTTP status. These are the statuses at which claude tries again. */
export function isTemporary(status: number): boolean {
  return status >= 500 || [408, 409, 429].includes(status);
}

/** Whether an error says that the API is unavailable and may answer later. */
export function saysUnavailable(text: string): boolean {
  return !REJECTION.test(text) && (API_DOWN.test(text) || UNREACHABLE.test(text) || LIMIT_REACHED.test(text));
}

/** The API failure behind an error from claude; undefined if a repeated request would fail too. */
export function failureOf(line: Fields, text: string): ApiFailure | undefined {
  const status = countOrZero(line.api_error_status);
  const isAccountFault = (ACCOUNT_FAULTS.includes(status) && line.api_error_type !== undefined) || NO_CREDIT.test(text);
  const isAnswered = !isTemporary(status) && !saysUnavailable(text) && !isForeign(line, text);
  if (isAnswered && !isAccountFault) return undefined;
  const isLimit = line.api_error === 'usage_limit_reached' || LIMIT_REACHED.test(text);
  const { resetsAt } = fieldsOf(fieldsOf(line.api_error_params).rate_limit_info);
  return {
    cause: isLimit ? 'limit' : 'outage',
    resetsAt: isLimit ? epochMsOf(resetsAt) : undefined,
    ...(status > 0 && { status }),
    ...((isAccountFault || WRONG_ADDRESS.includes(status)) && { onlyAfterAnswer: true }),
    ...(isAccountFault && { isAccountFault }),
  };
}

/** Statuses that a repeated request would get again, because it is too large or malformed. */
const REQUEST_FAULTS: readonly number[] = [413, 414, 415, 422, 431];
/** Statuses of a wrong or expired key, an unpaid bill, a forbidden account, and a missing model. */
const ACCOUNT_FAULTS: readonly number[] = [401, 402, 403, 404];
const NO_CREDIT = /^credit balance is too low/i;
/** Statuses that every request to a wrong address gets. */
const WRONG_ADDRESS: readonly number[] = [400, 404, 405];

/**
 * Whether another server answered, such as a proxy. In versions that report a status, an error of the API names its
 * type.
 */
function isForeign(line: Fields, text: string): boolean {
  const isApiError =
    line.terminal_reason === 'api_error' ? 'api_error_status' in line : line.is_api_error_message === true;
  if (!isApiError || line.api_error_type !== undefined || TOO_LONG_ANSWER.test(text)) return false;
  const status = countOf(line.api_error_status);
  // Without a status claude may not have sent a request, for example without an API key.
  return status === undefined ? /^API Error\b/.test(text) : !REQUEST_FAULTS.includes(status);
}

export function epochMsOf(value: unknown): number | undefined {
  const seconds = countOf(value);
  return seconds === undefined ? undefined : seconds * 1000;
}

/** Whether claude or the API rejected the prompt because the context was full. */
export function isExhaustion(event: ResultEvent): boolean {
  const { isError, terminalReason, text = '' } = event;
  if (!isError) return false;
  return terminalReason === 'blocking_limit' || terminalReason === 'prompt_too_long' || TOO_LONG.test(text);
}

const TOO_LONG = /^(?:API Error: 400 .*)?prompt is too long/i;

/** The rejected size and the limit, in the error message of the API or of claude. */
export function refusedSize(text: string): { readonly tokens: number; readonly limit: number } | undefined {
  const [tokens, limit] = groupsIn(/(\d+) tokens (?:> |\(limit )(\d+)/, text);
  return tokens === undefined ? undefined : { tokens: Number(tokens), limit: Number(limit) };
}
