import { CONTINUE_SENTENCE, OWN_OPENING } from '../governor/prompts/own-lines.ts';
import { isHandoffRequest } from '../governor/relief/handoff-request.ts';
import { groupsIn } from '../protocol/fields.ts';
import { oneLine, shorten } from '../text/words.ts';

/** Messages that ctxb adds to the conversation. The next compaction recognizes them by their openings. */
export type OwnMessage =
  | { readonly kind: 'note'; readonly omittedSteps: number }
  /** The work between two prompts, one line per step. */
  | { readonly kind: 'lines'; readonly lines: readonly string[] }
  /** The user's words during a turn. */
  | { readonly kind: 'heard'; readonly text: string }
  /** ctxb's request to resume interrupted work or to write a handoff document. */
  | { readonly kind: 'asked' }
  /** claude's own summary, from a compaction that was not exact. */
  | { readonly kind: 'summary'; readonly text: string };

const NOTE = '[ctxb] The conversation was compacted here.';
const EXPLANATION = 'Prompts stand as they were said, older steps as one line each, the steps below this note whole.';
const OMITTED_STEPS = /^.* (\d{1,9}) older steps? (?:is|are) left out\./;
const LINES_TITLE = '[ctxb] Done here, one line a step:';
const STEP_TITLE = '[ctxb] Your last step, one line a call; what it gave back stands below:';
const SUMMARY_TITLE = "[ctxb] Claude's summary of what came before:";
const HEARD_TITLE = '[ctxb] The user said while you worked:';
const BULLET = '- ';
/** Begins a line with the model's words next to its tool calls. */
export const WORDS_PREFIX = 'said: ';

export function isOwnMessage(text: string): boolean {
  return readOwnMessage(text) !== undefined;
}

export function isStep(text: string): boolean {
  return text.startsWith(STEP_TITLE);
}

function isAsked(text: string): boolean {
  return (text.startsWith(OWN_OPENING) && text.endsWith(CONTINUE_SENTENCE)) || isHandoffRequest(text);
}

/** Reads a message that ctxb added; undefined for other messages. */
export function readOwnMessage(text: string): OwnMessage | undefined {
  if (text.startsWith(NOTE)) return { kind: 'note', omittedSteps: Number(groupsIn(OMITTED_STEPS, text)[0] ?? 0) };
  if (text.startsWith(SUMMARY_TITLE)) return { kind: 'summary', text: text.slice(SUMMARY_TITLE.length + 1) };
  if (text.startsWith(HEARD_TITLE)) return { kind: 'heard', text: text.slice(HEARD_TITLE.length + 1) };
  if (isAsked(text)) return { kind: 'asked' };
  if (!text.startsWith(LINES_TITLE) && !isStep(text)) return undefined;
  // Text below the lines of a step may look like lines.
  const [listed = ''] = text.split('\n\n', 1);
  const lines = listed.split('\n').filter((line) => line.startsWith(BULLET));
  return { kind: 'lines', lines: lines.map((line) => line.slice(BULLET.length)) };
}

/** The note of a compaction. @param omitted number of omitted steps since the beginning of the session */
export function noteText(note: string, omitted: number): string {
  const omission = omitted === 0 ? '' : ` ${omitted} older ${omitted === 1 ? 'step is' : 'steps are'} left out.`;
  return `${NOTE} ${EXPLANATION}${omission}${note === '' ? '' : `\n\n${note}`}`;
}

export function stepLinesText(lines: readonly string[]): string {
  return listText(LINES_TITLE, lines);
}

function listText(title: string, lines: readonly string[]): string {
  return [title, ...lines.map((line) => BULLET + line)].join('\n');
}

/** A whole step as text. @param calls each with its result */
export function stepText(lines: readonly string[], calls: readonly string[]): string {
  return [listText(STEP_TITLE, lines), ...calls].join('\n\n');
}

export function midTurnText(text: string): string {
  return `${HEARD_TITLE}\n${text}`;
}

export function summaryText(text: string): string {
  return `${SUMMARY_TITLE}\n${text}`;
}

const TASK_NOTIFICATION =
  /^<task-notification>[\s\S]*?<summary>([\s\S]*?)<\/summary>(?:[\s\S]*?<result>([\s\S]*)<\/result>)?/;

/** Maximum code points of a subagent's report; the conversation contains it only here. */
const REPORT_LENGTH = 600;

/** claude's message about a completed background task, as a line; undefined for other messages. */
export function reportLine(text: string): string | undefined {
  const [summary, result] = groupsIn(TASK_NOTIFICATION, text);
  if (summary === undefined) return undefined;
  return shorten(oneLine([summary, result].filter(Boolean).join(': '), 4 * REPORT_LENGTH), REPORT_LENGTH);
}
