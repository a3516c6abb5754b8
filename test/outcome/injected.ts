import type { RecordedRequest } from '../../src/standin/scenario.ts';
import type { Outcome } from './play.ts';

/** What ctxb has put into the conversation. */
export interface Injected {
  /** Each text once, in the order in which it came. */
  readonly texts: readonly string[];
  /** Its part of all tokens that were read. */
  readonly share: number;
}

/** How claude shows what a hook adds, alone or at the end of a tool's result; the jobs have no hooks of their own. */
const REMINDER = /<system-reminder>\n\w+(?::\w+)? hook additional context[\s\S]*?(?:<\/system-reminder>|$)/g;

/** Documents and questions of a handoff, and what an exact compaction puts in the place of older steps. */
const OWN_MESSAGE = /^## Goal\n|Your context ends here|handoff document|^\[ctxb\]/m;

/** Finds what ctxb has added to the requests of a job. */
export function injectedIn({ requests, bill }: Outcome): Injected {
  const texts = new Set<string>();
  let chars = 0;
  for (const text of requests.filter(({ kind }) => kind === 'main').flatMap(userTexts)) {
    const reminders = [...text.matchAll(REMINDER)].map(([reminder]) => reminder);
    for (const added of reminders.length === 0 && OWN_MESSAGE.test(text) ? [text] : reminders) {
      texts.add(added);
      chars += added.length;
    }
  }
  return { texts: [...texts], share: chars / 4 / (bill.cacheRead + bill.cacheCreation) };
}

/** The texts of the user's messages, those in results of tools too. */
function userTexts({ body }: RecordedRequest): string[] {
  return (body.messages ?? []).flatMap(({ role, content }) => (role === 'user' ? textsIn(content) : []));
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(textsIn);
  const { text, content } = Object(value) as { text?: unknown; content?: unknown };
  return [text, content].flatMap((part) => (part === undefined ? [] : textsIn(part)));
}
