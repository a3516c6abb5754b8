import { commandIn, tellsTask } from '../../governor/prompts/prompt.ts';
import { firstSentences } from '../../governor/prompts/sentences.ts';
import type { PromptEntry } from '../entry.ts';
import { remember } from '../remember.ts';
import { constraintsIn } from '../user-words/constraints.ts';
import { oneLine } from '../words.ts';

/** What the user has asked for in this conversation. Grows in place; its size is bounded. */
export interface Requests {
  /** @param number of the prompt in the notes */
  add(entry: PromptEntry, number: number): void;
  /** A new conversation begins, with another task. */
  forget(): void;
  /** Each prompt in short, the newest first; commands are none. */
  inShort(): readonly Request[];
  /** What holds for more than one prompt, word for word, each once: of the newest prompt first, then as it was said. */
  constraints(): readonly string[];
  /** The newest prompt that says what is to be done, in whole sentences. */
  readonly latest: string | undefined;
}

export interface Request {
  /** Of the prompt in the notes. */
  readonly number: number;
  /** Its first sentences. */
  readonly text: string;
}

const MAX_REQUESTS = 200;
const MAX_CONSTRAINTS = 400;

/** UTF-16 units of a prompt in short, and of the newest one. */
const SHORT_LENGTH = 160;
const LATEST_LENGTH = 200;

/** Code points of a sentence that is still given word for word. */
const SENTENCE_LENGTH = 700;

export function createRequests(): Requests {
  const requests = new Map<number, Request>();
  const constraints = new Map<string, { readonly text: string; readonly number: number }>();
  let latest: string | undefined;

  return {
    add({ text }, number) {
      if (commandIn(text) !== undefined || text.trim() === '') return;
      if (latest === undefined || tellsTask(text)) latest = firstSentences(text, LATEST_LENGTH) || latest;
      const short = oneLine(firstSentences(text, SHORT_LENGTH), SHORT_LENGTH);
      if (short !== '') remember(requests, number, { number, text: short }, MAX_REQUESTS);
      for (const said of constraintsIn(text)) {
        const line = oneLine(said, SENTENCE_LENGTH);
        remember(constraints, line.toLowerCase(), { text: line, number }, MAX_CONSTRAINTS);
      }
    },
    forget() {
      requests.clear();
      constraints.clear();
      latest = undefined;
    },
    inShort: () => [...requests.values()].reverse(),
    constraints() {
      const all = [...constraints.values()];
      const numbers = [...new Set(all.map(({ number }) => number))].reverse();
      return numbers.flatMap((number) => all.filter((each) => each.number === number).map(({ text }) => text));
    },
    get latest() {
      return latest;
    },
  };
}
