import type { ResultEvent } from './events.ts';

export const NOTHING_TO_COMPACT = /not enough messages|no messages to compact/i;
/** What claude says instead of running a slash command. */
export const COMMANDS_OFF = /isn't available|not available in this|unknown (slash )?command|unknown skill/i;
export const BLOCKED = /blocked by PreCompact hook/i;
const API_DOWN = /API Error: (?:429|5\d\d)\b|overloaded|rate.?limit|temporarily unavailable/i;
/** The words of 2.1.197 and of 2.1.330 for a connection that fails. */
const UNREACHABLE =
  /unable to connect|connection (?:error|refused|dropped|lost|closed|reset)|can't reach the API|no internet route|couldn't connect|timed out|no response from API|fetch failed|\((?:E[A-Z]{4,}[A-Z_]*|Connection[A-Z]\w+|FailedToOpenSocket|\w*ERR_\w+)\)/i;
export const REJECTION = /API Error: 4(?!29)\d\d\b|prompt is too long|below the context limit/i;

/** The API answers nobody now, and may answer later. */
export function saysUnavailable(said: string): boolean {
  return !REJECTION.test(said) && (API_DOWN.test(said) || UNREACHABLE.test(said));
}

/** Whether the prompt was refused because the context was full. */
export function isExhaustion(event: ResultEvent): boolean {
  const { isError, terminalReason, text } = event;
  if (!isError) return false;
  return terminalReason === 'blocking_limit' || terminalReason === 'prompt_too_long' || TOO_LONG.test(text ?? '');
}

const TOO_LONG = /^(?:API Error: 400 .*)?prompt is too long/i;
