import { firstSentences, withoutBullets } from '../../governor/prompts/sentences.ts';
import type { UserWords } from '../../protocol/exact-plan.ts';
import { inTurns, oneLine, spaced } from '../words.ts';

/** UTF-16 units of a prompt in short. */
const SHORT_LENGTH = 160;

/** A prompt's first sentences, without the code between them. */
export function shortOf(text: string): string {
  return oneLine(firstSentences(text, SHORT_LENGTH), SHORT_LENGTH);
}

/** Stands in the place of a secret, which the conversation has. */
const MASKED = /\[masked: [^\]]*\]/;

/** The parts that a text lacks. */
export function wordsBeside(words: UserWords, text: string): UserWords {
  const told = spaced(withoutBullets(text));
  const isTold = (said: string) => {
    const pieces = spaced(said).replace(/…$/, '').split(MASKED);
    return pieces.every((piece) => told.includes(piece));
  };
  return {
    ...words,
    constraints: words.constraints.filter((constraint) => !isTold(ruleIn(constraint))),
    prompts: words.prompts.filter(({ text: short }) => !isTold(short)),
  };
}

/** Rules, then each prompt in short, leaving up to half of the remaining space for `urgent` (UTF-16 units). */
export function tellWords(words: UserWords, room: number, urgent = 0): string[] {
  const constraints = tellConstraints(words, room);
  const left = room - lengthOf(constraints);
  return [...constraints, ...tellPrompts(words, left - Math.min(urgent, left / 2))];
}

/** UTF-16 units that constraints may take up, and all prompts in short. */
const CONSTRAINTS_ROOM = 4_000;
const PROMPTS_ROOM = 2_000;

const CONSTRAINTS_TITLE =
  'What the user has asked for, word for word, the newest first; where two differ, the newer holds:';

/** The user's rules for more than one prompt, up to `room` UTF-16 units. */
export function tellConstraints({ constraints, file }: UserWords, room: number): string[] {
  return listed(
    CONSTRAINTS_TITLE,
    constraints,
    Math.min(room, CONSTRAINTS_ROOM),
    (count) => `- ${count} older: ${file}`,
  );
}

/** Each prompt in short, as far as they fit. */
export function tellPrompts({ prompts, file }: UserWords, room: number): string[] {
  const all = prompts.map(({ number, text }) => `#${number}: ${text}`);
  const title = `Prompts so far in short, the newest first (whole in ${file}):`;
  return listed(title, all, Math.min(room, PROMPTS_ROOM), (count) => `- ${count} older`);
}

/** Without what introduces it, `From now on:` or the line above its list, where enough is left to know it by. */
export function ruleIn(constraint: string): string {
  return constraint.replace(/^[^:[]{1,200}: (?=(?:\S+ ){3}\S)/, '');
}

/** The first items that fit below a title, and `rest` for the others; nothing if none fits. */
function listed(title: string, items: readonly string[], room: number, rest: (count: number) => string): string[] {
  const left = room - title.length - 1 - rest(items.length).length - 1;
  const [fitting = []] = inTurns([items], left, (item) => item.length + 3);
  if (fitting.length === 0) return [];
  const missing = items.length - fitting.length;
  return [title, ...fitting.map((item) => `- ${item}`), ...(missing === 0 ? [] : [rest(missing)])];
}

export function lengthOf(lines: readonly string[]): number {
  return lines.reduce((sum, line) => sum + line.length + 1, 0);
}
