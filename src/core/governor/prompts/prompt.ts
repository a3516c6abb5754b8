import { picturesIn, plainText, textsOf } from '../../protocol/blocks.ts';
import type { UserEvent } from '../../protocol/events.ts';
import type { Action } from '../decisions.ts';
import type { Prompt } from '../input.ts';
import type { GovernorState } from '../state.ts';
import { endBefore, wholeCharacter } from './sentences.ts';

/** First of the last twelve digits of a `uuid` that a prompt was given here; ctxb's own lines begin with 0. */
const STAMP = 'f';

/** The `uuid` of the `count`th prompt of a run that came without one. */
export function stampUuid(runId: string, count: number): string {
  return runId.slice(0, -12) + STAMP + count.toString(16).padStart(11, '0');
}

/** Whether ctxb gave the `uuid`, in this run or in the one that it resumes. A random UUID does not have this many zeros. */
export function isStamp(uuid: string): boolean {
  return STAMPED.test(uuid);
}

/** In every such `uuid`. */
export const STAMP_MARK = `-${STAMP}00000`;

const STAMPED = new RegExp(`${STAMP_MARK}[0-9a-f]{6}$`);

const COMMAND = /^\s*\/([\w:-]+)(?=\s|$)/;

export function toPrompt(event: UserEvent, line: string): Prompt {
  const text = plainText(event.blocks);
  return { uuid: event.uuid ?? '', line, text, command: commandIn(text), event };
}

/** Name of the slash command in a prompt; undefined for other prompts. */
export function commandIn(text: string): string | undefined {
  return COMMAND.exec(text)?.[1];
}

/** Commands that relieve the context. */
export function relievesContext(prompt: Prompt | undefined): boolean {
  return prompt?.command === 'compact' || prompt?.command === 'clear';
}

/** `Go on.` or `yes` mean nothing without the text before them. */
export function tellsTask(text: string): boolean {
  return text.trim().length >= 30 || text.trim().split(/\s+/).length >= 4;
}

/** Characters of prompts that are handed back whole. */
const PROMPT_LIMIT = 8_000;

/** Characters of both ends of longer ones: the request may stand below what was pasted. Evidence needs room too. */
const ENDS_LENGTH = 5_000;

/** Prompts in the form in which the agent gets them back. */
interface GivenBack {
  readonly text: string;
  /** Both ends alone, where the whole leaves little room for anything else. */
  readonly shorter?: string;
  /** Texts that are too long go to a file, which the text names. */
  readonly actions: readonly Action[];
}

/** Requests that can be given back: also commands, most of which stand for a prompt, except those that make space. */
export function requestsIn(prompts: readonly Prompt[]): readonly Prompt[] {
  return prompts.filter((prompt) => !relievesContext(prompt) && prompt.event.blocks.length > 0);
}

/**
 * The words of prompts, whole or both ends and where the whole is.
 *
 * @param opening a sentence that says what they are, without its end
 */
export function giveBack(state: GovernorState, prompts: readonly Prompt[], opening: string): GivenBack {
  const blocks = prompts.flatMap((prompt, at) => [...(at === 0 ? [] : ['']), ...wording(prompt)]);
  const texts = blocks.join('\n');
  const whole = `${opening}, word for word:\n\n${texts}`;
  if (texts.length <= ENDS_LENGTH) return { text: whole, actions: [] };
  const file = `prompts/${fileName(state, prompts[0]?.uuid ?? '')}.md`;
  const path = `${state.run.contextDir}/${file}`;
  const beginning = texts.slice(0, endBefore(texts, ENDS_LENGTH / 2));
  const end = texts.slice(wholeCharacter(texts, texts.length - ENDS_LENGTH / 2));
  const extent = `Both ends of its ${texts.length} characters follow; read ${path} for the whole`;
  const shorter = `${opening}. ${extent}:\n\n${beginning}\n[…]\n${end}`;
  const text = texts.length <= PROMPT_LIMIT ? whole : shorter;
  return { text, shorter, actions: [{ kind: 'keep', file, texts: blocks }] };
}

/** The words of a prompt, block by block; pictures, and the text behind a command, can only be mentioned. */
function wording({ text, event, command }: Prompt): string[] {
  const pictures = picturesIn(event.blocks);
  const mention = pictures === 0 ? [] : [`(with ${pictures === 1 ? 'a picture' : `${pictures} pictures`})`];
  return [
    ...(text === '' ? [] : textsOf(event.blocks)),
    ...mention,
    ...(command === undefined ? [] : [COMMAND_MENTION]),
  ];
}

const COMMAND_MENTION = '(a slash command: what it asks for is in its file, or behind the Skill tool)';

/** The caller's `uuid` is any text; only one that looks like a UUID becomes the name of a file. */
function fileName(state: GovernorState, uuid: string): string {
  return /^[\w-]{8,64}$/.test(uuid) ? uuid : `turn-${state.turn.ended + 1}`;
}
