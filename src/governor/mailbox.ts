import { plainText } from '../stream/blocks.ts';
import type { UserEvent } from '../stream/events.ts';

/** A prompt on its way to claude. */
export interface Prompt {
  readonly uuid: string;
  /** The line for claude's stdin, without terminator: the caller's own bytes where he wrote a line. */
  readonly line: string;
  readonly text: string;
  /** Name of the slash command, where it is one. */
  readonly command: string | undefined;
  readonly event: UserEvent;
}

/** Prompts that wait for their turn, oldest first, and whether more can come. */
export interface Mailbox {
  readonly waiting: readonly Prompt[];
  readonly ended: boolean;
}

export const EMPTY_MAILBOX: Mailbox = { waiting: [], ended: false };

const COMMAND = /^\s*\/([\w:-]+)(?=\s|$)/;

export function toPrompt(event: UserEvent, line: string): Prompt {
  const text = plainText(event.blocks);
  return { uuid: event.uuid ?? '', line, text, command: COMMAND.exec(text)?.[1], event };
}

/** Commands with which the caller relieves the context himself. */
export function relievesContext(prompt: Prompt | undefined): boolean {
  return prompt?.command === 'compact' || prompt?.command === 'clear';
}
