import type { ResultEvent } from '../stream/events.ts';

/**
 * What claude prints for a result in text mode, to the byte (measured with 2.1.197): the text with a newline unless it
 * ends in one; for errors a sentence of its own, without a newline.
 */
export function resultText(event: ResultEvent): string {
  switch (event.subtype) {
    case 'error_max_turns':
      return `Error: Reached max turns (${figureOf(event)})`;
    case 'error_max_budget_usd':
      return `Error: Exceeded USD budget (${figureOf(event)})`;
    case 'error_max_structured_output_retries':
      return 'Error: Failed to provide valid structured output after maximum retries';
    case 'error_during_execution':
      return 'Execution error';
    default: {
      const text = event.text ?? '';
      return text.endsWith('\n') ? text : `${text}\n`;
    }
  }
}

/** Whether the turn was broken off: as text or as one JSON object, claude alone prints nothing of it. */
export function isBrokenOff({ subtype, terminalReason }: ResultEvent): boolean {
  return subtype === 'error_during_execution' && terminalReason?.startsWith('aborted') === true;
}

/** The limit that was reached stands in brackets in the result's own message. */
function figureOf(event: ResultEvent): string {
  return /\(\$?([\d.]+)\)/.exec(event.errors.join('\n'))?.[1] ?? '';
}
