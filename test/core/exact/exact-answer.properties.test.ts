import { describe, expect, it } from 'vitest';
import { exactAnswer } from '../../../src/core/exact/exact-answer.ts';
import { extentOf, type Message } from '../../../src/core/exact/message.ts';
import type { MidTurnPrompt } from '../../../src/core/protocol/exact-plan.ts';
import { createRandom, type Random } from '../../support/random.ts';
import { sized } from '../../support/size.ts';
import { listedAgain, randomTalk } from './talk.ts';

const NOTE = 'Notes of the whole session are in .context/scratch.md.';
const plan = (budget: number) => ({ version: 1, note: NOTE, budget }) as const;

const promptsIn = (messages: readonly Message[]) =>
  messages.filter(({ role, text }) => role === 'user' && text.startsWith('PROMPT'));

/** How much of each tool call is there: 2 whole. */
const wholeIn = (messages: readonly Message[]) =>
  new Set(messages.flatMap(({ toolResults = [] }) => toolResults.map(({ tool_use_id }) => tool_use_id)));

const linesIn = (messages: readonly Message[]) =>
  messages.flatMap(({ text }) => (text.startsWith('[ctxb] Done here') ? text.split('\n').slice(1) : []));

/** Every result follows its call, in the message behind it, and every call has one. */
function expectNoOrphans(messages: readonly Message[]): void {
  let asked: string[] = [];
  for (const { role, toolUses, toolResults = [] } of messages) {
    if (role === 'user') {
      expect(toolResults.map(({ tool_use_id }) => tool_use_id)).toEqual(asked);
      asked = [];
    } else asked.push(...toolUses.map(({ tool_use_id }) => tool_use_id));
  }
  expect(asked).toEqual([]);
}

/** Words behind a few of the results. */
function saidInMidTurn(chance: Random, messages: readonly Message[], round: string): MidTurnPrompt[] {
  const results = messages.flatMap(({ toolResults = [] }) => toolResults).filter(() => chance.chance(0.1));
  return results.map(({ tool_use_id: after }, at) => ({ text: `HEARD-${round}${at}`, after }));
}

/** The last step stands there in the user's words, and nothing was said since. */
const TOLD = [73, 149];
const SEEDS = new Set([...Array.from({ length: sized(60, 600) }, (_, seed) => seed + 1), ...TOLD]);

describe.each([...SEEDS])('conversation %i', (seed) => {
  const random = createRandom(seed);
  const messages = randomTalk(random, random.whole(1, 14));
  const budget = random.pick([3_000, 6_000, 12_000, 25_000, 60_000]);
  // Of the two kinds of models.
  const model = seed % 2 === 0 ? 'claude-opus-5-5' : 'claude-sonnet-4-6';
  const answer = exactAnswer(messages, plan(budget), { model });
  const stay = answer.messages ?? [];

  it("keeps every prompt once, as claude's row, in order, or leaves the compaction to claude", () => {
    if (answer.messages === undefined)
      expect(answer.outcome.why).toMatch(/^(?:the prompts|what has to stay|nothing can|the model has yet)/);
    else expect(promptsIn(stay)).toEqual(promptsIn(messages));
  });

  it('has no result without a call, and no call without a result', () => expectNoOrphans(stay));

  it('returns no reply and no result as a row', () => {
    const rows = stay.filter(({ handle }) => handle !== undefined);
    expect(rows.filter(({ role, toolResults = [] }) => role === 'assistant' || toolResults.length > 0)).toEqual([]);
  });

  it('keeps unseen results whole, or waits', () => {
    const open = messages.slice(messages.findLastIndex(({ role }) => role === 'assistant') + 1);
    const texts = open.flatMap(({ toolResults = [] }) => toolResults.map(({ text }) => text));
    if ((messages.at(-1)?.toolResults ?? []).length === 0) return;
    const { messages: shown, reasonToWait } = exactAnswer(messages, plan(budget), { model, roomToWait: 1_000_000 });
    expect(shown === undefined || reasonToWait === undefined).toBe(true);
    if (shown === undefined) return;
    const seen = shown.map(({ text, toolResults = [] }) => [text, ...toolResults.map((one) => one.text)].join('\n'));
    for (const text of texts) expect(seen.join('\n')).toContain(text);
  });

  it('stays within its budget and makes the conversation smaller', () => {
    if (answer.messages === undefined) return;
    expect(extentOf(stay).tokens).toBe(answer.outcome.after.tokens);
    expect(answer.outcome.after.tokens).toBeLessThanOrEqual(Math.min(budget, answer.outcome.before.tokens));
  });

  it('changes nothing if no message was added', () => {
    const again = exactAnswer(listedAgain(stay, 2), plan(budget), { model });
    expect(again.messages === undefined).toBe(stay.length === 0);
    if (again.messages === undefined) return;
    const plain = ({ handle: _, ...message }: Message) => message;
    expect(listedAgain(again.messages, 3).map(plain)).toEqual(listedAgain(stay, 2).map(plain));
  });

  it('keeps at least as much with a larger budget', () => {
    const more = exactAnswer(messages, plan(budget * 1.5), { model }).messages ?? [];
    if (answer.messages === undefined || more.length === 0) return;
    const whole = wholeIn(more);
    expect([...wholeIn(stay)].filter((id) => !whole.has(id))).toEqual([]);
    const lines = linesIn(more).length + whole.size * 2;
    expect(lines).toBeGreaterThanOrEqual(linesIn(stay).length);
  });

  it('keeps every prompt over three compactions, including prompts during turns, in order', () => {
    const chance = createRandom(seed);
    let talk: readonly Message[] = [];
    const said: string[] = [];
    for (const round of ['a', 'b', 'c']) {
      const fresh = randomTalk(chance, chance.whole(1, 6), round);
      const midTurn = saidInMidTurn(chance, fresh, round);
      said.push(...promptsIn(fresh).map(({ text }) => text));
      const { messages: kept } = exactAnswer([...talk, ...fresh], { ...plan(80_000), midTurn }, { model });
      if (kept === undefined) return;
      expectNoOrphans(kept);
      const texts = kept.filter(({ role }) => role === 'user').map(({ text }) => text);
      expect(texts.filter((text) => text.startsWith('PROMPT'))).toEqual(said);
      const heard = texts.filter((text) => text.includes('HEARD-')).map((text) => text.split('\n')[1]);
      expect(heard.filter((text) => text?.startsWith(`HEARD-${round}`))).toEqual(midTurn.map(({ text }) => text));
      expect(new Set(heard).size).toBe(heard.length);
      talk = listedAgain(kept, said.length);
    }
  });
});
