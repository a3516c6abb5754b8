import { type Book, prefixesOf } from './book.ts';
import { ofBlocks, ofRequest, type Rule, rule } from './rule.ts';
import { isThought, type Placed, plain, type Sent, signatureOf, type Turn } from './sent.ts';

const THINKING = 'build-with-claude/extended-thinking';
const LOOP = 'build-with-claude/thinking-tool-workflows';
const THOUGHTS = ['thinking', 'redacted_thinking'];

/** Models that check what stands before a thought. */
const CHECKS_PREFIX = /(?:fable|mythos)-5-[12]\b|(?:opus|sonnet|haiku)-5-5\b/;

export const PREFIX: Rule = rule(
  ['prefix', 'build-with-claude/preserved-thinking/prefix-checks', 'what stands before a thought is as it was'],
  (sent, book) => {
    if (!CHECKS_PREFIX.test(sent.model)) return [];
    return changedThoughts(sent, book).map(({ at }) => at);
  },
);

/** Thoughts, and how a request asks for them. */
export const THINKING_RULES: readonly Rule[] = [
  ofBlocks(
    ['thought-place', THINKING, "a thought is the assistant's"],
    THOUGHTS,
    (_, { role }) => role !== 'assistant',
  ),
  ofBlocks(
    ['thought-signed', THINKING, 'a thought has its signature'],
    THOUGHTS,
    ({ block }) => signatureOf(block) === '',
  ),
  ofBlocks(
    ['thought-issued', LOOP, 'a thought was returned by the API'],
    THOUGHTS,
    ({ block }, _, __, { thoughts }) => {
      return !thoughts.has(signatureOf(block));
    },
  ),
  ofBlocks(
    ['thought-unchanged', LOOP, 'a thought is as the API returned it'],
    THOUGHTS,
    ({ block }, _, __, { thoughts }) => {
      const issued = thoughts.get(signatureOf(block));
      return issued !== undefined && issued.text !== plain(block);
    },
  ),
  rule(['thought-order', LOOP, 'thoughts stand in the order of their answers, each once'], (sent, { thoughts }) => {
    let last = -1;
    return thoughtsIn(sent).flatMap(({ block, at }) => {
      const order = thoughts.get(signatureOf(block))?.order ?? last + 1;
      const isBroken = order <= last;
      last = Math.max(last, order);
      return isBroken ? [at] : [];
    });
  }),
  rule(
    ['open-round-begins', THINKING, 'with a budget for thinking, an open round of tools begins with a thought'],
    (sent, { thoughts }) => {
      const [first] = openRound(sent)?.blocks ?? [];
      // A model that is played without a thought has none to begin with.
      const isMeant = sent.thinking.type === 'enabled' && thoughts.size > 0;
      return isMeant && first !== undefined && !isThought(first.block) ? ['request'] : [];
    },
  ),
  rule(
    ['open-round-thoughts', LOOP, 'the thoughts of an open round of tools come back with its results'],
    lostThoughts,
  ),
  ofRequest(['budget', THINKING, 'a budget for thinking is 1,024 tokens at least'], ({ thinking }) => {
    return thinking.type === 'enabled' && !(Number(thinking.budget_tokens) >= 1024);
  }),
  ofRequest(['temperature', THINKING, 'who thinks has no other temperature than 1'], ({ thinking, body }) => {
    return thinking.type === 'enabled' && (body.temperature ?? 1) !== 1;
  }),
  ofRequest(['tool-choice', THINKING, 'with a budget for thinking, no tool is forced'], ({ thinking, body }) => {
    const choice = (body.tool_choice ?? {}) as { readonly type?: string };
    return thinking.type === 'enabled' && (choice.type === 'any' || choice.type === 'tool');
  }),
  PREFIX,
];

function thoughtsIn({ messages }: Sent): Placed[] {
  return messages.flatMap(({ blocks }) => blocks.filter(({ block }) => isThought(block)));
}

function changedThoughts(sent: Sent, { thoughts }: Book): Placed[] {
  const found = thoughtsIn(sent);
  if (found.length === 0) return [];
  const prefixes = new Map(prefixesOf(sent).map(({ at, hash }) => [at, hash]));
  return found.filter(({ block, at }) => {
    const issued = thoughts.get(signatureOf(block));
    return issued !== undefined && issued.prefix !== prefixes.get(at);
  });
}

/** The answer whose calls the last message holds the results of. */
function openRound({ turns }: Sent): Turn | undefined {
  const [asked, last] = turns.slice(-2);
  const isOpen = last?.role === 'user' && last.blocks.some(({ block }) => block.type === 'tool_result');
  return isOpen ? asked : undefined;
}

/** Those that a model which checks prefixes would refuse are rightly not there. */
function lostThoughts(sent: Sent, { thoughts }: Book): string[] {
  const blocks = openRound(sent)?.blocks ?? [];
  if (!sent.thinks || blocks.some(({ block }) => isThought(block))) return [];
  const [use] = blocks.filter(({ block }) => block.type === 'tool_use');
  const issued = [...thoughts.values()].find(({ uses }) => uses.includes(String(use?.block.id)));
  if (use === undefined || issued === undefined) return [];
  const before = prefixesOf(sent).find(({ at }) => at === blocks[0]?.at);
  return CHECKS_PREFIX.test(sent.model) && before?.hash !== issued.prefix ? [] : [use.at];
}
