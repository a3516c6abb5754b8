import { createHash } from 'node:crypto';
import type { Block } from '../standin/scenario.ts';
import { isThought, plain, type Sent, signatureOf } from './sent.ts';

/** A thought that the API has returned. */
interface Issued {
  readonly text: string;
  /** Hash of everything before it. */
  readonly prefix: string;
  /** Its number in the order of the answers. */
  readonly order: number;
  /** Ids of the tool calls of the same answer. */
  readonly uses: readonly string[];
}

/** Earlier answers, against which later requests are checked. */
export type Book = ReturnType<typeof createBook>;

export function createBook() {
  const thoughts = new Map<string, Issued>();
  return {
    thoughts: thoughts as ReadonlyMap<string, Issued>,
    note(sent: Sent, content: readonly Block[]): void {
      if (!content.some(isThought)) return;
      let prefix = prefixesOf(sent).at(-1)?.hash ?? '';
      const uses = content.filter(({ type }) => type === 'tool_use').map(({ id }) => String(id));
      for (const block of content) {
        if (isThought(block)) {
          thoughts.set(signatureOf(block), { text: plain(block), prefix, order: thoughts.size, uses });
        } else prefix = hashOf(prefix, 'assistant', block);
      }
    },
  };
}

/** Before each block of a request, and behind the last: the hash of everything up to there, thoughts left out. */
export function prefixesOf({ system, tools, messages }: Sent): { readonly at: string; readonly hash: string }[] {
  const told = system.map(({ block }) => block).filter(({ text }) => !String(text).startsWith(BILLING));
  const listed = tools.filter((tool) => tool.defer_loading !== true);
  let hash = digest(plain([told, listed]));
  const prefixes = [];
  for (const { role, blocks } of messages) {
    for (const { block, at } of blocks) {
      prefixes.push({ at, hash });
      if (!isThought(block)) hash = hashOf(hash, role, block);
    }
  }
  return [...prefixes, { at: 'end', hash }];
}

/** claude puts a line for its own back-end, new in each call, before the system prompt. */
const BILLING = 'x-anthropic-billing-header';

function hashOf(prefix: string, role: string, block: Block): string {
  return digest(prefix + role + plain(block));
}

function digest(text: string): string {
  return createHash('sha1').update(text).digest('base64');
}
