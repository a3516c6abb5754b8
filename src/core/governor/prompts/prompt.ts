import { picturesIn, plainText, textsOf } from '../../protocol/blocks.ts';
import { decodeLine } from '../../protocol/decode.ts';
import type { UserEvent } from '../../protocol/events.ts';
import { type Fields, fieldsOf, groupsIn, listOf, parseFields } from '../../protocol/fields.ts';
import { endBefore, wholeCharacter } from '../../text/words.ts';
import type { Action } from '../decisions.ts';
import type { Prompt } from '../input.ts';
import type { GovernorState } from '../state.ts';

/**
 * Marks a `uuid` that ctxb gave to a caller's prompt: the first of its last twelve digits. In ids of ctxb's own lines,
 * this digit is 0.
 */
const STAMP = 'f';

/** The `uuid` for the `count`th prompt without one. */
export function stampUuid(runId: string, count: number): string {
  return runId.slice(0, -12) + STAMP + count.toString(16).padStart(11, '0');
}

/** Whether ctxb gave the `uuid` to a caller's prompt, in any run. A random UUID does not have this many zeros. */
export function isStamp(uuid: string): boolean {
  return STAMPED.test(uuid);
}

/** Part of every `uuid` that ctxb gives to a caller's prompt. */
export const STAMP_MARK = `-${STAMP}00000`;

const STAMPED = new RegExp(`${STAMP_MARK}[0-9a-f]{6}$`);

const COMMAND = /^\s*\/([\w:-]+)(?=\s|$)/;

export function toPrompt(event: UserEvent, line: string): Prompt {
  const text = plainText(event.blocks);
  return { uuid: event.uuid ?? '', line, text, command: commandIn(text), event };
}

/** Whether claude stops the running turn for the prompt, unless that turn is about to end. */
export function stopsTurn({ line }: Prompt): boolean {
  return parseFields(line).priority === 'now';
}

/** The prompt in a line for claude's stdin; undefined for any other line. */
export function promptIn(line: string): Prompt | undefined {
  const event = decodeLine(line);
  return event.kind === 'user' ? toPrompt(event, line) : undefined;
}

/** Name of the slash command in a prompt; undefined for other prompts. */
export function commandIn(text: string): string | undefined {
  return groupsIn(COMMAND, text)[0];
}

export function relievesContext(prompt: Prompt | undefined): boolean {
  return prompt?.command === 'compact' || prompt?.command === 'clear';
}

/** Whether a prompt describes a task, unlike `Go on.` or `yes`. */
export function describesTask(text: string): boolean {
  return text.trim().length >= 30 || text.trim().split(/\s+/).length >= 4;
}

/** Maximum length of a text that is given back whole, in UTF-16 units. */
const MAX_WHOLE_LENGTH = 8_000;

/**
 * UTF-16 units that a longer text keeps, half at each end, because the request may follow pasted text. The evidence
 * needs the rest of the room.
 */
const ENDS_LENGTH = 5_000;

/**
 * Prompts that can be given back. Includes commands, because most expand to a prompt, but not `/compact` and `/clear`.
 */
export function requestsIn(prompts: readonly Prompt[]): readonly Prompt[] {
  return prompts.filter((prompt) => !relievesContext(prompt) && prompt.event.blocks.length > 0);
}

/** Pictures, documents and other blocks of prompts that a text cannot repeat, as the caller wrote them. */
export function attachmentsOf(prompts: readonly Prompt[]): readonly Fields[] {
  const blocks = prompts.flatMap(({ line }) => listOf(fieldsOf(parseFields(line).message).content)).map(fieldsOf);
  // Without its call, the API refuses a result.
  return blocks.filter(({ type }) => type !== 'text' && type !== 'tool_result');
}

/**
 * Quotes prompts for the agent.
 *
 * - `text`: the whole text, or only both ends if it is longer than `maxLength`.
 * - `shorter`: both ends, for a context with little room; missing for a short text.
 * - `actions`: store a long text in a file, which `text` names.
 *
 * @param opening a sentence before the text, without its final punctuation
 * @param maxLength in UTF-16 units
 */
export function promptsAsText(
  state: GovernorState,
  prompts: readonly Prompt[],
  opening: string,
  maxLength = MAX_WHOLE_LENGTH,
) {
  const blocks = prompts.flatMap((prompt, index) => [...(index === 0 ? [] : ['']), ...blocksAsText(prompt)]);
  const texts = blocks.join('\n');
  const whole = `${opening}, word for word:\n\n${texts}`;
  const ends = Math.min(ENDS_LENGTH, maxLength);
  if (texts.length <= ends) return { text: whole, actions: [] };
  const file = `prompts/${fileName(state, prompts[0]?.uuid ?? '')}.md`;
  const path = `${state.run.contextDir}/${file}`;
  const extent = `Both ends of its ${texts.length} characters follow; read ${path} for the whole`;
  const shortened = (half: number) => {
    const beginning = texts.slice(0, endBefore(texts, half));
    return `${opening}. ${extent}:\n\n${beginning}\n[…]\n${texts.slice(wholeCharacter(texts, texts.length - half))}`;
  };
  const text = texts.length <= maxLength ? whole : shortened(ends / 2);
  const keep: Action = { kind: 'keep', file, texts: blocks };
  // If room is scarce, failures take precedence over the ends of the prompt.
  return { text, shorter: shortened(ends < ENDS_LENGTH ? ends / 4 : ends / 2), actions: [keep] };
}

/** The text of a prompt, block by block. It mentions pictures and the expansion of a command. */
function blocksAsText({ text, event, command }: Prompt): string[] {
  const pictures = picturesIn(event.blocks);
  const mention = pictures === 0 ? [] : [`(with ${pictures === 1 ? 'a picture' : `${pictures} pictures`})`];
  return [
    ...(text === '' ? [] : textsOf(event.blocks)),
    ...mention,
    ...(command === undefined ? [] : [COMMAND_MENTION]),
  ];
}

const COMMAND_MENTION = '(a slash command: what it asks for is in its file, or behind the Skill tool)';

/**
 * The name of the file for a prompt. The caller's `uuid` can be any text, so it counts only if it looks like a UUID.
 */
function fileName(state: GovernorState, uuid: string): string {
  return /^[\w-]{8,64}$/.test(uuid) ? uuid : `turn-${state.turn.ended + 1}`;
}
