import type { UserWords } from '../../protocol/exact-plan.ts';
import { sumOf } from '../../text/sum-of.ts';
import { inTurns, oneLine, wholeCharacter, withSpaces } from '../../text/words.ts';

/** Maximum UTF-16 units of a prompt that is given whole. */
const WHOLE_LENGTH = 1_000;

/** A prompt on one line; of a long one both ends, because the request may precede or follow pasted text. */
export function shortOf(text: string): string {
  const line = withSpaces(text).trim();
  if (line.length <= WHOLE_LENGTH) return oneLine(line, WHOLE_LENGTH);
  const half = WHOLE_LENGTH / 2;
  const ends = [line.slice(0, wholeCharacter(line, half)), line.slice(wholeCharacter(line, line.length - half))];
  return ends.map((end) => oneLine(end, half)).join(' […] ');
}

/** Placeholders for a secret and for the middle of a long prompt; the conversation contains what they stand for. */
const GAP = /\[masked: [^\]]*\]| \[…\] /;

/** The prompts that a text lacks. */
export function wordsMissingFrom(words: UserWords, text: string): UserWords {
  const known = withSpaces(text);
  const isKnown = (prompt: string) => prompt.split(GAP).every((piece) => known.includes(piece));
  return { ...words, prompts: words.prompts.filter((prompt) => !isKnown(prompt.text)) };
}

/**
 * The prompts as lines, newest first. If `room` (UTF-16 units) is too small: two of the oldest for each of the newest,
 * because rules for a whole job are often at its beginning or its end.
 */
export function wordsAsLines({ prompts, file }: UserWords, room: number): string[] {
  const title = `The user's prompts, the newest first (whole in ${file}); where two differ, the newer holds:`;
  const items = prompts.map(({ number, text }) => `- #${number}: ${text}`);
  const rest = (count: number) => `- ${count} more: ${file}`;
  const third = Math.ceil(items.length / 3);
  const oldest = items.slice(third).reverse();
  const lists = [
    items.slice(0, third),
    oldest.filter((_, index) => index % 2 === 0),
    oldest.filter((_, at) => at % 2 === 1),
  ];
  const taken = new Set(
    inTurns(lists, room - title.length - rest(items.length).length - 2, (item) => item.length + 1).flat(),
  );
  const told = items.filter((item) => taken.has(item));
  if (told.length === 0) return [];
  return [title, ...told, ...(told.length === items.length ? [] : [rest(items.length - told.length)])];
}

export function lengthOf(lines: readonly string[]): number {
  return sumOf(lines, (line) => line.length + 1);
}
