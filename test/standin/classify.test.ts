import { describe, expect, it } from 'vitest';
import { classify } from '../../src/standin/classify.ts';
import type { RequestBody } from '../support/standin/scenario.ts';

const TOOLS = [{ name: 'Bash' }, { name: 'Read' }];
const CACHED = [{ type: 'text', text: 'fix it', cache_control: { type: 'ephemeral' } }];
const CLI_PROMPT = 'You are an interactive CLI tool that helps users with software engineering tasks.';
const SUMMARY_PROMPT = 'Your task is to create a detailed summary of the conversation so far, paying close attention…';
const TITLE_PROMPT = 'Generate a concise, sentence-case title (3-7 words) that captures the main topic.';

const user = (content: unknown) => ({ role: 'user', content });
const system = (...texts: string[]) => texts.map((text) => ({ type: 'text', text }));

interface Case {
  readonly name: string;
  readonly kind: string;
  readonly path?: string;
  readonly headers?: Record<string, string>;
  readonly body: RequestBody;
}

const cases: Case[] = [
  {
    name: 'a turn of the main conversation',
    kind: 'main',
    body: {
      system: system('x-anthropic-billing-header: cc_entrypoint=cli;', CLI_PROMPT),
      tools: TOOLS,
      messages: [user(CACHED)],
    },
  },
  {
    name: 'a turn without tools and with a system prompt of the user',
    kind: 'main',
    body: { system: system('be brief'), tools: [], messages: [user(CACHED)] },
  },
  { name: 'a bare request', kind: 'main', body: { messages: [user('hello')] } },
  {
    name: 'a conversation that talks about summaries in a tool result',
    kind: 'main',
    body: { tools: TOOLS, messages: [user([{ type: 'tool_result', content: SUMMARY_PROMPT }])] },
  },
  {
    name: 'a conversation that was summarised before',
    kind: 'main',
    body: { tools: TOOLS, messages: [user(SUMMARY_PROMPT), { role: 'assistant', content: 'x' }, user(CACHED)] },
  },
  {
    name: 'a compaction, folded into the last user message',
    kind: 'summary',
    body: {
      tools: TOOLS,
      messages: [
        user([...CACHED, { type: 'text', text: `CRITICAL: Respond with TEXT ONLY.\n\n${SUMMARY_PROMPT}` }]),
        { role: 'system', content: 'The following skills are available' },
      ],
    },
  },
  { name: 'a compaction as plain text', kind: 'summary', body: { messages: [user(SUMMARY_PROMPT)] } },
  {
    name: 'a compaction outside the conversation',
    kind: 'summary',
    body: {
      system: system('You are a helpful AI assistant tasked with summarizing conversations.'),
      messages: [user('Short, please.')],
    },
  },
  {
    name: 'a subagent with a header',
    kind: 'subagent',
    headers: { 'x-claude-code-agent-id': 'a1' },
    body: { tools: TOOLS, messages: [user(CACHED)] },
  },
  {
    name: 'a subagent marked in the system prompt',
    kind: 'subagent',
    body: { system: system('x: cc_entrypoint=cli; cc_is_subagent=true;'), tools: TOOLS, messages: [user(CACHED)] },
  },
  {
    name: 'a subagent of an older version',
    kind: 'subagent',
    body: {
      system: system(
        "You are Claude Code, Anthropic's official CLI for Claude.",
        'You are an agent for Claude Code, …',
      ),
      tools: TOOLS,
      messages: [user(CACHED)],
    },
  },
  {
    name: 'a title request',
    kind: 'other',
    body: { system: system(TITLE_PROMPT), tools: [], messages: [user('<session>fix it</session>')] },
  },
  {
    name: 'a suggestion of the next prompt, with the conversation before it',
    kind: 'other',
    body: {
      tools: TOOLS,
      messages: [user(CACHED), user('[SUGGESTION MODE: Suggest what the user might naturally type next.]')],
    },
  },
  {
    name: 'a question beside the conversation',
    kind: 'other',
    body: {
      tools: TOOLS,
      messages: [
        user(CACHED),
        user([{ type: 'text', text: '<system-reminder>This is a side question from the user. Answer it.' }]),
      ],
    },
  },
  {
    name: 'a prompt that quotes such a question',
    kind: 'main',
    body: { tools: TOOLS, messages: [user('What does "[SUGGESTION MODE" mean?')] },
  },
  { name: 'a quota probe', kind: 'other', body: { max_tokens: 1, messages: [user('quota')] } },
  {
    name: 'a token count',
    kind: 'count',
    path: '/v1/messages/count_tokens',
    body: { messages: [user(SUMMARY_PROMPT)] },
  },
  { name: 'another path', kind: 'other', path: '/', body: {} },
  { name: 'a body of unexpected shape', kind: 'main', body: { system: 7, messages: [user([null, 3])] } },
];

describe('classify', () => {
  it.each(cases)('$name is $kind', ({ kind, path = '/v1/messages', headers = {}, body }) => {
    expect(classify(path, headers, body)).toBe(kind);
  });
});
