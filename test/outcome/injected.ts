import type { RecordedRequest } from '../support/standin/scenario.ts';
import type { Outcome } from './play.ts';

/** What ctxb has put into the conversation. */
export interface Injected {
  /** Each text once, in the order in which it came. */
  readonly texts: readonly string[];
  /** Part of all tokens that were read: what ctxb adds, and what it keeps of the conversation in other words. */
  readonly added: number;
  readonly kept: number;
}

/** How claude shows what a hook adds, alone or at the end of a tool's result; the jobs have no hooks of their own. */
const REMINDER = /<system-reminder>\n\w+(?::\w+)? hook additional context[\s\S]*?(?:<\/system-reminder>|$)/g;

/** The same to models that take it in a message together with what claude itself says, up to what that says behind it. */
const SYSTEM_MESSAGE = /^\w+(?::\w+)? hook additional context[\s\S]*?(?=\n+(?:# |Today's date is )|(?![\s\S]))/m;

/** Documents and questions of a handoff, and what an exact compaction puts beside and in the place of older steps. */
const OWN_MESSAGE = /^## Goal\n|Your context ends here|handoff document|^\[ctxb\]/m;

/** What was said and done, in other words. */
const KEPT = /^\[ctxb\] (?:Done here, one line a step|The user said while you worked|Claude's summary of)/;

/** Finds what ctxb has added to the requests of a job. */
export function injectedIn({ requests, bill }: Outcome): Injected {
  const texts = new Set<string>();
  const chars = { added: 0, kept: 0 };
  for (const text of requests.filter(({ kind }) => kind === 'main').flatMap(saidTo)) {
    for (const own of ownParts(text)) {
      texts.add(own);
      chars[KEPT.test(own) ? 'kept' : 'added'] += own.length;
    }
  }
  const read = 4 * (bill.cacheRead + bill.cacheCreation);
  return { texts: [...texts], added: chars.added / read, kept: chars.kept / read };
}

function ownParts(text: string): string[] {
  const reminders = [...text.matchAll(REMINDER)].map(([reminder]) => reminder);
  if (reminders.length > 0) return reminders;
  const [told] = SYSTEM_MESSAGE.exec(text) ?? [];
  if (told !== undefined) return [told];
  return OWN_MESSAGE.test(text) ? [text] : [];
}

/** All that is said to the model between its answers, in results of tools too. */
function saidTo({ body }: RecordedRequest): string[] {
  return (body.messages ?? []).flatMap(({ role, content }) => (role === 'assistant' ? [] : textsIn(content)));
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(textsIn);
  const { text, content } = Object(value) as { text?: unknown; content?: unknown };
  return [text, content].flatMap((part) => (part === undefined ? [] : textsIn(part)));
}
