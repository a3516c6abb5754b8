import type { RecordedRequest } from '../../src/standin/scenario.ts';
import type { Outcome } from './play.ts';

/** What ctxb has put into the conversation. */
export interface Injected {
  /** Each text once, in the order in which it came. */
  readonly texts: readonly string[];
  /** Its part of all tokens that were read. */
  readonly share: number;
}

/** How claude shows what a hook adds; the jobs have no hooks of their own. Documents and questions of a handoff. */
const OF_CTXB = /hook additional context|^## Goal\n|Your context ends here|handoff document/m;

/** Finds what ctxb has added to the requests of a job. */
export function injectedIn({ requests, bill }: Outcome): Injected {
  const texts = new Set<string>();
  let chars = 0;
  for (const text of requests.filter(({ kind }) => kind === 'main').flatMap(userTexts)) {
    if (!OF_CTXB.test(text)) continue;
    texts.add(text);
    chars += text.length;
  }
  return { texts: [...texts], share: chars / 4 / (bill.cacheRead + bill.cacheCreation) };
}

function userTexts({ body }: RecordedRequest): string[] {
  return (body.messages ?? []).flatMap(({ role, content }) => {
    if (role !== 'user') return [];
    const blocks: unknown[] = Array.isArray(content) ? content : [{ text: content }];
    return blocks.flatMap((block) => {
      const { text } = Object(block) as { text?: unknown };
      return typeof text === 'string' ? [text] : [];
    });
  });
}
