import type { RequestBody, RequestKind } from './scenario.ts';

/** Request headers as node:http gives them: names in lower case. */
export type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

// Both wordings are in 1.0.128 to 2.1.332: the prompt that asks for a summary, and the system prompt of a summary
// that is asked for outside the conversation.
const SUMMARY_PROMPT = /Your task is to create a detailed summary of/;
const SUMMARY_SYSTEM = /tasked with summarizing conversations/;

// What claude asks with the conversation before it, but not for it: the user's next prompt, and an answer beside it.
const SIDE_PROMPT = /^\[SUGGESTION MODE\b|^<system-reminder>This is a side question from the user\b/;

// Newer versions mark a subagent in a header and in the first system block, older ones only by its system prompt.
const SUBAGENT_HEADER = 'x-claude-code-agent-id';
const SUBAGENT_SYSTEM = /\bcc_is_subagent=true\b|^You are an agent for Claude Code\b/m;

/**
 * Tells what a request is for. A subagent's own compaction counts as a summary. Requests of the main conversation
 * have tools or a cached prompt; one with neither, as with `--tools ""` and DISABLE_PROMPT_CACHING=1, counts as other.
 */
export function classify(path: string, headers: Headers, body: RequestBody): RequestKind {
  if (path === '/v1/messages/count_tokens') return 'count';
  if (path !== '/v1/messages') return 'other';
  const system = textOf(body.system);
  const asked = textOf(body.messages?.findLast(({ role }) => role === 'user')?.content);
  if (SUMMARY_SYSTEM.test(system) || SUMMARY_PROMPT.test(asked)) return 'summary';
  if (SIDE_PROMPT.test(asked)) return 'other';
  if (headers[SUBAGENT_HEADER] !== undefined || SUBAGENT_SYSTEM.test(system)) return 'subagent';
  return isSideRequest(body, system) ? 'other' : 'main';
}

/** Session titles, topic detection, quota probes: instructions of their own, no tools, nothing worth caching. */
function isSideRequest({ max_tokens, tools, messages }: RequestBody, system: string): boolean {
  if (max_tokens === 1) return true;
  if (system === '' || (tools ?? []).length > 0) return false;
  return !JSON.stringify(messages ?? []).includes('"cache_control":');
}

/** The text of a string or of the text blocks in a list; tool results are left out. */
function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content
    .map((block: { text?: unknown } | null) => (typeof block?.text === 'string' ? block.text : ''))
    .join('\n');
}
