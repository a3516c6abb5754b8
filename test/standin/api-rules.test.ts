import { describe, expect, it } from 'vitest';
import { createApiRules, refusalOf } from '../support/api-rules/api-rules.ts';
import type { Block, RequestBody } from '../support/standin/scenario.ts';

const thought = (n: number) => ({ type: 'thinking', thinking: `thought ${n}`, signature: `signature-${n}` });
const text = (words: string) => ({ type: 'text', text: words });
const use = (id: string) => ({ type: 'tool_use', id, name: 'Bash', input: { command: 'true' } });
const result = (id: string) => ({ type: 'tool_result', tool_use_id: id, content: 'done' });
const mark = { cache_control: { type: 'ephemeral' } };

type Conversation = { messages: { role: string; content: Block[] }[]; model: string; thinking: object };

const [NEW, OLD] = ['claude-opus-5-5', 'claude-sonnet-4-5'];
const BUDGET = { type: 'enabled', budget_tokens: 8_000 };

/** Three answers: one with two calls, one with words, one whose call is to be answered. */
function conversation(model = NEW, thinking: object = { type: 'adaptive' }) {
  const rules = createApiRules();
  const body = { model, thinking, tools: [{ name: 'Bash' }], system: [text('You help.')] };
  const messages: Conversation['messages'] = [{ role: 'user', content: [text('begin')] }];
  const step = (content: Block[], answer: Block[]) => {
    rules.noteAnswer({ ...body, messages } as RequestBody, content);
    messages.push({ role: 'assistant', content }, { role: 'user', content: answer });
  };
  step([thought(1), text('Looking.'), use('a'), use('b')], [result('a'), result('b')]);
  step([thought(2), text('Found.')], [text('go on')]);
  step([thought(3), use('c')], [result('c'), text('a reminder')]);
  const sent: Conversation & Omit<RequestBody, 'messages'> = structuredClone({ ...body, messages });
  return { sent, broken: () => rules.violationsOf(sent as RequestBody) };
}

/** Content of a message. */
const at = ({ messages }: Conversation, index: number): Block[] => messages.at(index)?.content ?? [];

describe('a conversation', () => {
  it.each([
    [NEW, { type: 'adaptive' }],
    [OLD, BUDGET],
  ])('with %s breaks no rule', (model, thinking) => {
    expect(conversation(model, thinking).broken()).toEqual([]);
  });

  it.each<{ rule: string; change: (sent: Conversation) => void; model?: string }>([
    { rule: 'first-message', change: (sent) => sent.messages.shift() },
    { rule: 'role', change: (sent) => sent.messages.push({ role: 'tool', content: [text('x')] }) },
    { rule: 'content', change: (sent) => at(sent, 4).splice(0) },
    { rule: 'type', change: (sent) => at(sent, 0).push({ type: 'video' }) },
    { rule: 'text', change: (sent) => at(sent, 0).push(text(' \n')) },
    {
      rule: 'picture',
      change: (sent) =>
        at(sent, 0).push({ type: 'image', source: { type: 'base64', media_type: 'image/bmp', data: 'AA==' } }),
    },
    { rule: 'last-message', change: (sent) => sent.messages.push({ role: 'assistant', content: [text('I')] }) },
    { rule: 'system-place', change: (sent) => sent.messages.splice(2, 0, { role: 'system', content: [text('x')] }) },
    {
      rule: 'system-model',
      model: OLD,
      change: (sent) => sent.messages.push({ role: 'system', content: [text('x')] }),
    },
    { rule: 'use-shape', change: (sent) => at(sent, 1).splice(2, 1, { ...use('a'), input: 'text' }) },
    { rule: 'use-fields', change: (sent) => at(sent, 1).splice(2, 1, { ...use('a'), handle: 'x' }) },
    { rule: 'result-fields', change: (sent) => at(sent, -1).splice(0, 1, { ...result('c'), text: 'x' }) },
    {
      rule: 'result-error',
      change: (sent) =>
        at(sent, -1).splice(0, 1, {
          ...result('c'),
          is_error: true,
          content: [{ type: 'image', source: { type: 'url' } }],
        }),
    },
    {
      rule: 'reference',
      change: (sent) =>
        at(sent, -1).splice(0, 1, { ...result('c'), content: [{ type: 'tool_reference', tool_name: 'Gone' }] }),
    },
    { rule: 'use-once', change: (sent) => at(sent, 1).push(use('a')) },
    { rule: 'use-answered', change: (sent) => at(sent, 2).pop() },
    { rule: 'result-asked', change: (sent) => at(sent, 4).unshift(result('a')) },
    { rule: 'result-once', change: (sent) => at(sent, 2).push(result('b')) },
    { rule: 'results-first', change: (sent) => at(sent, -1).reverse() },
    {
      rule: 'server-use-answered',
      change: (sent) => at(sent, 3).push({ type: 'server_tool_use', id: 's', name: 'web_search', input: {} }),
    },
    {
      rule: 'server-result-asked',
      change: (sent) => at(sent, 3).push({ type: 'web_search_tool_result', tool_use_id: 's', content: [] }),
    },
    {
      rule: 'server-use-once',
      change: (sent) =>
        at(sent, 3).push(...['s', 's'].map((id) => ({ type: 'server_tool_use', id, name: 'web_search', input: {} }))),
    },
    { rule: 'thought-signed', change: (sent) => at(sent, 1).splice(0, 1, { ...thought(1), signature: '' }) },
    { rule: 'thought-issued', change: (sent) => at(sent, 1).splice(0, 1, { ...thought(1), signature: 'other' }) },
    { rule: 'thought-unchanged', change: (sent) => at(sent, 1).splice(0, 1, { ...thought(1), thinking: 'other' }) },
    { rule: 'thought-order', change: (sent) => at(sent, -2).unshift(thought(3)) },
    { rule: 'open-round-thoughts', change: (sent) => at(sent, -2).shift() },
    { rule: 'open-round-begins', model: OLD, change: (sent) => at(sent, -2).shift() },
    { rule: 'prefix', change: (sent) => at(sent, 0).splice(0, 1, text('a note')) },
    {
      rule: 'marks',
      change: (sent) => at(sent, 0).push(...Array.from({ length: 5 }, () => ({ ...text('x'), ...mark }))),
    },
    { rule: 'mark-on-thought', change: (sent) => Object.assign(at(sent, 1)[0] as Block, mark) },
    {
      rule: 'mark-order',
      change: (sent) =>
        at(sent, 0).push({ ...text('x'), ...mark }, { ...text('y'), cache_control: { type: 'ephemeral', ttl: '1h' } }),
    },
  ])('breaks the rule "$rule"', ({ rule, change, model = NEW }) => {
    const { sent, broken } = conversation(model, model === OLD ? BUDGET : undefined);
    change(sent);
    expect(broken().map(({ name }) => name)).toContain(rule);
  });

  it('with a changed prefix needs no thought where the model would refuse it, and one elsewhere', () => {
    const compacted = (model: string) => {
      const { sent, broken } = conversation(model);
      sent.messages.splice(0, sent.messages.length - 2, { role: 'user', content: [text('a note')] });
      at(sent, -2).shift();
      return broken().map(({ name }) => name);
    };
    expect(compacted(NEW)).toEqual([]);
    expect(compacted('claude-sonnet-4-6')).toEqual(['open-round-thoughts']);
  });

  it('is refused with the place of the first thought whose prefix has changed', () => {
    const { sent, broken } = conversation();
    at(sent, 2).push(text('more'));
    expect(refusalOf(broken())).toMatch(/^messages\.3\.content\.0: .*bound to a different conversation/);
    expect(refusalOf([])).toBeUndefined();
  });
});
