import { describesTask } from '../../governor/prompts/prompt.ts';
import type { Request, UserWords } from '../../protocol/exact-plan.ts';
import { putNewest } from '../../text/put-newest.ts';
import { sumOf } from '../../text/sum-of.ts';
import { collapseWhitespace, firstSentences, oneLine, takeInTurns, wholeCharacter } from '../../text/words.ts';

const MAX_REQUESTS = 200;

/** Maximum UTF-16 units of the newest prompt in short form. */
const LATEST_LENGTH = 200;

/** The user's prompts in this conversation. Mutable, with bounded size. */
export function createPromptList() {
  const requests = new Map<number, Request>();

  const all = {
    /** The newest prompt that asks for work, in whole sentences. */
    latest: undefined as string | undefined,
    /** Adds a prompt. @param number its number in the notes */
    add(text: string, number: number): void {
      if (all.latest === undefined || describesTask(text))
        all.latest = firstSentences(text, LATEST_LENGTH) || all.latest;
      const short = shortenPrompt(text);
      if (short !== '') putNewest(requests, number, { number, text: short }, MAX_REQUESTS);
    },
    forget(): void {
      requests.clear();
      all.latest = undefined;
    },
    /** The prompts, newest first, without slash commands. Of a long prompt, both ends. */
    prompts: (): readonly Request[] => [...requests.values()].reverse(),
    /** The user's words. @param file the file that contains all prompts */
    words: (file: string): UserWords => ({ prompts: all.prompts(), file }),
  };
  return all;
}

/** Maximum UTF-16 units of a prompt that is given whole. */
const WHOLE_LENGTH = 1_000;

/** UTF-16 units of a prompt if room is scarce, and of the other text on its line. */
const LEAST_LENGTH = 200;
const MARK_LENGTH = 16;

/**
 * A prompt on one line. A long prompt is cut to its ends, because the request may precede or follow pasted text.
 *
 * @param most UTF-16 units of a prompt that is given whole
 */
export function shortenPrompt(text: string, most = WHOLE_LENGTH): string {
  const line = collapseWhitespace(text).trim();
  if (line.length <= most) return oneLine(line, most);
  const half = Math.floor(most / 2);
  const ends = [line.slice(0, wholeCharacter(line, half)), line.slice(wholeCharacter(line, line.length - half))];
  return ends.map((end) => oneLine(end, half)).join(' […] ');
}

/** Placeholders for a secret and for the middle of a long prompt; the conversation contains what they stand for. */
const GAP = /\[masked: [^\]]*\]| \[…\] /;

/** The prompts that a text lacks. */
export function wordsMissingFrom(words: UserWords, text: string): UserWords {
  const known = collapseWhitespace(text);
  const isKnown = (prompt: string) => prompt.split(GAP).every((piece) => known.includes(piece));
  return { ...words, prompts: words.prompts.filter((prompt) => !isKnown(prompt.text)) };
}

/**
 * The prompts as lines, newest first. If `room` (UTF-16 units) is too small: two of the oldest for each of the newest,
 * because rules for a whole job are often at its beginning or its end.
 */
export function quotePrompts({ prompts, file }: UserWords, room: number): string[] {
  const title = `The user's prompts, the newest first (whole in ${file}); if two conflict, follow the newer:`;
  const rest = (count: number) => `- ${count} more: ${file}`;
  const left = room - title.length - rest(prompts.length).length - 2;
  // A long prompt leaves room for another one.
  const most = Math.min(WHOLE_LENGTH, Math.max(LEAST_LENGTH, Math.floor(left / 2) - MARK_LENGTH));
  const items = prompts.map(({ number, text }) => `- #${number}: ${shortenPrompt(text, most)}`);
  const third = Math.ceil(items.length / 3);
  const oldest = items.slice(third).reverse();
  const lists = [
    items.slice(0, third),
    oldest.filter((_, index) => index % 2 === 0),
    oldest.filter((_, at) => at % 2 === 1),
  ];
  const taken = new Set(takeInTurns(lists, left, (item) => item.length + 1).flat());
  const kept = items.filter((item) => taken.has(item));
  if (kept.length === 0) return [];
  return [title, ...kept, ...(kept.length === items.length ? [] : [rest(items.length - kept.length)])];
}

export function lengthOfLines(lines: readonly string[]): number {
  return sumOf(lines, (line) => line.length + 1);
}
