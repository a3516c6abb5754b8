import type { UserWords } from '../../protocol/exact-plan.ts';
import { firstSentences, withoutBullets } from '../../text/sentences.ts';
import { inTurns, oneLine, spaced } from '../../text/words.ts';

/** Maximum UTF-16 units of a shortened prompt. */
const SHORT_LENGTH = 160;

/** A prompt's first sentences, without the code between them. */
export function shortOf(text: string): string {
  return oneLine(firstSentences(text, SHORT_LENGTH), SHORT_LENGTH);
}

/** The placeholder for a secret; the conversation contains the secret itself. */
const MASKED = /\[masked: [^\]]*\]/;

/** The rules and prompts that a text lacks. */
export function wordsBeside(words: UserWords, text: string): UserWords {
  const known = spaced(withoutBullets(text));
  const isTold = (phrase: string) => {
    const pieces = spaced(phrase).replace(/…$/, '').split(MASKED);
    return pieces.every((piece) => known.includes(piece));
  };
  return {
    ...words,
    constraints: words.constraints.filter((constraint) => !isTold(ruleIn(constraint))),
    prompts: words.prompts.filter(({ text: short }) => !isTold(short)),
  };
}

/** Rules, then shortened prompts, leaving up to half of the remaining space for `urgent` (UTF-16 units). */
export function tellWords(words: UserWords, room: number, urgent = 0): string[] {
  const constraints = tellConstraints(words, room);
  const remaining = room - lengthOf(constraints);
  return [...constraints, ...tellPrompts(words, remaining - Math.min(urgent, remaining / 2))];
}

/** Maximum UTF-16 units of all constraints, and of all shortened prompts. */
const CONSTRAINTS_ROOM = 4_000;
const PROMPTS_ROOM = 2_000;

const CONSTRAINTS_TITLE =
  'What the user has asked for, word for word, the newest first; where two differ, the newer holds:';

/** The user's lasting rules, up to `room` UTF-16 units. */
export function tellConstraints({ constraints, file }: UserWords, room: number): string[] {
  return titledList(
    CONSTRAINTS_TITLE,
    constraints,
    Math.min(room, CONSTRAINTS_ROOM),
    (count) => `- ${count} older: ${file}`,
  );
}

/** Shortened prompts, as space permits. */
export function tellPrompts({ prompts, file }: UserWords, room: number): string[] {
  const all = prompts.map(({ number, text }) => `#${number}: ${text}`);
  const title = `Prompts so far in short, the newest first (whole in ${file}):`;
  return titledList(title, all, Math.min(room, PROMPTS_ROOM), (count) => `- ${count} older`);
}

/** Removes an introduction such as `From now on:` or the line above a list, if the rest still identifies the rule. */
export function ruleIn(constraint: string): string {
  return constraint.replace(/^[^:[]{1,200}: (?=(?:\S+ ){3}\S)/, '');
}

/** A title with the first items that fit, and `rest` for the others; empty if no item fits. */
function titledList(title: string, items: readonly string[], room: number, rest: (count: number) => string): string[] {
  const remaining = room - title.length - 1 - rest(items.length).length - 1;
  const [fitting = []] = inTurns([items], remaining, (item) => item.length + 3);
  if (fitting.length === 0) return [];
  const missing = items.length - fitting.length;
  return [title, ...fitting.map((item) => `- ${item}`), ...(missing === 0 ? [] : [rest(missing)])];
}

export function lengthOf(lines: readonly string[]): number {
  return lines.reduce((sum, line) => sum + line.length + 1, 0);
}
