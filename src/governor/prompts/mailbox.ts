import { plainText } from '../../stream/blocks.ts';
import type { UserEvent } from '../../stream/events.ts';

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
  /** Newest `uuid`s that were sent: claude skips a prompt that it has seen. */
  readonly said: readonly string[];
  /** The turn of the first that waits is to be stopped when it begins. */
  readonly stopNext: boolean;
}

export const EMPTY_MAILBOX: Mailbox = { waiting: [], ended: false, said: [], stopNext: false };

/** First of the last twelve digits of a `uuid` that a prompt was given here; ctxb's own lines begin with 0. */
const STAMP = 'f';

/** The `uuid` of the `count`th prompt of a run that came without one. */
export function stampUuid(runId: string, count: number): string {
  return runId.slice(0, -12) + STAMP + count.toString(16).padStart(11, '0');
}

/**
 * Whether a `uuid` was given here, in this run or in one that this one goes on with. So many zeros as its count has are
 * in no random one.
 */
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

/** Name of the slash command that a prompt is, or undefined when it is none. */
export function commandIn(text: string): string | undefined {
  return COMMAND.exec(text)?.[1];
}

/** Commands with which the caller relieves the context himself. */
export function relievesContext(prompt: Prompt | undefined): boolean {
  return prompt?.command === 'compact' || prompt?.command === 'clear';
}
