import { fieldsOf, listOf, stringOf } from '../core/protocol/fields.ts';
import type { RequestBody, RequestKind } from './scenario.ts';

export type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

// 1.0.128 to 2.1.332 contain both wordings: the prompt for a summary, and the system prompt of a summary outside of the
// conversation.
const SUMMARY_PROMPT = /Your task is to create a detailed summary of/;
const SUMMARY_SYSTEM = /tasked with summarizing conversations/;

// Requests that repeat the conversation but do not continue it: for a suggested prompt, and for a side question.
const SIDE_PROMPT = /^\[SUGGESTION MODE\b|^<system-reminder>This is a side question from the user\b/;

// Newer versions mark a subagent in a header and in the first system block, older ones only in the system prompt.
const SUBAGENT_HEADER = 'x-claude-code-agent-id';
const SUBAGENT_SYSTEM = /\bcc_is_subagent=true\b|^You are an agent for Claude Code\b/m;

/**
 * The purpose of a request. A subagent's own compaction counts as a summary. Requests of the main conversation have
 * tools or a cached prompt; one with neither, as with `--tools ""` and DISABLE_PROMPT_CACHING=1, counts as other.
 */
export function classify(path: string, headers: Headers, body: RequestBody): RequestKind {
  if (path === '/v1/messages/count_tokens') return 'count';
  if (path !== '/v1/messages') return 'other';
  const system = textOf(body.system);
  const lastPrompt = textOf(body.messages?.findLast(({ role }) => role === 'user')?.content);
  if (SUMMARY_SYSTEM.test(system) || SUMMARY_PROMPT.test(lastPrompt)) return 'summary';
  if (SIDE_PROMPT.test(lastPrompt)) return 'other';
  if (headers[SUBAGENT_HEADER] !== undefined || SUBAGENT_SYSTEM.test(system)) return 'subagent';
  return isSideRequest(body, system) ? 'other' : 'main';
}

/**
 * Whether claude asks for a session title, topic detection or a quota probe: own instructions, no tools, no prompt
 * cache.
 */
function isSideRequest({ max_tokens, tools, messages }: RequestBody, system: string): boolean {
  if (max_tokens === 1) return true;
  if (system === '' || (tools ?? []).length > 0) return false;
  return !JSON.stringify(messages ?? []).includes('"cache_control":');
}

/** The text of a string or of the text blocks in a list. Ignores tool results. */
function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  return listOf(content)
    .map((block) => stringOf(fieldsOf(block).text))
    .join('\n');
}
