import { commandIn, tellsTask } from '../../governor/prompts/prompt.ts';
import { firstSentences, withoutBullets } from '../../governor/prompts/sentences.ts';
import type { PromptEntry } from '../entry.ts';
import { remember } from '../remember.ts';
import { inTurns, oneLine, spaced } from '../words.ts';
import { constraintsIn } from './constraints.ts';

/** A prompt in short; `number` is its own in the notes. */
export interface Request {
  /** Of the prompt in the notes. */
  readonly number: number;
  /** Its first sentences. */
  readonly text: string;
}

const MAX_REQUESTS = 200;
const MAX_CONSTRAINTS = 400;
/** Constraints of one prompt. */
const OF_ONE = 100;

/** UTF-16 units of a prompt in short, and of the newest one. */
const SHORT_LENGTH = 160;
const LATEST_LENGTH = 200;

/** Code points of a sentence that is still given word for word. */
const SENTENCE_LENGTH = 700;

export type Requests = ReturnType<typeof createRequests>;

/** What the user has asked for in this conversation. Grows in place; its size is bounded. */
export function createRequests() {
  const requests = new Map<number, Request>();
  const constraints = new Map<string, { readonly text: string; readonly number: number }>();

  const all = {
    /** The newest prompt that says what is to be done, in whole sentences. */
    latest: undefined as string | undefined,
    /** @param number of the prompt in the notes */
    add({ text }: PromptEntry, number: number): void {
      if (commandIn(text) !== undefined || text.trim() === '') return;
      if (all.latest === undefined || tellsTask(text)) all.latest = firstSentences(text, LATEST_LENGTH) || all.latest;
      const short = shortOf(text);
      if (short !== '') remember(requests, number, { number, text: short }, MAX_REQUESTS);
      const found = constraintsIn(text);
      // What is pasted between the user's words must not take the place of what was said before.
      for (const said of found.filter((_, at) => at < OF_ONE / 2 || at >= found.length - OF_ONE / 2)) {
        const line = oneLine(said, SENTENCE_LENGTH);
        remember(constraints, line.toLowerCase(), { text: line, number }, MAX_CONSTRAINTS);
      }
    },
    forget(): void {
      requests.clear();
      constraints.clear();
      all.latest = undefined;
    },
    /** Each prompt in short, the newest first; commands are none. @param last the newest prompt that counts */
    inShort: (last = Infinity): readonly Request[] =>
      [...requests.values()].filter(({ number }) => number <= last).reverse(),
    /** What holds for more than one prompt, word for word, each once: of the newest prompt first, then as it was said. */
    constraints(last = Infinity): readonly string[] {
      const said = [...constraints.values()].filter(({ number }) => number <= last);
      const numbers = [...new Set(said.map(({ number }) => number))].reverse();
      return numbers.flatMap((number) => said.filter((each) => each.number === number).map(({ text }) => text));
    },
  };
  return all;
}

/** A prompt's first sentences, without the code that stands between them. */
export function shortOf(text: string): string {
  return oneLine(firstSentences(text, SHORT_LENGTH), SHORT_LENGTH);
}

export interface UserWords {
  readonly requests: Requests;
  /** What the answer holds already. */
  readonly before: string;
  /** Where all prompts stand whole. */
  readonly file: string;
  /** The newest prompt that is told; missing: all are. */
  readonly last?: number | undefined;
}

/** UTF-16 units that constraints may take up, and all prompts in short. */
const CONSTRAINTS_ROOM = 4_000;
const PROMPTS_ROOM = 2_000;

const CONSTRAINTS_TITLE =
  'What the user has asked for, word for word, the newest first; where two differ, the newer holds:';

/** The sentences of the user that hold for more than one prompt, as far as they fit into `room` UTF-16 units. */
export function tellConstraints({ requests, before, file, last }: UserWords, room: number): string[] {
  const told = spaced(withoutBullets(before));
  const all = requests.constraints(last).filter((text) => !told.includes(spaced(ruleIn(text))));
  return listed(CONSTRAINTS_TITLE, all, Math.min(room, CONSTRAINTS_ROOM), (count) => `- ${count} older: ${file}`);
}

/** Without what introduces it, `From now on:` or the line above its list, where enough is left to know it by. */
export function ruleIn(constraint: string): string {
  return constraint.replace(/^[^:]{1,200}: (?=(?:\S+ ){3}\S)/, '');
}

/** Each prompt in short, as far as they fit. */
export function tellPrompts({ requests, before, file, last }: UserWords, room: number): string[] {
  const told = spaced(withoutBullets(before));
  const isTold = (text: string) => told.includes(spaced(text).replace(/…$/, ''));
  const all = requests
    .inShort(last)
    .filter(({ text }) => !isTold(text))
    .map(({ number, text }) => `#${number}: ${text}`);
  const title = `Prompts so far in short, the newest first (whole in ${file}):`;
  return listed(title, all, Math.min(room, PROMPTS_ROOM), (count) => `- ${count} older`);
}

/** The first items that fit below a title, and `rest` for what does not; nothing where there is room for none. */
function listed(title: string, items: readonly string[], room: number, rest: (count: number) => string): string[] {
  const left = room - title.length - 1 - rest(items.length).length - 1;
  const [fitting = []] = inTurns([items], left, (item) => item.length + 3);
  if (fitting.length === 0) return [];
  const missing = items.length - fitting.length;
  return [title, ...fitting.map((item) => `- ${item}`), ...(missing === 0 ? [] : [rest(missing)])];
}
