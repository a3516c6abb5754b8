import { tellsTask } from '../../governor/prompts/prompt.ts';
import type { Request, UserWords } from '../../protocol/exact-plan.ts';
import { firstSentences } from '../../text/sentences.ts';
import { oneLine } from '../../text/words.ts';
import type { PromptEntry } from '../entry.ts';
import { remember } from '../remember.ts';
import { constraintsIn } from './constraints.ts';
import { shortOf } from './user-words.ts';

const MAX_REQUESTS = 200;
const MAX_CONSTRAINTS = 400;
/** Maximum constraints from one prompt. */
const OF_ONE = 100;

/** Maximum UTF-16 units of the newest prompt in short. */
const LATEST_LENGTH = 200;

/** Maximum code points of a verbatim sentence. */
const SENTENCE_LENGTH = 700;

/** The user's rules and prompts in this conversation. Mutable, with bounded size. */
export function createRequests() {
  const requests = new Map<number, Request>();
  const constraints = new Map<string, { readonly text: string; readonly number: number }>();

  const all = {
    /** The newest prompt that asks for work, in whole sentences. */
    latest: undefined as string | undefined,
    /** @param number of the prompt in the notes */
    add({ text }: PromptEntry, number: number): void {
      if (all.latest === undefined || tellsTask(text)) all.latest = firstSentences(text, LATEST_LENGTH) || all.latest;
      const short = shortOf(text);
      if (short !== '') remember(requests, number, { number, text: short }, MAX_REQUESTS);
      const candidates = constraintsIn(text);
      // Pasted text in the middle of a prompt must not replace earlier rules.
      for (const constraint of candidates.filter((_, at) => at < OF_ONE / 2 || at >= candidates.length - OF_ONE / 2)) {
        const line = oneLine(constraint, SENTENCE_LENGTH);
        remember(constraints, line.toLowerCase(), { text: line, number }, MAX_CONSTRAINTS);
      }
    },
    forget(): void {
      requests.clear();
      constraints.clear();
      all.latest = undefined;
    },
    /** Shortened prompts, newest first, without slash commands. */
    inShort: (): readonly Request[] => [...requests.values()].reverse(),
    /**
     * Lasting rules, verbatim and without duplicates: rules of the newest prompt first, each prompt in its own order.
     */
    constraints(): readonly string[] {
      const rules = [...constraints.values()];
      const numbers = [...new Set(rules.map(({ number }) => number))].reverse();
      return numbers.flatMap((number) => rules.filter((each) => each.number === number).map(({ text }) => text));
    },
    /** @param file that contains all prompts */
    words: (file: string): UserWords => ({ constraints: all.constraints(), prompts: all.inShort(), file }),
  };
  return all;
}
