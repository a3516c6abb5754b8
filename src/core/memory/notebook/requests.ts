import { describesTask } from '../../governor/prompts/prompt.ts';
import type { Request, UserWords } from '../../protocol/exact-plan.ts';
import { firstSentences } from '../../text/words.ts';
import { remember } from '../remember.ts';
import { shortOf } from './user-words.ts';

const MAX_REQUESTS = 200;

/** Maximum UTF-16 units of the newest prompt in short form. */
const LATEST_LENGTH = 200;

/** The user's prompts in this conversation. Mutable, with bounded size. */
export function createRequests() {
  const requests = new Map<number, Request>();

  const all = {
    /** The newest prompt that asks for work, in whole sentences. */
    latest: undefined as string | undefined,
    /** Adds a prompt. @param number its number in the notes */
    add(text: string, number: number): void {
      if (all.latest === undefined || describesTask(text))
        all.latest = firstSentences(text, LATEST_LENGTH) || all.latest;
      const short = shortOf(text);
      if (short !== '') remember(requests, number, { number, text: short }, MAX_REQUESTS);
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
